import { conditionOf, type Condition, type UpdateRun } from '../fleet/model.js';
import { quoted, quotedSentence } from '../fleet/quoted.js';
import { kubectl } from '../rules/wording/commands.js';
import { asCreated, asStarted, type ByRules } from './by-rules.js';
import type { Cause, Evidence, Told } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { ruleFor } from './initialization.js';
import { bindingFor, look, writerOf, type Scene } from './scene.js';
import { applyStrategy, clusterCount, notExternal, placementGone, policy } from './placement-edits.js';
import { again, describePlacement, seeOther } from './ways-out.js';

type Reader = readonly [RegExp, (words: readonly string[], scene: Scene) => Told];

/** KubeFleet's words as it writes them (updaterun/validation.go, updaterun/execution.go); older ones stand beside them. */
const readers: readonly Reader[] = [
  [/binding of the updating cluster `([^`]+)` in the stage `([^`]+)`/, preempted],
  [/updating cluster `([^`]+)` in the stage `([^`]+)` does not (?:have expected status|match)/, preempted],
  [/cluster `([^`]+)` in the stage (\S+) has failed/, preempted],
  [/parent placement not found/, placementGone],
  [/does not have an external rollout strategy, current strategy: (\S+)/, notExternal],
  [/applyStrategy in the (?:\w+) is outdated/i, applyStrategy],
  [/policy snapshot index used in the (?:\w+) is outdated, latest: (\S+), recorded: (\S+)/, policy],
  [/cluster count initialized in the (?:\w+) is outdated, latest: (\d+), recorded: (\d+)/, clusterCount],
  [/number of clusters in index `?(\d+)`? stage has changed, new: (\d+), existing: (\d+)/, stageSize],
  [/the `(\d+)`? cluster in the `?(\d+)`? stage has changed, new: (\S+), existing: (\S+)/, stageOrder],
  [/cluster `([^`]+)` to be deleted is not in the delete stage/, removal],
  [/binding for cluster `([^`]+)` in stage `([^`]+)` is not found/, unbound],
  [
    /(?:deleted|deleting) cluster `([^`]+)` in the delet|the cluster `([^`]+)` in the deleting stage|to be deleted cluster `([^`]+)`/,
    comesBack,
  ],
  [/approval request task `([^`]+)` is targeting update run/, wrongApproval],
  [/has nil|finished stage|updating stage|stages in the \w+ has changed|stage name in the \w+ has changed/, tampered],
];

/** Why an initialized run has ended. */
export function abortion(scene: Scene): ByRules {
  const { run } = scene;
  const condition = conditionOf(run.status.conditions, 'Succeeded');
  const message = condition?.message ?? '';
  const now = asStarted(run, scene, ['run-placement-free', 'run-resume-mixes-versions']);
  const told = readByWords(message, scene) ?? readByRule(message, scene);
  const last = condition === undefined ? [] : [conditionEvidence(run, condition)];
  const first: Cause = {
    ...(told ?? { what: gaveUp(condition) }),
    evidence: [...last, ...(told?.evidence ?? [])],
    fix: told?.fix ?? again(scene, 'Correct what KubeFleet names'),
  };
  // What the rules find names clusters and labels; where KubeFleet's own words do, too, they come from there.
  const others = now.causes.filter((cause) => cause.rule === 'run-plan-unchanged');
  return { causes: [first, ...others.map((cause) => ({ ...cause, fix: again(scene, '') }))], unseen: now.unseen };
}

function gaveUp({ message = '', reason = '' }: Partial<Condition> = {}): string {
  const words = message === '' ? reason : message;
  return words === ''
    ? 'KubeFleet gave the run up, and says no more'
    : `KubeFleet gave the run up: ${quotedSentence(words)}`;
}

function readByWords(message: string, scene: Scene): Told | undefined {
  for (const [pattern, read] of readers) {
    const words: readonly (string | undefined)[] | null = pattern.exec(message);
    if (words !== null)
      return read(
        words.slice(1).filter((word) => word !== undefined),
        scene,
      );
  }
  return undefined;
}

/** A run that goes on is planned anew each time: what may keep it from being initialized may also end it. */
function readByRule(message: string, scene: Scene): Told | undefined {
  const rule = ruleFor(message);
  return rule === undefined ? undefined : asCreated(scene.run, scene).causes.find((cause) => cause.rule === rule);
}

