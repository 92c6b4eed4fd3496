import { approvalWait } from './approval-wait.js';
import { isOpen, stageUnderWay, type Gate, type Waiting } from './open-task.js';
import type { Scene } from './scene.js';
import { timedWait } from './timed-wait.js';

/** The tasks that a run stands before, in the order of the stage. */
export function waitsOf(scene: Scene): readonly Waiting[] {
  const stage = stageUnderWay(scene.run);
  if (stage === undefined) return [];
  const before = stage.beforeStageTaskStatus.filter(isOpen);
  const moment = before.length > 0 ? 'before' : 'after';
  const open = before.length > 0 ? before : stage.afterStageTaskStatus.filter(isOpen);
  return open.map((task) => {
    const at: Gate = { stage, moment, task };
    return task.type === 'Approval' ? approvalWait(at, scene) : timedWait(at, scene);
  });
}
