import { fixWith } from '../engine/message.js';
import { readDuration } from '../fleet/duration.js';
import { conditionOf, type UpdateRun, type UpdateStrategy } from '../fleet/model.js';
import { formatPath } from '../fleet/path.js';
import { quoted, quotedSentence } from '../fleet/quoted.js';
import { isTakenUp, longestUntilTakenUp } from '../fleet/run.js';
import { kubectl } from '../rules/wording/commands.js';
import { ageOf, ageText } from './ages.js';
import { asCreated, type ByRules } from './by-rules.js';
import type { Cause } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { look, type Scene } from './scene.js';
import { again, describeRunCommand, ofStored, rightedAndAgain } from './ways-out.js';

/** KubeFleet's words for what went wrong (updaterun/initialization.go), and the rule that says the same. */
const rulesByMessage: readonly (readonly [RegExp, string])[] = [
  [/parent placement not found/, 'run-placement-exists'],
  [/does not have an external rollout strategy/, 'run-placement-external'],
  [/not fully scheduled|policy snapshots? (?:found|index)|cluster count annotation/, 'run-placement-scheduled'],
  [/scheduled or to-be-deleted bindings|number of selected bindings/, 'run-has-clusters'],
  [/referenced updateStrategy not found/, 'run-strategy-exists'],
  [/stage tasks are invalid|label selector is invalid/, 'run-strategy-valid'],
  [/appears in more than one stage/, 'run-cluster-in-one-stage'],
  [/not placed in any stage/, 'run-cluster-in-some-stage'],
  [/sorting label/, 'run-sorting-label'],
  [/invalid resource snapshot index/, 'run-snapshot-index'],
  [/resourceSnapshots with index|master resourceSnapshot/, 'run-snapshot-exists'],
  [/is not allowed to propagate|resource selector|scheme/i, 'run-placement-selectors'],
];

export function ruleFor(message = ''): string | undefined {
  return rulesByMessage.find(([pattern]) => pattern.test(message))?.[1];
}

/** Why a run failed when it was initialized: the finding that would have refused it, with KubeFleet's own word for it. */
export function initializationFailure(scene: Scene): ByRules {
  const { run } = scene;
  const condition = conditionOf(run.status.conditions, 'Initialized');
  const { causes, unseen } = asCreated(run, scene);
  const told = condition === undefined ? [] : [conditionEvidence(run, condition)];
  const rule = ruleFor(condition?.message);
  const hidden = rule === 'run-strategy-exists' ? poisoned(scene) : [];
  const righted = causes.map((cause) => ({ ...cause, fix: rightedAndAgain(scene, cause) }));
  // What KubeFleet named comes first: the rest has come since, or it never got to it.
  const ordered = [
    ...righted.filter((cause) => cause.rule === rule),
    ...hidden,
    ...righted.filter((cause) => cause.rule !== rule),
  ];
  const withWord = ordered.map((cause, at) =>
    at === 0 ? { ...cause, evidence: [...told, ...cause.evidence] } : cause,
  );
  if (withWord.length > 0) return { causes: withWord, unseen };
  return { causes: [unseen.length > 0 ? inItsWords(scene, told) : since(scene, told)], unseen };
}

/** What would have said more could not be read. */
function inItsWords(scene: Scene, evidence: Cause['evidence']): Cause {
  const { message = '' } = conditionOf(scene.run.status.conditions, 'Initialized') ?? {};
  return {
    what: message === '' ? 'KubeFleet does not say why' : `KubeFleet says: ${quotedSentence(message)}`,
    evidence,
    fix: again(scene, 'Correct what KubeFleet names'),
  };
}

/** Nothing is wrong with it now. */
function since(scene: Scene, evidence: Cause['evidence']): Cause {
  return {
    what: 'what KubeFleet names was in the way when the run was initialized, and is not any more',
    evidence,
    fix: again(scene, ''),
  };
}

/** Why a run has no status at all. */
export function silence(scene: Scene): ByRules {
  const { run, now } = scene;
  if (!isTakenUp(run)) return { causes: [notTakenUp(run, now)], unseen: [] };
  const { causes, unseen } = asCreated(run, scene);
  const stored = causes.map((cause) => ({ ...cause, fix: ofStored(cause.fix) }));
  return { causes: [...stored, ...poisoned(scene), ...(causes.length === 0 ? [stillTrying(run, now)] : [])], unseen };
}

/** Whether a run has waited for its status for longer than KubeFleet takes when all is well. */
export function isLate({ metadata }: UpdateRun, now: number): boolean {
  return (ageOf(metadata.creationTimestamp, now) ?? Infinity) > longestUntilTakenUp;
}

function notTakenUp(run: UpdateRun, now: number): Cause {
  const age = ageText(run.metadata.creationTimestamp, now);
  const created = age === undefined ? 'a while ago' : `${age} ago`;
  const evidence = [evidenceOf(run, 'metadata.finalizers', 'none'), evidenceOf(run, 'status', 'none')];
  if (!isLate(run, now)) {
    return { what: `the run was created ${created}, and KubeFleet has not taken it up yet`, evidence, fix: '' };
  }
  return {
    what: `the run was created ${created}, and no hub agent has taken it up: it is down, or runs without its controllers for staged runs`,
    evidence,
    fix: fixWith(
      'See that the hub agent runs and was installed with enableStagedUpdateRunAPIs=true; it takes the run up by itself then.',
      'kubectl get pods -n fleet-system',
    ),
  };
}

/** The hub agent has seen the run, and could not write what came of it. */
function stillTrying(run: UpdateRun, now: number): Cause {
  const age = ageText(run.metadata.creationTimestamp, now) ?? 'a while';
  return {
    what: `KubeFleet took the run up ${age} ago and has written no status; it tries again by itself`,
    evidence: [evidenceOf(run, 'status', 'none')],
    fix: fixWith('Look for errors of this run in the log of the hub agent.', describeRunCommand(run)),
  };
}

/** One strategy with a wait that Go cannot hold keeps every new strategy of the scope from being read (F23). */
function poisoned({ run, facts }: Scene): readonly Cause[] {
  const seen = look(() => facts.list('UpdateStrategy'));
  if (seen.is === 'unseen') return [];
  const others = seen.value.filter(({ metadata }) => metadata.name !== run.spec.stagedRolloutStrategyName);
  return others.flatMap((strategy) => firstUnreadable(strategy) ?? []).slice(0, 3);
}

function firstUnreadable(strategy: UpdateStrategy): Cause | undefined {
  for (const [stage, { afterStageTasks }] of strategy.spec.stages.entries()) {
    const task = afterStageTasks.findIndex(({ waitTime = '0' }) => readDuration(waitTime).is !== 'read');
    const waitTime = afterStageTasks[task]?.waitTime;
    if (waitTime === undefined) continue;
    const { name, namespace } = strategy.metadata;
    return {
      what: `strategy ${quoted(name)} holds a wait that KubeFleet cannot read, ${quoted(waitTime)}; it keeps all runs of this scope from finding any newer strategy`,
      evidence: [
        evidenceOf(
          strategy,
          formatPath(['spec', 'stages', stage, 'afterStageTasks', task, 'waitTime']),
          quoted(waitTime),
        ),
      ],
      fix: fixWith(
        `Correct the wait of strategy ${quoted(name)}, or delete the strategy; then create a new run.`,
        kubectl('delete', { family: 'UpdateStrategy', name, namespace }),
      ),
    };
  }
  return undefined;
}
