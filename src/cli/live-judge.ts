import { moments, type Change } from '../engine/change.js';
import { evaluate, type World } from '../engine/evaluate.js';
import { refusalsOf, type Verdict } from '../engine/verdict.js';
import { scopeOf } from '../fleet/kinds.js';
import type { UpdateRun } from '../fleet/model.js';
import type { FleetState } from '../fleet/state.js';
import type { Ask, Read } from '../sources/live/ask.js';
import { judgeLive } from '../sources/live/judge-live.js';

export interface LiveJudgeParts {
  readonly cache: FleetState;
  /** Puts a question to the API server itself. */
  readonly read: Read;
  /** All that verdicts depend on beside the fleet, as it is now. */
  readonly world: () => Omit<World, 'fleet'>;
}

/** What is left of the time when reading must end: judging again takes some milliseconds, and the answer must travel. */
const marginMilliseconds = 100;

/** Judges a change by what the hub itself says, as far as the verdict hurts: see docs/live.md. */
export function createLiveJudge({ cache, read, world }: LiveJudgeParts) {
  return async (change: Change, { deadline }: { readonly deadline: number }): Promise<Verdict> => {
    const settings = world();
    const left = Math.max(0, deadline - settings.now - marginMilliseconds);
    const { verdict } = await judgeLive(cache, read, {
      first: graveFacts(change),
      judge: (fleet) => evaluate(change, { ...settings, fleet }),
      mustBeConfirmed: (judged) => refusalsOf(judged).length > 0 || judged.undetermined.length > 0,
      signal: AbortSignal.timeout(left),
    });
    return verdict;
  };
}

/** To create or start a run is rare and grave: what it stands on is never taken from a cache. */
function graveFacts(change: Change): readonly Ask[] {
  const run = startedRun(change);
  if (run === undefined) return [];
  const { placementName: placement, stagedRolloutStrategyName } = run.spec;
  const at = (family: Ask['family']) => scopeOf(family, change.namespace);
  return [
    { how: 'get', family: 'Placement', key: { name: placement, namespace: at('Placement') } },
    { how: 'get', family: 'UpdateStrategy', key: { name: stagedRolloutStrategyName, namespace: at('UpdateStrategy') } },
    { how: 'list', family: 'PolicySnapshot', query: { placement, namespace: at('PolicySnapshot') } },
    { how: 'list', family: 'Binding', query: { placement, namespace: at('Binding') } },
  ];
}

function startedRun(change: Change): UpdateRun | undefined {
  if (change.family !== 'UpdateRun' || change.operation === 'DELETE') return undefined;
  return change.operation === 'CREATE' || moments['state becomes Run'](change) ? change.object : undefined;
}
