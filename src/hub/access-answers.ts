import { createHash } from 'node:crypto';
import { isAllowed as reviewed } from './access-review.js';
import type { HubCalls } from './hub.js';

/** Who writes, as the API server knows them: all of it may matter to whoever grants rights. */
export interface Requester {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What somebody wants to do. */
export interface WantedAccess {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly verb: string;
  readonly namespace: string | undefined;
}

export interface AccessAnswersParts {
  readonly hub: HubCalls;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  readonly most?: number;
}

/** A right that is given or taken counts after this. */
const freshMilliseconds = 5_000;

/** An answer takes some hundred bytes. */
const mostAnswers = 1_000;

/** Asks the API server what a requester may do, and remembers the answers for some seconds. */
export class AccessAnswers {
  /** In the order in which they were given. */
  private readonly answers = new Map<string, { readonly isAllowed: boolean; readonly at: number }>();

  constructor(private readonly parts: AccessAnswersParts) {}

  /** Fails where the API server does not answer. */
  async may(requester: Requester, wanted: WantedAccess, signal: AbortSignal): Promise<boolean> {
    const { hub, now, most = mostAnswers } = this.parts;
    const key = keyOf(requester, wanted);
    const known = this.answers.get(key);
    if (known !== undefined && now() - known.at < freshMilliseconds) return known.isAllowed;
    const at = now();
    const isAllowed = await reviewed(hub, specOf(requester, wanted), signal);
    this.answers.delete(key);
    this.answers.set(key, { isAllowed, at });
    const [oldest] = this.answers.keys();
    if (this.answers.size > most && oldest !== undefined) this.answers.delete(oldest);
    return isAllowed;
  }
}

/** Groups and extras can be long, and are as good as what they hash to. */
function keyOf(requester: Requester, wanted: WantedAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([requester, wanted]))
    .digest('base64');
}

function specOf({ user, uid, groups, extra }: Requester, { namespace, ...attributes }: WantedAccess): object {
  return {
    ...{ user, groups, extra },
    ...(uid !== '' && { uid }),
    resourceAttributes: { ...attributes, ...(namespace !== undefined && { namespace }) },
  };
}
