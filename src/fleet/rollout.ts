import type { Facts } from './facts.js';
import type { Placement, Stage, UpdateRun } from './model.js';
import { planStages, type Plan } from './plan.js';
import { schedulingOf, sortBindings, type Bindings, type Scheduling } from './scheduling.js';

/*
 * The facts that several rules share, read once a verdict. Each answers undefined where a fact it stands on is missing,
 * so that the rule about that fact has the word alone.
 */

export function placementOf(run: UpdateRun, facts: Facts): Placement | undefined {
  return facts.get('Placement', run.spec.placementName);
}

/** What the scheduler has made of the run's placement. */
export function schedulingFor(run: UpdateRun, facts: Facts): Scheduling | undefined {
  return facts.once('scheduling', () => {
    const placement = placementOf(run, facts);
    if (placement === undefined) return undefined;
    return schedulingOf(placement, facts.list('PolicySnapshot', { placement: run.spec.placementName }));
  });
}

/** The clusters that the placement is bound to, where it is scheduled. */
export function bindingsFor(run: UpdateRun, facts: Facts): Bindings | undefined {
  return facts.once('bindings', () => {
    const scheduling = schedulingFor(run, facts);
    if (scheduling?.is !== 'scheduled') return undefined;
    return sortBindings(facts.list('Binding', { placement: run.spec.placementName }), scheduling.snapshot);
  });
}

/** The plan of a run by the strategy that is stored now. */
export function planFor(run: UpdateRun, facts: Facts): Plan | undefined {
  return facts.once('plan', () => {
    const strategy = facts.get('UpdateStrategy', run.spec.stagedRolloutStrategyName);
    return strategy && planWith(strategy.spec.stages, run, facts);
  });
}

/** The plan of a run by the stages it was initialized with: later edits of the strategy do not reach it. */
export function planSinceInitialized(run: UpdateRun, facts: Facts): Plan | undefined {
  return facts.once('plan since initialized', () => {
    const snapshot = run.status.stagedUpdateStrategySnapshot;
    return snapshot && planWith(snapshot.stages, run, facts);
  });
}

function planWith(stages: readonly Stage[], run: UpdateRun, facts: Facts): Plan | undefined {
  const bindings = bindingsFor(run, facts);
  return bindings && planStages({ stages, ...bindings, members: facts.list('MemberCluster') });
}
