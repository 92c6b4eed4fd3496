import type { FleetState } from '../../fleet/state.js';
import { ConfirmedFleet, type Ask, type Read } from './ask.js';

/** How one change is judged; the live source knows nothing of rules. */
export interface Judging<V> {
  /** Facts so grave that no cache is asked for them. */
  readonly first: readonly Ask[];
  judge(fleet: FleetState): V;
  /** Whether a verdict may go out only if all it rests on was read live. */
  mustBeConfirmed(verdict: V): boolean;
  /** Raised when the time for reading is over. */
  readonly signal: AbortSignal;
}

export interface Judged<V> {
  readonly verdict: V;
  /** The fleet that the verdict rests on. */
  readonly fleet: FleetState;
}

/**
 * A rule that goes further once a fact is known asks for more: placement, its snapshot, the bindings of that. Nothing goes
 * deeper than this.
 */
const mostRounds = 4;

/**
 * Judges by the cache, and if that ends in a refusal, judges again by what the API server itself says. What was asked is
 * read once, all at the same time. What cannot be read in time is unknown.
 */
export async function judgeLive<V>(cache: FleetState, read: Read, judging: Judging<V>): Promise<Judged<V>> {
  const fleet = new ConfirmedFleet(cache);
  await fleet.confirm(judging.first, read, judging.signal);
  for (let round = 0; round < mostRounds && !judging.signal.aborted; round++) {
    const verdict = judging.judge(fleet);
    const unread = fleet.takeUnread();
    if (unread.length === 0 || !judging.mustBeConfirmed(verdict)) return { verdict, fleet };
    await fleet.confirm(unread, read, judging.signal);
  }
  fleet.distrustCache();
  return { verdict: judging.judge(fleet), fleet };
}
