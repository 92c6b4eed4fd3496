import type { Creation } from '../../engine/change.js';
import { kubectl } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { modeOf } from '../../engine/policy.js';
import { defineRule, type Context, type Violation } from '../../engine/rule.js';
import { storageVersion } from '../../fleet/kinds.js';
import type { Stage, StageTask, UpdateStrategy } from '../../fleet/model.js';
import { formatPath } from '../../fleet/path.js';
import { mostStages } from '../../fleet/separate.js';
import maxConcurrency from '../strategy/strategy-max-concurrency.js';
import selectorValid from '../strategy/strategy-selector-valid.js';
import namesUnique from '../strategy/strategy-stage-names-unique.js';
import stagesPresent from '../strategy/strategy-stages-present.js';
import tasksValid from '../strategy/strategy-tasks-valid.js';
import waitTime from '../strategy/strategy-wait-time.js';

/** What makes a run fail whatever its clusters are. Overlapping stages are judged by the clusters that a run really has. */
export const strategyRules = [stagesPresent, selectorValid, tasksValid, waitTime, maxConcurrency];

export default defineRule({
  id: 'run-strategy-valid',
  title: 'The strategy of a run is one that KubeFleet can run',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-strategy-exists'],
  reads: ['UpdateStrategy'],
  why:
    'The API takes strategies that KubeFleet cannot run, and some are older than this guard. A run of such a strategy ' +
    'fails for good, never gets a status, or passes a gate that nobody has opened.',
  fix: 'Mend the strategy, then create the run.',

  *check(change, context) {
    const name = change.object.spec.stagedRolloutStrategyName;
    const stored = name === '' ? undefined : context.facts.get('UpdateStrategy', name);
    if (stored === undefined) return;
    const object = asKubeFleetReads(stored);
    const creation = { ...change, family: 'UpdateStrategy', name, object, requestVersion: storageVersion } as const;
    for (const fault of faultsOf(creation, context)) yield onRun(fault, stored);
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

/** The faults of a strategy, in the modes that the operator has set for strategies. */
function* faultsOf(creation: Creation<'UpdateStrategy'>, context: Context): Iterable<Violation> {
  for (const rule of [...strategyRules, namesUnique]) {
    const mode = modeOf(context.policy, rule, creation.namespace);
    if (mode === 'off') continue;
    const faults =
      rule === namesUnique
        ? sameNames(creation.object.spec.stages.slice(0, mostStages))
        : rule.check(creation, context);
    for (const fault of faults) yield { fix: rule.fix, ...fault, ...(mode === 'warn' && { atMost: mode }) };
  }
}

/**
 * An approval request is named after run and stage, so that stages of one name share it: one approval opens both gates.
 * Without a gate the run does what it should, and the name is only a nuisance.
 */
function* sameNames(stages: readonly Stage[]): Iterable<Violation> {
  for (const [index, stage] of stages.entries()) {
    const namesakes = stages.slice(0, index).filter(({ name }) => name === stage.name);
    const [first] = namesakes;
    if (first === undefined) continue;
    const other = namesakes.find((namesake) => shareGate(namesake, stage));
    const place = `spec.stages[${String(stages.indexOf(other ?? first))}]`;
    yield {
      path: ['spec', 'stages', index, 'name'],
      message: `${place} is called "${stage.name}" as well${other ? ', and one approval opens the gates of both' : ''}`,
      ...(other === undefined && { atMost: 'warn' }),
    };
  }
}

function shareGate(a: Stage, b: Stage): boolean {
  const isGate = ({ type }: StageTask): boolean => type === 'Approval';
  const isBefore = a.beforeStageTasks.some(isGate) && b.beforeStageTasks.some(isGate);
  return isBefore || (a.afterStageTasks.some(isGate) && b.afterStageTasks.some(isGate));
}

/** A fault of a strategy, as it is told of a run. */
function onRun({ path, message, fix = '', ...rest }: Violation, { kind, metadata }: UpdateStrategy): Violation {
  const { name, namespace } = metadata;
  const [sentence = '', ...lines] = fix.split('\n');
  return {
    ...rest,
    path: ['spec', 'stagedRolloutStrategyName'],
    message: `${kind} "${name}" has a fault in ${formatPath(path)}: ${message}`,
    fix: fixWith(
      `Mend the strategy, then apply this run again. ${sentence}`,
      kubectl('edit', { family: 'UpdateStrategy', name, namespace }),
      ...lines,
    ),
  };
}
