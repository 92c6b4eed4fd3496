import { approvalWait } from './approval-wait.js';
import { isOpen, stageUnderWay, type Gate, type Waiting } from './open-task.js';
import type { Scene } from './scene.js';
import { timedWait } from './timed-wait.js';

/** The tasks that a run stands before, first what is wrong, then what people have to do. */
export function waitsOf(scene: Scene): readonly Waiting[] {
  const stage = stageUnderWay(scene.run);
  if (stage === undefined) return [];
  const before = stage.beforeStageTaskStatus.filter(isOpen);
  const moment = before.length > 0 ? 'before' : 'after';
  const open = before.length > 0 ? before : stage.afterStageTaskStatus.filter(isOpen);
  const waits = open.map((task) => {
    const at: Gate = { stage, moment, task };
    return task.type === 'Approval' ? approvalWait(at, scene) : timedWait(at, scene);
  });
  return waits.sort((one, other) => rank(one) - rank(other));
}

function rank({ health, state }: Waiting): number {
  return (health === 'wrong' ? 0 : 2) + (state === 'waiting for an approval' ? 0 : 1);
}
