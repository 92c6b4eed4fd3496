import { isCreationOrStart, type Change } from '../engine/change.js';
import { evaluate, type World } from '../engine/evaluate.js';
import { refusalsOf, type Verdict } from '../engine/verdict.js';
import { scopeOf } from '../fleet/kinds.js';
import type { JudgeOptions } from './judge.js';
import type { FleetState } from '../fleet/state.js';
import { ConfirmedFleet, type ReadRequest, type Read } from '../sources/live/read-request.js';
import { raisedBefore } from './time-left.js';
import { withDiagnosis } from './with-diagnosis.js';

export interface LiveJudgeParts {
  readonly cache: FleetState;
  /** Puts a question to the API server itself. */
  readonly read: Read;
  /** All that verdicts depend on beside the fleet, as it is now. */
  readonly world: () => Omit<World, 'fleet'>;
  /** Milliseconds of a clock that does not jump, as deadlines are told. */
  readonly elapsed: () => number;
}

/** What is left of the time when reading must end: judging again takes some milliseconds, and the answer must travel. */
const marginMilliseconds = 100;

/**
 * A rule that goes further once a fact is known asks for more: placement, its snapshot, the bindings of that. Nothing goes
 * deeper than this.
 */
const mostRounds = 4;

/**
 * Judges a change by the cache, and if that ends in a refusal, judges again by what the API server itself says: see
 * docs/live.md. What was asked is read once, all at the same time. What cannot be read in time is unknown.
 */
export function createLiveJudge({ cache, read, world, elapsed }: LiveJudgeParts) {
  return async (change: Change, { deadline, exempt }: JudgeOptions): Promise<Verdict> => {
    const settings = world();
    const signal = raisedBefore(deadline, elapsed(), marginMilliseconds);
    const fleet = new ConfirmedFleet(cache);
    const judge = (): Verdict => evaluate(change, { ...settings, exempt, fleet });
    const told = (verdict: Verdict): Verdict => withDiagnosis(verdict, change, { ...settings, fleet });
    await fleet.confirm(graveFacts(change), read, signal);
    for (let round = 0; round < mostRounds && !signal.aborted; round++) {
      const verdict = judge();
      const unread = fleet.takeUnread();
      if (unread.length === 0 || !mustBeConfirmed(verdict)) return told(verdict);
      await fleet.confirm(unread, read, signal);
    }
    fleet.distrustCache();
    return told(judge());
  };
}

/** Whether a verdict may go out only if all it rests on was read live. */
function mustBeConfirmed(verdict: Verdict): boolean {
  return refusalsOf(verdict).length > 0 || verdict.undetermined.length > 0;
}

/** To create or start a run is rare and grave: what it stands on is never taken from a cache. */
function graveFacts(change: Change): readonly ReadRequest[] {
  if (!isCreationOrStart(change)) return [];
  const { placementName: placement, stagedRolloutStrategyName } = change.object.spec;
  const at = (family: ReadRequest['family']) => scopeOf(family, change.namespace);
  return [
    { how: 'get', family: 'Placement', key: { name: placement, namespace: at('Placement') } },
    { how: 'get', family: 'UpdateStrategy', key: { name: stagedRolloutStrategyName, namespace: at('UpdateStrategy') } },
    { how: 'list', family: 'PolicySnapshot', query: { placement, namespace: at('PolicySnapshot') } },
    { how: 'list', family: 'Binding', query: { placement, namespace: at('Binding') } },
  ];
}
