import type { Condition, Stored } from './hub-objects.js';

/** An approval request as the controller reads it. */
export interface Approval extends Stored {
  readonly spec: { readonly parentStageRollout: string; readonly targetStage: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * What becomes of a gate when its run looks at the request: the run is aborted, waits on, accepts the approval or goes
 * through because it was accepted before.
 */
export type Outcome = 'abort' | 'wait' | 'accept' | 'pass';

/** KubeFleet updaterun/execution.go handleStageApprovalTask: the whole test that a request has to stand. */
export function handleStageApprovalTask(
  { metadata, spec, status }: Approval,
  { run, stage }: { readonly run: string; readonly stage: string },
): Outcome {
  if (spec.targetStage !== stage || spec.parentStageRollout !== run) return 'abort';
  const holds = (wanted: string): boolean => {
    const condition = status?.conditions?.find(({ type }) => type === wanted);
    return isConditionStatusTrue(condition, metadata.generation);
  };
  if (holds('ApprovalAccepted')) return 'pass';
  return holds('Approved') ? 'accept' : 'wait';
}

/** KubeFleet utils/condition/condition.go IsConditionStatusTrue; a generation that is absent is 0 in Go. */
function isConditionStatusTrue(condition: Condition | undefined, latestGeneration: number): boolean {
  return condition?.status === 'True' && (condition.observedGeneration ?? 0) === latestGeneration;
}
