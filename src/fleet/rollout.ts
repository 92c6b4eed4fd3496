import type { Facts } from './facts.js';
import { memberIn } from './members-by-name.js';
import type { Placement, StrategySpec, UpdateRun } from './model.js';
import { planStages, type Plan } from './plan.js';
import { isOversize } from './strategy-size.js';
import { schedulingOf, sortBindings, type Bindings, type Scheduling } from './scheduling.js';
import { SnapshotGroups } from './snapshot-group.js';

/*
 * The facts that several rules share, read once a verdict. Each answers undefined where a fact it stands on is missing,
 * so that the rule about that fact has the word alone.
 */

export function placementOf(run: UpdateRun, facts: Facts): Placement | undefined {
  return facts.get('Placement', run.spec.placementName);
}

/** What the scheduler has made of the run's placement. */
export function schedulingFor(run: UpdateRun, facts: Facts): Scheduling | undefined {
  return facts.once(run, 'scheduling', () => {
    const placement = placementOf(run, facts);
    if (placement === undefined) return undefined;
    return schedulingOf(placement, facts.list('PolicySnapshot', { placement: run.spec.placementName }));
  });
}

/** The clusters that the placement is bound to, where it is scheduled. */
export function bindingsFor(run: UpdateRun, facts: Facts): Bindings | undefined {
  return facts.once(run, 'bindings', () => {
    const scheduling = schedulingFor(run, facts);
    if (scheduling?.is !== 'scheduled') return undefined;
    return sortBindings(facts.list('Binding', { placement: run.spec.placementName }), scheduling.snapshot);
  });
}

/** The plan of a run by the strategy that is stored now. */
export function planFor(run: UpdateRun, facts: Facts): Plan | undefined {
  return facts.once(run, 'plan', () => {
    const strategy = facts.get('UpdateStrategy', run.spec.stagedRolloutStrategyName);
    return strategy && planWith(strategy.spec, run, facts);
  });
}

/** The plan of a run by the stages it was initialized with: later edits of the strategy do not reach it. */
export function planSinceInitialized(run: UpdateRun, facts: Facts): Plan | undefined {
  return facts.once(run, 'plan since initialized', () => {
    const snapshot = run.status.stagedUpdateStrategySnapshot;
    return snapshot && planWith(snapshot, run, facts);
  });
}

/** Of a strategy that is too large to be judged there is no plan; the rules about strategies say so. */
function planWith(spec: StrategySpec, run: UpdateRun, facts: Facts): Plan | undefined {
  if (isOversize(spec)) return undefined;
  const bindings = bindingsFor(run, facts);
  return bindings && planStages({ stages: spec.stages, ...bindings, memberOf: memberIn(facts.list('MemberCluster')) });
}

/** The resource snapshots of the run's placement. */
export function snapshotGroupsFor({ spec }: Pick<UpdateRun, 'spec'>, facts: Facts): SnapshotGroups {
  const { placementName } = spec;
  return facts.once(spec, 'resource snapshots', () => {
    return new SnapshotGroups(placementName, facts.list('ResourceSnapshot', { placement: placementName }));
  });
}
