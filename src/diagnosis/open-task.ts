import { conditionOf, type StageStatus, type TaskStatus, type UpdateRun } from '../fleet/model.js';
import type { Cause, Health, State } from './diagnosis.js';

export interface Gate {
  readonly stage: StageStatus;
  readonly moment: 'before' | 'after';
  readonly task: TaskStatus;
}

/** What one open task of a stage waits for. */
export interface Waiting {
  readonly state: Extract<State, `waiting${string}`>;
  readonly health: Health;
  readonly cause: Cause;
  readonly unseen?: string;
  /** Somebody has approved it, heard or not. */
  readonly isAnswered?: boolean;
}

/** The stage that a run has reached and not passed. */
export function stageUnderWay({ status }: UpdateRun): StageStatus | undefined {
  return status.stagesStatus?.find(
    ({ conditions }) => conditions.length > 0 && conditionOf(conditions, 'Succeeded')?.status !== 'True',
  );
}

export function isOpen({ conditions }: TaskStatus): boolean {
  return !['ApprovalRequestApproved', 'WaitTimeElapsed'].some(
    (type) => conditionOf(conditions, type)?.status === 'True',
  );
}

/** Since when a task holds the run up: KubeFleet makes the request in that moment, and a wait begins with the stage's own. */
export function sinceOf({ stage, task }: Gate): string | undefined {
  const created = conditionOf(task.conditions, 'ApprovalRequestCreated')?.lastTransitionTime;
  return created ?? conditionOf(stage.conditions, 'Progressing')?.lastTransitionTime;
}
