import {
  conditionOf,
  type ClusterStatus,
  type RunSpec,
  type StageStatus,
  type TaskStatus,
  type UpdateRun,
  type RunStatus,
} from './model.js';

/*
 * The life of a run. KubeFleet's controller lifts every condition to the current generation before it judges
 * (updaterun/controller.go Reconcile) and does not store that for finished runs, so observedGeneration says nothing here.
 */

/** Where a run stands; the first that fits, from the top of the controller's own order. */
export type Phase =
  | 'deleting'
  | 'finished'
  | 'failed'
  | 'pending'
  | 'initialized'
  | 'executing'
  | 'waiting'
  | 'stuck'
  | 'stopping'
  | 'stopped';

export function phaseOf(run: UpdateRun): Phase {
  if (run.metadata.deletionTimestamp !== undefined) return 'deleting';
  return endOf(run) ?? beforeExecution(run) ?? duringExecution(run);
}

function endOf(run: UpdateRun): Phase | undefined {
  const succeeded = conditionOf(run.status.conditions, 'Succeeded')?.status;
  if (succeeded === 'True') return 'finished';
  if (succeeded === 'False' || conditionOf(run.status.conditions, 'Initialized')?.status === 'False') return 'failed';
  return undefined;
}

function beforeExecution(run: UpdateRun): Phase | undefined {
  if (!isInitialized(run)) return 'pending';
  return run.spec.state === 'Initialize' ? 'initialized' : undefined;
}

function duringExecution(run: UpdateRun): Phase {
  const progressing = conditionOf(run.status.conditions, 'Progressing');
  if (progressing?.reason === 'UpdateRunStuck') return 'stuck';
  if (run.spec.state === 'Stop') return progressing?.reason === 'UpdateRunStopped' ? 'stopped' : 'stopping';
  return progressing?.reason === 'UpdateRunWaiting' ? 'waiting' : 'executing';
}

/** Whether the controller has computed the stages of a run. */
export function isInitialized(run: UpdateRun): boolean {
  return conditionOf(run.status.conditions, 'Initialized')?.status === 'True';
}

/** Whether a run is over for good: no later write makes the controller look at it again. */
export function isOver(run: UpdateRun): boolean {
  return run.metadata.deletionTimestamp !== undefined || endOf(run) !== undefined;
}

/** Those of some runs that are not over, the active ones first; of thousands each is looked at once. */
export function openRuns(runs: readonly UpdateRun[]): readonly UpdateRun[] {
  const active: UpdateRun[] = [];
  const others: UpdateRun[] = [];
  for (const run of runs) if (!isOver(run)) (inStateRun(run) ? active : others).push(run);
  return [...active, ...others];
}

function inStateRun({ spec }: UpdateRun): boolean {
  return spec.state === 'Run';
}

/** Whether a run writes to its placement's clusters, now or without anyone doing more; a stuck run recovers by itself. */
export function isActive(run: UpdateRun): boolean {
  return inStateRun(run) && !isOver(run);
}

/** Whether the controller looks at a run time and again, and ends it at once when it must; a stopping run, too. */
export function isUnderWay(run: UpdateRun): boolean {
  return isActive(run) || (run.spec.state === 'Stop' && ['stopping', 'stuck'].includes(phaseOf(run)));
}

/** What of a run says which other run may be active beside it. */
export type Rollout = Pick<RunSpec, 'stagedRolloutStrategyName' | 'resourceSnapshotIndex'>;

/** Whether two runs do the same to a placement. Without an explicit index it is open which snapshot a run will get. */
export function areCompatible(a: Rollout, b: Rollout): boolean {
  return (
    a.resourceSnapshotIndex !== undefined &&
    a.resourceSnapshotIndex === b.resourceSnapshotIndex &&
    a.stagedRolloutStrategyName === b.stagedRolloutStrategyName
  );
}

/** How far a run has come. */
export interface Progress {
  /** The stage under way, if one is. */
  readonly stage?: string;
  /** The types of the tasks that this stage has yet to pass, before its clusters or else after them. */
  readonly openTasks: ReadonlySet<string>;
  readonly updated: number;
  readonly total: number;
}

/** What each write about a run asks of a status that is stored, and that holds thousands of clusters. */
interface Digest {
  readonly progress: Progress;
  readonly underWay: readonly string[];
}

const digests = new WeakMap<RunStatus, Digest>();

function digestOf(status: RunStatus): Digest {
  const digest = digests.get(status) ?? { progress: progressIn(status), underWay: underWayIn(status) };
  digests.set(status, digest);
  return digest;
}

export function progressOf({ status }: UpdateRun): Progress {
  return digestOf(status).progress;
}

function progressIn({ stagesStatus: stages = [] }: RunStatus): Progress {
  const clusters = stages.flatMap((stage) => stage.clusters);
  const current = stages.find(
    (stage) => stage.conditions.length > 0 && conditionOf(stage.conditions, 'Succeeded')?.status !== 'True',
  );
  return {
    ...(current && { stage: current.stageName }),
    openTasks: new Set(current ? openTasksOf(current) : []),
    updated: clusters.filter(isUpdated).length,
    total: clusters.length,
  };
}

function openTasksOf({ beforeStageTaskStatus, afterStageTaskStatus }: StageStatus): readonly string[] {
  const isOpen = ({ conditions }: TaskStatus): boolean =>
    !['ApprovalRequestApproved', 'WaitTimeElapsed'].some((type) => conditionOf(conditions, type)?.status === 'True');
  const before = beforeStageTaskStatus.filter(isOpen);
  return (before.length > 0 ? before : afterStageTaskStatus.filter(isOpen)).map(({ type }) => type);
}

/** Whether a cluster has the new version for good. */
export function isUpdated(cluster: ClusterStatus): boolean {
  return conditionOf(cluster.conditions, 'Succeeded')?.status === 'True';
}

/** The clusters that a run has begun to update and not finished. */
export function clustersUnderWay({ status }: UpdateRun): readonly string[] {
  return digestOf(status).underWay;
}

function underWayIn({ stagesStatus = [] }: RunStatus): readonly string[] {
  return stagesStatus.flatMap(({ clusters }) =>
    clusters.filter((cluster) => !isUpdated(cluster) && isBegun(cluster)).map(({ clusterName }) => clusterName),
  );
}

/** Whether a run has begun with a cluster. */
export function isBegun(cluster: ClusterStatus): boolean {
  return conditionOf(cluster.conditions, 'Started')?.status === 'True';
}

/** Whether the hub agent has touched a run: its first act is to add a finalizer (KubeFleet updaterun/controller.go). */
export function isTakenUp({ metadata, status }: UpdateRun): boolean {
  return metadata.finalizers.length > 0 || status.conditions.length > 0;
}

/**
 * Milliseconds in which the hub agent takes up a run, if it ever does: within a second, as a rule; a restart of it takes
 * up to 60 s more (leader election).
 */
export const longestUntilTakenUp = 2 * 60_000;
