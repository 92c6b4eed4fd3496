import { sameJson } from './json.js';
import type { ApplyStrategy, Binding, Placement, StageStatus, UpdateRun } from './model.js';
import type { Plan, PlannedStage } from './plan.js';
import type { LostBinding } from './cluster-versions.js';
import type { Bindings, Scheduling } from './scheduling.js';
import type { GroupProblem, SnapshotGroups } from './snapshot-group.js';
import { isBegun, isUpdated } from './run.js';
import { snapshotNeededBy } from './snapshot-history.js';

/** One thing that is no longer as it was when a run was initialized, and for which the controller aborts the run. */
export type PlanChange =
  | { readonly what: 'status'; readonly field: string }
  | { readonly what: 'apply strategy' }
  | { readonly what: 'policy'; readonly before: string; readonly now: string }
  | { readonly what: 'cluster count'; readonly before: number; readonly now: number }
  | { readonly what: 'no clusters' }
  | { readonly what: 'stages' }
  | {
      readonly what: 'stage';
      readonly stage: string;
      readonly joined: readonly string[];
      readonly left: readonly string[];
      /** The order now, where only the order differs. */
      readonly order?: readonly string[];
    }
  | { readonly what: 'comes back'; readonly cluster: string }
  | { readonly what: 'removal'; readonly clusters: readonly string[] }
  | { readonly what: 'binding'; readonly lost: LostBinding }
  | { readonly what: 'snapshot'; readonly index: string; readonly problem: GroupProblem }
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
  readonly snapshots: SnapshotGroups;
}

/** All that the controller would hold against an initialized run (KubeFleet updaterun/validation.go validate). */
export function planChanges(input: PlanChangeInput): readonly PlanChange[] {
  const { run, bindings, snapshots } = input;
  // While old bindings are about, the controller waits; while some are missing, it gets no further than counting them.
  const isSettled = bindings.stale.length === 0 && !isMiscounted(input);
  const isBare = bindings.scheduled.length + bindings.toDelete.length === 0;
  return [
    ...statusGaps(run),
    ...placementChanges(input),
    ...(isSettled && isBare ? [{ what: 'no clusters' } as const] : []),
    ...(isSettled && !isBare ? clusterChanges(input) : []),
    ...lostSnapshot(run, snapshots),
  ];
}

/**
 * Whether the placement asks for as many clusters as ever, but has more or fewer: one was evicted and is picked anew. The
 * controller aborts a start for that before it compares clusters (updaterun/initialization.go collectScheduledClusters).
 */
export function isMiscounted({
  run,
  scheduling,
  bindings,
}: Omit<PlanChangeInput, 'placement' | 'plan' | 'snapshots'>): boolean {
  const { clusterCount } = scheduling;
  if (clusterCount === undefined) return false;
  return clusterCount === run.status.policyObservedClusterCount && clusterCount !== bindings.scheduled.length;
}

/** What of it lies in the clusters: which there are, in which stages, in which order. */
export function clusterChanges({
  run,
  plan,
  bindings,
}: Pick<PlanChangeInput, 'run' | 'plan' | 'bindings'>): readonly PlanChange[] {
  const foreseen = new Set(run.status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName));
  const removed = bindings.toDelete.filter((cluster) => !foreseen.has(cluster));
  const told = new Set([...removed, ...(plan?.inNoStage ?? []), ...(plan?.inSeveralStages ?? []).map(clusterOf)]);
  return [
    ...(plan ? [...stageChanges({ run, plan, told }), ...planProblems(plan)] : []),
    ...(removed.length > 0 ? [{ what: 'removal', clusters: removed } as const] : []),
  ];
}

/** Whether there is none of these changes but removals, which is quicker to tell than what they are. */
export function areClustersAsPlanned({ status: { stagesStatus: before } }: UpdateRun, plan: Plan): boolean {
  const problems = plan.inNoStage.length + plan.inSeveralStages.length + plan.unsortable.length;
  if (problems > 0) return false;
  if (before === undefined) return true;
  return before.length === plan.stages.length && before.every((stage, index) => isAsPlanned(stage, plan.stages[index]));
}

function isAsPlanned({ stageName, clusters }: StageStatus, planned: PlannedStage | undefined): boolean {
  if (planned?.stage.name !== stageName || planned.clusters.length !== clusters.length) return false;
  return clusters.every(({ clusterName }, index) => clusterName === planned.clusters[index]);
}

const clusterOf = ({ cluster }: { readonly cluster: string }): string => cluster;

