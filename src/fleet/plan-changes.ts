import { sameJson } from './json.js';
import type { ApplyStrategy, Placement, ResourceSnapshot, UpdateRun } from './model.js';
import { fleetKeys } from './model.js';
import type { Plan } from './plan.js';
import type { Bindings, Scheduling } from './scheduling.js';

/** One thing that is no longer as it was when a run was initialized, and for which the controller aborts the run. */
export type PlanChange =
  | { readonly what: 'status'; readonly field: string }
  | { readonly what: 'apply strategy' }
  | { readonly what: 'policy'; readonly before: string; readonly now: string }
  | { readonly what: 'cluster count'; readonly before: number; readonly now: number }
  | { readonly what: 'stages' }
  | {
      readonly what: 'stage';
      readonly stage: string;
      readonly joined: readonly string[];
      readonly left: readonly string[];
      /** The order now, where only the order differs. */
      readonly order?: readonly string[];
    }
  | { readonly what: 'removal'; readonly clusters: readonly string[] }
  | { readonly what: 'snapshot'; readonly index: string }
  | { readonly what: 'in no stage'; readonly clusters: readonly string[] }
  | { readonly what: 'in several stages'; readonly cluster: string; readonly stages: readonly string[] }
  | { readonly what: 'sorting label'; readonly cluster: string; readonly stage: string; readonly key: string };

export interface PlanChangeInput {
  readonly run: UpdateRun;
  readonly placement: Placement;
  readonly scheduling: Extract<Scheduling, { is: 'scheduled' }>;
  readonly bindings: Bindings;
  /** The plan by the stages of the run's own status; undefined where that has none. */
  readonly plan: Plan | undefined;
  readonly snapshots: readonly ResourceSnapshot[];
}

/** All that the controller would hold against an initialized run (KubeFleet updaterun/validation.go validate). */
export function planChanges(input: PlanChangeInput): readonly PlanChange[] {
  return [
    ...statusGaps(input.run),
    ...placementChanges(input),
    ...(input.plan ? [...stageChanges(input.run, input.plan), ...planFaults(input.plan)] : []),
    ...newRemovals(input.run, input.bindings),
    ...prunedSnapshot(input.run, input.snapshots),
  ];
}

/** An initialized run without these was written by somebody else; a run of a strategy without stages loses stagesStatus. */
function statusGaps({ status }: UpdateRun): readonly PlanChange[] {
  const gaps = [
    status.stagedUpdateStrategySnapshot === undefined ? 'stagedUpdateStrategySnapshot' : '',
    status.stagesStatus === undefined ? 'stagesStatus' : '',
    status.deletionStageStatus === undefined ? 'deletionStageStatus' : '',
  ];
  return gaps.filter((field) => field !== '').map((field) => ({ what: 'status', field }));
}

function placementChanges({ run, placement, scheduling }: PlanChangeInput): readonly PlanChange[] {
  const { appliedStrategy, policySnapshotIndexUsed: before = '', policyObservedClusterCount: counted } = run.status;
  const applied = sameJson(withDefaults(appliedStrategy), withDefaults(placement.spec.strategy?.applyStrategy));
  const policy = before === scheduling.index;
  const { clusterCount } = scheduling;
  return [
    ...(applied ? [] : [{ what: 'apply strategy' } as const]),
    ...(policy ? [] : [{ what: 'policy', before, now: scheduling.index } as const]),
    ...(clusterCount === undefined || counted === undefined || clusterCount === counted
      ? []
      : [{ what: 'cluster count', before: counted, now: clusterCount } as const]),
  ];
}

/** The defaults of KubeFleet's pkg/utils/defaulter; the controller compares the strategies field by field after them. */
function withDefaults(strategy: ApplyStrategy = {}): ApplyStrategy {
  const filled = {
    type: 'ClientSideApply',
    comparisonOption: 'PartialComparison',
    whenToApply: 'Always',
    whenToTakeOver: 'Always',
    allowCoOwnership: false,
    ...strategy,
  };
  const config = strategy.serverSideApplyConfig ?? (filled.type === 'ServerSideApply' ? {} : undefined);
  return { ...filled, ...(config && { serverSideApplyConfig: { force: false, ...config } }) };
}

function stageChanges(run: UpdateRun, plan: Plan): readonly PlanChange[] {
  const before = run.status.stagesStatus;
  if (before === undefined) return [];
  const sameNames = sameJson(
    before.map(({ stageName }) => stageName),
    plan.stages.map(({ stage }) => stage.name),
  );
  if (!sameNames) return [{ what: 'stages' }];
  return before.flatMap(({ stageName, clusters }, index) => {
    const was = clusters.map(({ clusterName }) => clusterName);
    const is = plan.stages[index]?.clusters ?? [];
    if (sameJson(was, is)) return [];
    const joined = is.filter((cluster) => !was.includes(cluster));
    const left = was.filter((cluster) => !is.includes(cluster));
    const isReordered = joined.length === 0 && left.length === 0;
    return [{ what: 'stage', stage: stageName, joined, left, ...(isReordered && { order: is }) } as const];
  });
}

function planFaults({ inNoStage, inSeveralStages, unsortable }: Plan): readonly PlanChange[] {
  return [
    ...(inNoStage.length > 0 ? [{ what: 'in no stage', clusters: inNoStage } as const] : []),
    ...inSeveralStages.map((entry) => ({ what: 'in several stages', ...entry }) as const),
    ...unsortable.map(({ cluster, stage, key }) => ({ what: 'sorting label', cluster, stage, key }) as const),
  ];
}

function newRemovals(run: UpdateRun, bindings: Bindings): readonly PlanChange[] {
  const foreseen = new Set(run.status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName));
  const clusters = bindings.toDelete.filter((cluster) => !foreseen.has(cluster));
  return clusters.length === 0 ? [] : [{ what: 'removal', clusters }];
}

/** Nothing re-checks the snapshot of an initialized run: without it, the run gets stuck at its first cluster. */
function prunedSnapshot(run: UpdateRun, snapshots: readonly ResourceSnapshot[]): readonly PlanChange[] {
  const index = run.status.resourceSnapshotIndexUsed;
  if (index === undefined || index === '') return [];
  const isThere = snapshots.some(({ metadata }) => metadata.labels[fleetKeys.resourceIndex] === index);
  return isThere ? [] : [{ what: 'snapshot', index }];
}
