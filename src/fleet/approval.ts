import { conditionOf, type ApprovalRequest, type Stage, type TaskStatus, type UpdateRun } from './model.js';

/** One gate of a stage and the name of the request that opens it. */
export interface Gate {
  readonly run: string;
  readonly stage: string;
  readonly moment: 'before' | 'after';
  readonly approvalName: string;
}

/** The approval requests that the controller will make for a run (apis/placement/v1beta1/commons.go). */
export function approvalGatesOf(run: string, stages: readonly Stage[]): readonly Gate[] {
  return stages.flatMap(({ name: stage, beforeStageTasks, afterStageTasks }) => [
    ...(hasApproval(beforeStageTasks) ? [gate(run, 'before', stage)] : []),
    ...(hasApproval(afterStageTasks) ? [gate(run, 'after', stage)] : []),
  ]);
}

function gate(run: string, moment: Gate['moment'], stage: string): Gate {
  return { run, stage, moment, approvalName: `${run}-${moment}-${stage}` };
}

function hasApproval(tasks: Stage['beforeStageTasks']): boolean {
  return tasks.some(({ type }) => type === 'Approval');
}

/** A stage has no hyphen in its name, a run may have. */
export const gateName = /^(.+)-(before|after)-([a-z0-9]+)$/;

/** The gate that a request opens by its name alone. */
export function gateNamed(approvalName: string): Gate | undefined {
  const [, run, moment, stage] = gateName.exec(approvalName) ?? [];
  if (run === undefined || stage === undefined) return undefined;
  return gate(run, moment === 'before' ? 'before' : 'after', stage);
}

/** The gate that a request opens: KubeFleet finds it by its name, and aborts the run if its target is another. */
export function gateOf({ metadata, spec }: ApprovalRequest): Gate | undefined {
  const named = gateNamed(metadata.name);
  return named?.run === spec.parentStageRollout && named.stage === spec.targetStage ? named : undefined;
}

/** What a run has noted of a gate; undefined where it has no such gate. */
export function taskOf(
  { status }: UpdateRun,
  { stage, moment }: Pick<Gate, 'stage' | 'moment'>,
): TaskStatus | undefined {
  const found = status.stagesStatus?.find(({ stageName }) => stageName === stage);
  return found?.[`${moment}StageTaskStatus`].find(({ type }) => type === 'Approval');
}

/** Whether a run has got to a gate, and whether it has gone through it. */
export function isReached(task: TaskStatus): boolean {
  return task.conditions.some(({ status }) => status === 'True');
}

export function isPassed(task: TaskStatus): boolean {
  return conditionOf(task.conditions, 'ApprovalRequestApproved')?.status === 'True';
}

/** Whether the controller takes a request for approved (updaterun/execution.go handleStageApprovalTask). */
export function isGranted(approval: ApprovalRequest): boolean {
  return isApproved(approval) || isAccepted(approval);
}

/** Whether a request has an approval that the controller takes note of when it looks. */
export function isApproved(approval: ApprovalRequest): boolean {
  return holds(approval, 'Approved');
}

/** Whether the controller has taken note of an approval, for good. */
export function isAccepted(approval: ApprovalRequest): boolean {
  return holds(approval, 'ApprovalAccepted');
}

function holds({ metadata, status }: ApprovalRequest, type: string): boolean {
  const condition = conditionOf(status.conditions, type);
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
}
