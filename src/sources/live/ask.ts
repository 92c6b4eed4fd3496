import { setMaxListeners } from 'node:events';
import type { Family } from '../../fleet/kinds.js';
import type { Families } from '../../fleet/model.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../../fleet/state.js';

/** One question that a rule puts to the fleet. */
export type Ask =
  | { readonly how: 'get'; readonly family: Family; readonly key: ObjectKey }
  | { readonly how: 'list'; readonly family: Family; readonly query: Query };

export type Told = Answer<Families[Family]> | ListAnswer<Families[Family]>;

/** Puts a question to the API server itself; answers "unknown" where that fails. */
export type Read = (ask: Ask, signal: AbortSignal) => Promise<Told>;

function nameOf(ask: Ask): string {
  const of = ask.how === 'get' ? ask.key : ask.query;
  return `${ask.how} ${ask.family} ${JSON.stringify(
    Object.entries(of)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )}`;
}

/** What a question comes to when nobody can say. */
export function untold(ask: Ask): Told {
  return ask.how === 'get' ? { is: 'unknown' } : { items: [], complete: false };
}

/** A fleet that answers from what was read live, and else from the cache, and notes what was asked of the cache. */
export class ConfirmedFleet implements FleetState {
  private readonly read = new Map<string, Told>();
  private readonly unread = new Map<string, Ask>();
  private isCacheTrusted = true;

  constructor(private readonly cache: FleetState) {}

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    return this.told({ how: 'get', family, key }, () => this.cache.get(family, key));
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    return this.told({ how: 'list', family, query }, () => this.cache.list(family, query));
  }

  /** Asks that were answered from the cache since this was last called. */
  takeUnread(): readonly Ask[] {
    const asks = [...this.unread.values()];
    this.unread.clear();
    return asks;
  }

  /** Reads all of them at once; none fails, and none is read twice. */
  async confirm(asks: readonly Ask[], read: Read, signal: AbortSignal): Promise<void> {
    // Every read listens to the one signal, and there may be many: no leak.
    setMaxListeners(0, signal);
    await Promise.all(
      asks.map(async (ask) => {
        this.read.set(nameOf(ask), await read(ask, signal));
      }),
    );
  }

  /** From now on, what was not read live is unknown. */
  distrustCache(): void {
    this.isCacheTrusted = false;
  }

  private told<T extends Told>(ask: Ask, fromCache: () => T): T {
    const name = nameOf(ask);
    const told = this.read.get(name);
    if (told !== undefined) return told as T;
    if (!this.isCacheTrusted) return untold(ask) as T;
    this.unread.set(name, ask);
    return fromCache();
  }
}
