import { conditionOf, type ClusterStatus, type StageStatus, type TaskStatus, type UpdateRun } from '../fleet/model.js';
import { isReached } from '../fleet/approval.js';
import { taskText } from '../fleet/plan-view.js';
import { isUpdated } from '../fleet/run.js';
import type { ClusterProgress, ClusterState, GateProgress, StageProgress } from './diagnosis.js';
import { isOpen, stageUnderWay } from './open-task.js';

/** How far each stage of a run has come; `inTrouble` are the clusters that hang. */
export function stagesOf(run: UpdateRun, inTrouble: ReadonlySet<string>): readonly StageProgress[] {
  const current = stageUnderWay(run);
  return (run.status.stagesStatus ?? []).map((stage) => ({
    name: stage.stageName,
    clusters: clustersOf(stage.clusters, inTrouble),
    before: gates({ run, stage, isCurrent: stage === current }, 'before'),
    after: gates({ run, stage, isCurrent: stage === current }, 'after'),
  }));
}

export function clustersOf(
  clusters: readonly ClusterStatus[],
  inTrouble: ReadonlySet<string>,
): readonly ClusterProgress[] {
  return clusters.map((cluster) => ({ name: cluster.clusterName, state: stateOf(cluster, inTrouble) }));
}

function stateOf(cluster: ClusterStatus, inTrouble: ReadonlySet<string>): ClusterState {
  if (isUpdated(cluster)) return 'updated';
  if (conditionOf(cluster.conditions, 'Succeeded')?.status === 'False') return 'failed';
  if (conditionOf(cluster.conditions, 'Started')?.status !== 'True') return 'ahead';
  return inTrouble.has(cluster.clusterName) ? 'stuck' : 'updating';
}

type Moment = 'before' | 'after';

interface Reached {
  readonly run: UpdateRun;
  readonly stage: StageStatus;
  readonly isCurrent: boolean;
}

function gates({ run, stage, isCurrent }: Reached, moment: Moment): readonly GateProgress[] {
  const planned = run.status.stagedUpdateStrategySnapshot?.stages.find(({ name }) => name === stage.stageName);
  const reported = stage[`${moment}StageTaskStatus`];
  return (planned?.[`${moment}StageTasks`] ?? []).map((task, at) => {
    const status = reported[at]?.type === task.type ? reported[at] : reported.find(({ type }) => type === task.type);
    return { what: taskText(task), state: gateState(status, isCurrent && isAt(stage, moment)) };
  });
}

/** Whether a stage that is under way stands before these tasks. */
function isAt({ clusters, beforeStageTaskStatus }: StageStatus, moment: Moment): boolean {
  return moment === 'before' || (!beforeStageTaskStatus.some(isOpen) && clusters.every(isUpdated));
}

function gateState(status: TaskStatus | undefined, isHere: boolean): GateProgress['state'] {
  if (status !== undefined && !isOpen(status)) return 'passed';
  return isHere || (status !== undefined && isReached(status)) ? 'open' : 'ahead';
}
