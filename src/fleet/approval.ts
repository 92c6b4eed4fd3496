import { conditionOf, type ApprovalRequest, type Stage } from './model.js';

/** One gate of a stage and the name of the request that opens it. */
export interface Gate {
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
  return { stage, moment, approvalName: `${run}-${moment}-${stage}` };
}

function hasApproval(tasks: Stage['beforeStageTasks']): boolean {
  return tasks.some(({ type }) => type === 'Approval');
}

/** Whether the controller takes a request for approved (updaterun/execution.go handleStageApprovalTask). */
export function isGranted({ metadata, status }: ApprovalRequest): boolean {
  return ['Approved', 'ApprovalAccepted'].some((type) => {
    const condition = conditionOf(status.conditions, type);
    return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
  });
}
