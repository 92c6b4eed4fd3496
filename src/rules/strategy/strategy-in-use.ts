import { creationOf, type Deletion } from '../../engine/change.js';
import { kubectl } from '../wording/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { judgeBy } from '../../engine/judgement.js';
import { modesAsShipped } from '../../engine/policy.js';
import { defineRule, type Context, type Violation } from '../../engine/rule.js';
import { sameJson } from '../../fleet/json.js';
import type { UpdateRun } from '../../fleet/model.js';
import { isInitialized, isOver } from '../../fleet/run.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { asKubeFleetReads, strategyRules } from '../run/run-strategy-valid.js';
import { quoted } from '../../fleet/quoted.js';

/** The hub agent initializes a run within seconds; one that takes longer hangs, and may hang on its strategy. */
const initializedWithinMilliseconds = 60_000;

const path = [] as const;

export default defineRule({
  id: 'strategy-in-use',
  title: 'No strategy is deleted from under a run that is starting',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['UPDATE', 'DELETE'] }],
  reads: ['UpdateRun'],
  judges: 'write',
  why:
    'KubeFleet reads the strategy of a run once, when it initializes the run, and fails the run for good where the ' +
    'strategy is not there. From then on the run goes by its own copy, and edits no longer reach it.',
  fix: 'Wait until the run is initialized.',

  *check(change, context) {
    const { facts } = context;
    if (change.operation === 'DELETE') {
      const runs = facts.list('UpdateRun', { strategy: change.name }).filter((run) => !isOver(run));
      yield* deletionProblems(change, runs, context);
      yield* untouched(runs, 'deleting this strategy does not touch');
    } else if (!sameJson(change.object.spec, change.oldObject.spec)) {
      // An edit is never refused: it may be the cure of a run that hangs. So the runs that are known will do.
      const runs = facts.some('UpdateRun', { strategy: change.name }).filter((run) => !isOver(run));
      yield* untouched(runs, 'this edit does not reach');
    }
  },
});

function* deletionProblems(
  change: Deletion<'UpdateStrategy'>,
  runs: readonly UpdateRun[],
  context: Context,
): Iterable<Violation> {
  // Runs of a strategy that cannot be run are lost anyway.
  if (!isSound(change, context)) return;
  for (const run of runs.filter((each) => !isInitialized(each))) {
    const { name, namespace, creationTimestamp } = run.metadata;
    const isYoung = context.now - Date.parse(creationTimestamp ?? '') < initializedWithinMilliseconds;
    yield {
      path,
      message: `run ${quoted(name)} is not initialized yet and needs this strategy for it; without it, the run would fail for good`,
      fix: fixWith(
        'Delete the strategy when the run is initialized, or delete the run first.',
        kubectl('wait', { family: 'UpdateRun', name, namespace }, '--for=condition=Initialized', '--timeout=60s'),
      ),
      ...(isYoung ? { settling: `initialization of ${namespace ?? ''}/${name}` } : { atMost: 'warn' }),
    };
  }
}

/** Whether KubeFleet can run the strategy, whatever modes are set for whoever writes one. */
function isSound(change: Deletion<'UpdateStrategy'>, context: Context): boolean {
  if (isOversize(change.oldObject.spec)) return false;
  const { family, name, namespace, user, dryRun } = change;
  const strategy = asKubeFleetReads(change.oldObject);
  const creation = creationOf({ family, name, namespace, user, dryRun }, strategy);
  const policy = { ...context.policy, ...modesAsShipped };
  return judgeBy(strategyRules, creation, { ...context, policy }).every(({ violations, failure }) => {
    if (failure !== undefined) throw failure.error;
    return violations.every(({ atMost }) => atMost !== undefined);
  });
}

function* untouched(runs: readonly UpdateRun[], what: string): Iterable<Violation> {
  const names = runs.filter(isInitialized).map(({ metadata }) => metadata.name);
  if (names.length === 0) return;
  const [noun, rest] =
    names.length === 1 ? ['run', 'it keeps the stages it was'] : ['runs', 'they keep the stages they were'];
  yield {
    path,
    message: `${what} ${noun} ${quoteList(names)}: ${rest} initialized with`,
    fix: 'To roll out by other stages, create a new run.',
    atMost: 'warn',
  };
}
