import { defineRule, type Violation } from '../../engine/rule.js';
import type { Stage, StageTask } from '../../fleet/model.js';
import type { Path } from '../../fleet/path.js';

export default defineRule({
  id: 'strategy-tasks-valid',
  title: 'The tasks of a stage are ones that KubeFleet runs',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'KubeFleet fails every run of a strategy whose stage has two tasks of one type, a timed wait before the stage, or a timed wait without a time.',
  fix: 'Keep at most one Approval before a stage, and at most one Approval and one TimedWait with a waitTime after it.',

  *check({ object: { spec } }) {
    for (const [index, stage] of spec.stages.entries()) {
      for (const side of ['before', 'after'] as const) yield* tasksOf(stage, side, ['spec', 'stages', index]);
    }
  },
});

type Side = 'before' | 'after';

/** There is one task of each type on a side, so that a list which is too long always shows as a second of its type. */
function* tasksOf(stage: Stage, side: Side, of: Path): Iterable<Violation> {
  const field = `${side}StageTasks` as const;
  const seen = new Set<string>();
  for (const [index, task] of stage[field].entries()) {
    const path = [...of, field, index];
    const where = `${side} stage "${stage.name}"`;
    if (seen.has(task.type)) {
      yield {
        path,
        message: `there are two ${task.type} tasks ${where}; there can be one`,
        fix: `Keep one ${task.type} task.`,
      };
      continue;
    }
    seen.add(task.type);
    yield* typeFault(task, side, { path: [...path, 'type'], where });
    yield* timeFault(task, side, { path: [...path, 'waitTime'], where });
  }
}

interface Place {
  readonly path: Path;
  readonly where: string;
}

function* typeFault({ type }: StageTask, side: Side, { path, where }: Place): Iterable<Violation> {
  if (type === 'Approval' || (type === 'TimedWait' && side === 'after')) return;
  if (type === 'TimedWait') {
    const message = `a TimedWait cannot stand ${where}, only an Approval can`;
    yield { path, message, fix: 'Move the TimedWait to afterStageTasks of the stage before, or remove it.' };
    return;
  }
  const known = side === 'before' ? 'Approval' : 'TimedWait or Approval';
  const message = type === '' ? `a task ${where} has no type` : `a task ${where} is of the unknown type "${type}"`;
  yield { path, message, fix: `Set the type to ${known}.` };
}

function* timeFault({ type, waitTime }: StageTask, side: Side, { path, where }: Place): Iterable<Violation> {
  if (type === 'Approval' && waitTime !== undefined) {
    yield {
      path,
      message: `the Approval ${where} has a waitTime, "${waitTime}"; an Approval waits for a person, not for a time`,
      fix: 'Remove the waitTime, or set the type to TimedWait.',
    };
  }
  if (type === 'TimedWait' && side === 'after' && waitTime === undefined) {
    yield {
      path,
      message: `the TimedWait ${where} has no waitTime`,
      fix: 'Set a waitTime, for example waitTime: 1h.',
    };
  }
}
