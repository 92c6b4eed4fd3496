import { Background } from '../background.js';
import { describe } from '../errors.js';
import type { HubCalls } from '../hub/hub.js';
import type { Log } from '../log.js';
import type { Configuration } from './decide.js';
import { readConfigurations } from './store.js';

export interface ConfigurationWatchParts {
  readonly api: HubCalls;
  /** The name of the guard's own configurations. */
  readonly name: string;
  readonly log: Log;
  readonly onFailure: () => void;
}

/** Often enough for an alert, which waits for minutes. */
const pauseMilliseconds = 30_000;

/** Reads what the API server trusts, where others keep it. */
export class ConfigurationWatch extends Background {
  private lastSeen: readonly Configuration[] | undefined;

  constructor(private readonly parts: ConfigurationWatchParts) {
    super();
  }

  get configurations(): readonly Configuration[] | undefined {
    return this.lastSeen;
  }

  protected async turn(signal: AbortSignal): Promise<number> {
    const { api, name, log, onFailure } = this.parts;
    try {
      this.lastSeen = await readConfigurations(api, name, signal);
    } catch (error) {
      if (!signal.aborted) {
        onFailure();
        log.warn({ error: describe(error) }, 'the webhook configurations cannot be read');
      }
    }
    return pauseMilliseconds;
  }
}
