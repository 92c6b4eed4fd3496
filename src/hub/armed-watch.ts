import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { describe } from '../errors.js';
import { silentLog, type Log } from '../log.js';
import type { HubCalls } from './hub.js';
import { mayAnswer } from './is-armed.js';

export interface ArmedWatchParts {
  readonly hub: HubCalls;
  /** The namespace of the Role that puts the webhooks in force. */
  readonly namespace: string;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Often enough for an alert, which waits for minutes. */
const pauseMilliseconds = 15_000;

/**
 * Follows whether the webhooks are in force, by the question that they ask themselves: whether the guard's account may
 * answer. Whoever deletes the Role or the binding, for whatever reason, is noticed.
 */
export class ArmedWatch extends Background {
  private known: boolean | undefined;

  constructor(private readonly parts: ArmedWatchParts) {
    super(parts.clock);
  }

  /** Undefined until it is known. */
  get isArmed(): boolean | undefined {
    return this.known;
  }

  /** An outage changes nothing in what was known before. */
  protected async turn(signal: AbortSignal): Promise<number> {
    const { log = silentLog } = this.parts;
    try {
      const isArmed = await mayAnswer(this.parts.hub, this.parts.namespace, signal);
      if (this.known === true && !isArmed) {
        log.warn({}, 'the webhooks have gone out of force: writes are not judged any more');
      }
      this.known = isArmed;
    } catch (error) {
      if (!signal.aborted) log.debug({ error: describe(error) }, 'could not ask whether the webhooks are in force');
    }
    return pauseMilliseconds;
  }
}