/** An initialized run without these was written by somebody else; a run of a strategy without stages loses stagesStatus. */
function statusGaps({ status }: UpdateRun): readonly PlanChange[] {
  const gaps = [
    status.stagedUpdateStrategySnapshot === undefined ? 'stagedUpdateStrategySnapshot' : '',
    status.stagesStatus === undefined ? 'stagesStatus' : '',
    status.deletionStageStatus === undefined ? 'deletionStageStatus' : '',
    // Without it the controller rolls out snapshot 0 (updaterun/execution.go), whichever the run was made for.
    status.resourceSnapshotIndexUsed ? '' : 'resourceSnapshotIndexUsed',
  ];
  return gaps.filter((field) => field !== '').map((field) => ({ what: 'status', field }));
}

function placementChanges({ run, placement, scheduling }: PlanChangeInput): readonly PlanChange[] {
  const { appliedStrategy, policySnapshotIndexUsed: before = '', policyObservedClusterCount: counted = 0 } = run.status;
  const applied = isSameApplyStrategy(appliedStrategy, placement.spec.strategy?.applyStrategy);
  const policy = before === scheduling.index;
  const { clusterCount } = scheduling;
  return [
    ...(applied ? [] : [{ what: 'apply strategy' } as const]),
    ...(policy ? [] : [{ what: 'policy', before, now: scheduling.index } as const]),
    ...(clusterCount === undefined || clusterCount === counted
      ? []
      : [{ what: 'cluster count', before: counted, now: clusterCount } as const]),
  ];
}

/** Whether the controller takes two strategies for the same. */
export function isSameApplyStrategy(a: ApplyStrategy | undefined, b: ApplyStrategy | undefined): boolean {
  return sameJson(withDefaults(a), withDefaults(b));
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

interface StageInput {
  readonly run: UpdateRun;
  readonly plan: Plan;
  /** Clusters of which another change tells all there is to say. */
  readonly told: ReadonlySet<string>;
}

function stageChanges({ run, plan, told }: StageInput): readonly PlanChange[] {
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
    const [before, now] = [new Set(was), new Set(is)];
    const joined = is.filter((cluster) => !before.has(cluster));
    const left = was.filter((cluster) => !now.has(cluster));
    if (joined.length + left.length > 0) return differences(stageName, without(joined, told), without(left, told));
    // A cluster without a number to sort by is told for itself.
    if (plan.unsortable.some(({ stage }) => stage === stageName)) return [];
    return [{ what: 'stage', stage: stageName, joined, left, order: is } as const];
  });
}

function differences(stage: string, joined: readonly string[], left: readonly string[]): readonly PlanChange[] {
  return joined.length + left.length === 0 ? [] : [{ what: 'stage', stage, joined, left }];
}

function without(clusters: readonly string[], told: ReadonlySet<string>): readonly string[] {
  return clusters.filter((cluster) => !told.has(cluster));
}

function planProblems({ inNoStage, inSeveralStages, unsortable }: Plan): readonly PlanChange[] {
  return [
    ...(inNoStage.length > 0 ? [{ what: 'in no stage', clusters: inNoStage } as const] : []),
    ...inSeveralStages.map((entry) => ({ what: 'in several stages', ...entry }) as const),
    ...unsortable.map(({ cluster, stage, key }) => ({ what: 'sorting label', cluster, stage, key }) as const),
  ];
}

/**
 * Clusters that a run has taken its resources from, or begun to, and that were bound and given up again since: the
 * controller holds what it noted of them against the new binding (updaterun/execution.go executeDeleteStage, stop.go).
 */
export function comeBack({ status }: UpdateRun, bindings: readonly Binding[]): readonly string[] {
  const leaving = new Map(status.deletionStageStatus?.clusters.map((cluster) => [cluster.clusterName, cluster]));
  const given = bindings.filter(({ metadata, spec }) => {
    const cluster = spec.state === 'Unscheduled' ? leaving.get(spec.targetCluster) : undefined;
    if (cluster === undefined) return false;
    return isUpdated(cluster) || (isBegun(cluster) && metadata.deletionTimestamp === undefined);
  });
  return given.map(({ spec }) => spec.targetCluster).sort();
}

/**
 * Nothing re-checks the snapshot of an initialized run: without it, the run is not aborted, but gets stuck for ever at the
 * next cluster that it comes to.
 */
function lostSnapshot(run: UpdateRun, snapshots: SnapshotGroups): readonly PlanChange[] {
  const index = snapshotNeededBy(run);
  const problem = index === undefined ? undefined : snapshots.problemOf(index, 'initialized');
  return index === undefined || problem === undefined ? [] : [{ what: 'snapshot', index, problem }];
}
