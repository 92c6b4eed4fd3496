import { setMaxListeners } from 'node:events';
import type { Family } from '../../fleet/kinds.js';
import type { Families } from '../../fleet/model.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../../fleet/state.js';

/** One question that a rule puts to the fleet. */
export type ReadRequest =
  | { readonly how: 'get'; readonly family: Family; readonly key: ObjectKey }
  | { readonly how: 'list'; readonly family: Family; readonly query: Query };

export type ReadAnswer = Answer<Families[Family]> | ListAnswer<Families[Family]>;

/** Puts a question to the API server itself; answers "unknown" where that fails. */
export type Read = (request: ReadRequest, signal: AbortSignal) => Promise<ReadAnswer>;

function keyOf(request: ReadRequest): string {
  const of = request.how === 'get' ? request.key : request.query;
  return `${request.how} ${request.family} ${JSON.stringify(
    Object.entries(of)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )}`;
}

/** What a question comes to when nobody can say. */
export function unknownAnswer(request: ReadRequest): ReadAnswer {
  return request.how === 'get' ? { is: 'unknown' } : { items: [], complete: false };
}

/** A fleet that answers from what was read live, and else from the cache, and notes what was asked of the cache. */
export class ConfirmedFleet implements FleetState {
  private readonly read = new Map<string, ReadAnswer>();
  private readonly unread = new Map<string, ReadRequest>();
  private isCacheTrusted = true;

  constructor(private readonly cache: FleetState) {}

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    return this.answered({ how: 'get', family, key }, () => this.cache.get(family, key));
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    return this.answered({ how: 'list', family, query }, () => this.cache.list(family, query));
  }

  /** Requests that were answered from the cache since this was last called. */
  takeUnread(): readonly ReadRequest[] {
    const requests = [...this.unread.values()];
    this.unread.clear();
    return requests;
  }

  /** Reads all of them at once; none fails, and none is read twice. */
  async confirm(requests: readonly ReadRequest[], read: Read, signal: AbortSignal): Promise<void> {
    // Every read listens to the one signal, and there may be many: no leak.
    setMaxListeners(0, signal);
    await Promise.all(
      requests.map(async (request) => {
        this.read.set(keyOf(request), await read(request, signal));
      }),
    );
  }

  /** From now on, what was not read live is unknown. */
  distrustCache(): void {
    this.isCacheTrusted = false;
  }

  private answered<T extends ReadAnswer>(request: ReadRequest, fromCache: () => T): T {
    const name = keyOf(request);
    const answered = this.read.get(name);
    if (answered !== undefined) return answered as T;
    if (!this.isCacheTrusted) return unknownAnswer(request) as T;
    this.unread.set(name, request);
    return fromCache();
  }
}
