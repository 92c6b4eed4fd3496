import { defineRule, type Violation } from '../../engine/rule.js';
import { all, everyStage } from '../stage-floor.js';
import type { Stage, StageTask } from '../../fleet/model.js';
import { sameJson } from '../../fleet/json.js';
import type { Path } from '../../fleet/path.js';
import { likelyMeant, nearest } from '../../fleet/nearest.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { plain, quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'strategy-tasks-valid',
  title: 'The tasks of a stage are ones that KubeFleet runs',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'KubeFleet fails every run of a strategy with two tasks of the same type on one side of a stage, a timed wait before a stage, or a timed wait without a time.',
  fix: 'Keep at most one Approval before a stage, and at most one Approval and one TimedWait with a waitTime after it.',

  floor: everyStage(
    [
      all('s', 'beforeStageTasks', ['t', "t.type == 'Approval' && !has(t.waitTime)"]),
      '(!has(s.beforeStageTasks) || size(s.beforeStageTasks) <= 1)',
      all('s', 'afterStageTasks', [
        't',
        "(t.type == 'Approval' && !has(t.waitTime)) || (t.type == 'TimedWait' && has(t.waitTime))",
      ]),
      '(!has(s.afterStageTasks) || s.afterStageTasks.all(t, s.afterStageTasks.exists_one(u, u.type == t.type)))',
    ].join(' && '),
    'its tasks are not ones that KubeFleet runs. Keep at most one Approval before the stage, and at most one Approval and one TimedWait with a waitTime after it.',
  ),

  *check({ object: { spec } }) {
    if (isOversize(spec)) return;
    for (const [index, stage] of spec.stages.entries()) {
      for (const side of ['before', 'after'] as const) yield* tasksOf(stage, side, ['spec', 'stages', index]);
    }
  },
});

type Side = 'before' | 'after';

/** There is one task of each type on a side, so that a list which is too long always shows as a second of its type. */
function* tasksOf(stage: Stage, side: Side, of: Path): Iterable<Violation> {
  const field = `${side}StageTasks` as const;
  const seen = new Map<string, StageTask>();
  for (const [index, task] of stage[field].entries()) {
    const twin = seen.get(task.type);
    if (twin === undefined && isSound(task, side)) {
      seen.set(task.type, task);
      continue;
    }
    const path = [...of, field, index];
    const where = `${side} stage ${quoted(stage.name)}`;
    if (twin !== undefined) {
      yield {
        path,
        ...(sameJson(twin, task) && { edit: { of: 'item', copies: [] } as const }),
        message: `there are two ${plain(task.type)} tasks ${where}, but KubeFleet allows only one`,
        fix: `Remove one of the two ${plain(task.type)} tasks.`,
      };
      continue;
    }
    seen.set(task.type, task);
    yield* typeProblem(task, side, { path: [...path, 'type'], where });
    yield* timeProblem(task, side, { path: [...path, 'waitTime'], where });
  }
}

/** Most tasks are: nothing is said of them, and nothing is put together for it. */
function isSound({ type, waitTime }: StageTask, side: Side): boolean {
  return type === 'Approval'
    ? waitTime === undefined
    : type === 'TimedWait' && side === 'after' && waitTime !== undefined;
}

interface Place {
  readonly path: Path;
  readonly where: string;
}

function* typeProblem({ type }: StageTask, side: Side, { path, where }: Place): Iterable<Violation> {
  if (type === 'Approval' || (type === 'TimedWait' && side === 'after')) return;
  if (type === 'TimedWait') {
    const message = `there is a TimedWait ${where}, but KubeFleet allows only an Approval there`;
    yield { path, message, fix: 'Move the TimedWait to the afterStageTasks of the previous stage, or remove it.' };
    return;
  }
  const known = side === 'before' ? ['Approval'] : ['TimedWait', 'Approval'];
  const message =
    type === '' ? `a task ${where} has no type` : `a task ${where} is of the unknown type ${quoted(type)}`;
  const meant = nearest(type, known) ?? likelyMeant(type, known);
  yield { path, message, fix: meant === undefined ? `Set the type to ${known.join(' or ')}.` : `Write type: ${meant}` };
}

function* timeProblem({ type, waitTime }: StageTask, side: Side, { path, where }: Place): Iterable<Violation> {
  if (type === 'Approval' && waitTime !== undefined) {
    yield {
      path,
      message: `the Approval ${where} has waitTime ${quoted(waitTime)}, but an Approval waits for a person, not for a time`,
      fix: 'Remove the waitTime, or change the type to TimedWait.',
    };
  }
  if (type === 'TimedWait' && side === 'after' && waitTime === undefined) {
    yield {
      path,
      message: `the TimedWait ${where} has no waitTime`,
      fix: 'Set how long to wait, for example waitTime: 1h.',
    };
  }
}
