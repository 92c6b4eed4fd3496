import { creationOf, type Creation } from '../../engine/change.js';
import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { judgeBy, type Judgement } from '../../engine/judgement.js';
import { modeOf } from '../../engine/policy.js';
import {
  defineRule,
  severityRank,
  softer,
  type Context,
  type Rule,
  type Severity,
  type Violation,
} from '../../engine/rule.js';
import type { Stage, StageTask, StrategySpec, UpdateStrategy } from '../../fleet/model.js';
import { formatPath } from '../../fleet/path.js';
import { isOversize } from '../../fleet/strategy-size.js';
import maxConcurrency from '../strategy/strategy-max-concurrency.js';
import selectorValid from '../strategy/strategy-selector-valid.js';
import size from '../strategy/strategy-size.js';
import namesUnique from '../strategy/strategy-stage-names-unique.js';
import stagesPresent from '../strategy/strategy-stages-present.js';
import tasksValid from '../strategy/strategy-tasks-valid.js';
import waitTime from '../strategy/strategy-wait-time.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

/** What makes a run fail whatever its clusters are. Overlapping stages are judged by the clusters that a run really has. */
export const strategyRules = [size, stagesPresent, selectorValid, tasksValid, waitTime, maxConcurrency];

export default defineRule({
  id: 'run-strategy-valid',
  title: 'The strategy of a run is one that KubeFleet can run',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-strategy-exists'],
  reads: ['UpdateStrategy'],
  why:
    'The API accepts strategies that KubeFleet cannot run, and some were stored before this guard was installed. A run ' +
    'of such a strategy fails for good, never gets a status, or passes a gate that nobody has opened.',
  fix: 'Correct the strategy, then create the run.',

  *check(change, context) {
    const name = change.object.spec.stagedRolloutStrategyName;
    const stored = name === '' ? undefined : context.facts.get('UpdateStrategy', name);
    if (stored === undefined) return;
    // What is too large is not even copied.
    const object = isOversize(stored.spec) ? stored : asKubeFleetReads(stored);
    // As if whoever sends the run had just written it.
    const { namespace, user, dryRun } = change;
    const creation = creationOf({ family: 'UpdateStrategy', name, namespace, user, dryRun }, object);
    for (const problem of problemsOf(creation, context)) yield onRun(problem, stored);
  },
});

/** KubeFleet updaterun/controller.go removeWaitTimeFromUpdateRunStatus: the waitTime of an Approval is dropped, not judged. */
export function asKubeFleetReads(strategy: UpdateStrategy): UpdateStrategy {
  const read = (task: StageTask): StageTask => (task.type === 'Approval' ? { type: task.type } : task);
  const stages = strategy.spec.stages.map((stage) => ({
    ...stage,
    beforeStageTasks: stage.beforeStageTasks.map(read),
    afterStageTasks: stage.afterStageTasks.map(read),
  }));
  return { ...strategy, spec: { stages } };
}

/** The problems of a strategy, in the modes that the operator has set for strategies. */
function* problemsOf(creation: Creation<'UpdateStrategy'>, context: Context): Iterable<Violation> {
  // What refuses first: of very many problems only the first are told.
  const judged = [...judgeBy(strategyRules, creation, context)].sort(byRank);
  for (const { rule, mode, violations, failure } of judged) {
    if (failure !== undefined) throw failure.error;
    yield* inMode(mode, rule, violations);
  }
  const mode = modeOf(context.policy, namesUnique, creation.namespace);
  if (mode !== 'off') yield* inMode(mode, namesUnique, sameNames(creation.object.spec));
}

function byRank(a: Judgement, b: Judgement): number {
  return severityRank[a.mode] - severityRank[b.mode];
}

function* inMode(mode: Severity, { fix }: Rule, problems: Iterable<Violation>): Iterable<Violation> {
  for (const problem of problems) {
    const severity = softer(mode, problem.atMost ?? mode);
    yield { fix, ...problem, ...(severity !== 'deny' && { atMost: severity }) };
  }
}

/**
 * An approval request is named after run and stage, so that stages of one name share it: one approval opens both gates.
 * Without a gate the run does what it should, and the name is only a nuisance.
 */
function* sameNames(spec: StrategySpec): Iterable<Violation> {
  if (isOversize(spec)) return;
  const { stages } = spec;
  for (const [index, stage] of stages.entries()) {
    const namesakes = stages.slice(0, index).filter(({ name }) => name === stage.name);
    const [first] = namesakes;
    if (first === undefined) continue;
    const other = namesakes.find((namesake) => shareGate(namesake, stage));
    const place = `spec.stages[${String(stages.indexOf(other ?? first))}]`;
    yield {
      path: ['spec', 'stages', index, 'name'],
      message: `${place} is called ${quoted(stage.name)} as well${other ? ', and one approval opens the gates of both' : ''}`,
      ...(other === undefined && { atMost: 'warn' }),
    };
  }
}

function shareGate(a: Stage, b: Stage): boolean {
  const isGate = ({ type }: StageTask): boolean => type === 'Approval';
  const isBefore = a.beforeStageTasks.some(isGate) && b.beforeStageTasks.some(isGate);
  return isBefore || (a.afterStageTasks.some(isGate) && b.afterStageTasks.some(isGate));
}

/** A problem of a strategy, as it is told of a run. */
function onRun({ path, message, fix = '', ...rest }: Violation, { kind, metadata }: UpdateStrategy): Violation {
  const { name, namespace } = metadata;
  const [sentence = '', ...lines] = fix.split('\n');
  const edit = kubectl('edit', { family: 'UpdateStrategy', name, namespace });
  return {
    ...rest,
    path: ['spec', 'stagedRolloutStrategyName'],
    message: `${kind} ${quoted(name)} has an error in ${formatPath(path)}: ${message}`,
    fix: fixWith(
      `Correct the strategy, then try again. ${sentence}`,
      edit,
      // What is for the editor is not for the shell.
      ...lines.map((line) => `# ${line}`),
    ),
  };
}