function preempted([cluster = '', stage = '']: readonly string[], scene: Scene): Told {
  const { run } = scene;
  const binding = bindingFor(cluster, scene);
  const writer = binding === undefined ? undefined : writerOf(binding);
  const isOther = writer !== undefined && writer !== run.metadata.name;
  const what = isOther
    ? `run ${quoted(writer)} took over cluster ${quoted(cluster)} in stage ${quoted(stage)} while this run was updating it`
    : `somebody else wrote to the binding of cluster ${quoted(cluster)} in stage ${quoted(stage)} while this run was updating it`;
  const started = binding && conditionOf(binding.conditions, 'RolloutStarted');
  return {
    what,
    evidence:
      binding === undefined
        ? []
        : [
            ...(started === undefined ? [] : [conditionEvidence(binding, started)]),
            evidenceOf(binding, 'spec.resourceSnapshotName', quoted(binding.resourceSnapshotName)),
          ],
    fix: isOther ? seeOther(writer, run) : again(scene, 'Find out who writes to bindings', [describePlacement(run)]),
  };
}

function stageSize([index = '', now = '', before = '']: readonly string[], scene: Scene): Told {
  const name = stageAt(scene.run, index);
  return {
    what: `the clusters of ${name} changed while the run went on: ${before} when it was initialized, ${now} at its end; a cluster joined, left, or got other labels`,
    evidence: [evidenceOf(scene.run, `status.stagesStatus[${index}].clusters`, `${before} clusters`)],
    fix: again(scene, ''),
  };
}

function stageOrder([, index = '', now = '', before = '']: readonly string[], scene: Scene): Told {
  const name = stageAt(scene.run, index);
  return {
    what: `the clusters of ${name}, or their order, changed while the run went on: ${quoted(now.replace(/,$/, ''))} came in the place of ${quoted(before.replace(/,$/, ''))}`,
    evidence: [evidenceOf(scene.run, `status.stagesStatus[${index}].clusters`, quoted(before.replace(/,$/, '')))],
    fix: again(scene, ''),
  };
}

function stageAt({ status }: UpdateRun, index: string): string {
  const stage = status.stagesStatus?.[Number(index)];
  return stage === undefined ? `stage ${index}` : `stage ${quoted(stage.stageName)}`;
}

function removal([cluster = '']: readonly string[], scene: Scene): Told {
  return {
    what: `the placement let go of cluster ${quoted(cluster)} while the run went on`,
    evidence: clusterEvidence(cluster, scene),
    fix: again(scene, ''),
  };
}

function unbound([cluster = '', stage = '']: readonly string[], scene: Scene): Told {
  return {
    what: `cluster ${quoted(cluster)} of stage ${quoted(stage)} lost its binding while the run went on, by an eviction or because the placement let go of it`,
    evidence: clusterEvidence(cluster, scene),
    fix: again(scene, ''),
  };
}

function comesBack([cluster = '']: readonly string[], scene: Scene): Told {
  return {
    what: `cluster ${quoted(cluster)} came back, or was bound anew, while the run took the resources from it`,
    evidence: clusterEvidence(cluster, scene),
    fix: again(scene, ''),
  };
}

function wrongApproval([key = '']: readonly string[], scene: Scene): Told {
  const { run, facts } = scene;
  const name = key.split('/').at(-1) ?? '';
  const seen = look(() => facts.get('ApprovalRequest', name));
  const request = seen.is === 'seen' ? seen.value : undefined;
  const { namespace } = run.metadata;
  return {
    what: `the approval request ${quoted(name)} was made for another run or stage, and stood in the way of this run's own`,
    evidence:
      request === undefined
        ? []
        : [
            evidenceOf(request, 'spec.parentStageRollout', quoted(request.spec.parentStageRollout)),
            evidenceOf(request, 'spec.targetStage', quoted(request.spec.targetStage)),
          ],
    fix: again(scene, 'Delete the request', [kubectl('delete', { family: 'ApprovalRequest', name, namespace })]),
  };
}

function tampered(_: readonly string[], scene: Scene): Told {
  return {
    what: 'the status of the run was not as KubeFleet had left it: somebody else has written to it',
    evidence: [],
    fix: again(scene, ''),
  };
}

function clusterEvidence(cluster: string, scene: Scene): readonly Evidence[] {
  const binding = bindingFor(cluster, scene);
  return binding === undefined ? [] : [evidenceOf(binding, 'spec.state', quoted(binding.state))];
}
