import { conditionOf, type UpdateRun } from '../fleet/model.js';
import { quoted, quotedSentence } from '../fleet/quoted.js';
import { clustersUnderWay } from '../fleet/run.js';
import { count, fixWith, quoteList } from '../engine/message.js';
import { setState } from '../rules/wording/commands.js';
import { asStarted } from './by-rules.js';
import type { Cause } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { troublesOn } from './cluster-trouble.js';
import { expectations, type Found } from './found.js';
import { waitsOf } from './gates.js';
import { ageOf, ageText, untilStuck } from './ages.js';
import { clustersBeingRemoved, removalOf } from './removing.js';
import { quietness } from './quiet.js';
import { bindingFor, type Scene } from './scene.js';
import type { Trouble } from './trouble.js';
import { afterRepair, again, describePlacement, lookMeanwhile, ofStored } from './ways-out.js';

/** More clusters than this at once have one cause, and nobody reads about each. */
const mostClusters = 10;

/** A run that is rolling out. */
export function executing(scene: Scene): Found {
  const { run } = scene;
  const removed = clustersBeingRemoved(run);
  if (removed.length > 0) return removing(removed.slice(0, mostClusters), scene);
  const { troubles, unseen } = troublesOf(scene);
  const open = troubles.filter(({ is }) => is !== 'over');
  const hard = open.filter(({ is, cluster }) => is !== 'slow' || isOverdue(cluster, scene));
  const quiet = quietness(scene);
  const found: Found = {
    state: 'under way',
    health: hard.length > 0 || quiet.length > 0 ? 'wrong' : 'well',
    causes: [
      ...open.filter(({ is }) => is !== 'slow').map(causeOf),
      ...quiet,
      ...open
        .filter(({ is }) => is === 'slow')
        .map((trouble) => (hard.includes(trouble) ? causeOf(trouble) : early(trouble, run))),
    ],
    expect: hard.length > 0 ? [expectations.recovers] : [],
    unseen,
    inTrouble: hard.map(({ cluster }) => cluster),
  };
  return withDoom(found, scene, troubles);
}

/** A run that KubeFleet itself calls stuck. */
export function stuck(scene: Scene): Found {
  const { run } = scene;
  const { troubles, unseen } = troublesOf(scene);
  const isOver = troubles.length > 0 && troubles.every(({ is }) => is === 'over');
  const isStopping = run.spec.state === 'Stop';
  const found: Found = {
    state: 'stuck',
    health: isOver ? 'waiting' : 'wrong',
    causes: troubles.length > 0 ? troubles.map(causeOf) : [ownWords(scene)],
    expect: [expectations.recovers, isStopping ? expectations.stopWaits : expectations.notRolledBack],
    unseen,
    inTrouble:
      troubles.length > 0
        ? troubles.filter(({ is }) => is !== 'over').map(({ cluster }) => cluster)
        : clustersUnderWay(run),
  };
  return withDoom(found, scene, troubles);
}

/** A run that waits for people, or for time to pass. */
export function waiting(scene: Scene): Found {
  const waits = waitsOf(scene);
  const first = waits.find(({ state }) => state === 'waiting for an approval') ?? waits[0];
  const isWrong = waits.some(({ health }) => health === 'wrong');
  const found: Found = {
    state: first?.state ?? 'waiting',
    health: isWrong ? 'wrong' : 'waiting',
    causes: waits.length > 0 ? waits.map(({ cause }) => cause) : [ownWords(scene)],
    expect: first?.state === 'waiting for an approval' ? [expectations.noRejection] : [expectations.waitsAnew],
    unseen: waits.flatMap(({ unseen }) => unseen ?? []),
  };
  return withDoom(found, scene);
}

/** A run that has been told to stop, and is still busy. */
export function stopping(scene: Scene): Found {
  const { run } = scene;
  const busy = clustersUnderWay(run);
  const removed = clustersBeingRemoved(run);
  const { troubles, unseen } = troublesOf(scene);
  const what =
    removed.length > 0
      ? `the run has been told to stop while it takes resources away, from ${quoteList(removed.map(({ clusterName }) => clusterName))}; it comes to a stop when no cluster is left to remove`
      : busy.length > 0
        ? `the run has been told to stop, and lets ${count(busy.length, 'cluster')} finish: ${quoteList(busy)}`
        : 'the run has been told to stop; KubeFleet notes it when it next looks';
  const open = troubles.filter(({ is }) => is !== 'over');
  const hard = open.filter(({ is, cluster }) => is !== 'slow' || isOverdue(cluster, scene));
  const quiet = removed.length > 0 ? [] : quietness(scene);
  return {
    state: 'stopping',
    health: hard.length > 0 || quiet.length > 0 ? 'wrong' : 'waiting',
    causes: [
      ...quiet,
      ...hard.map(causeOf),
      { what, evidence: [evidenceOf(run, 'spec.state', quoted(run.spec.state))], fix: '' },
      ...open.filter((trouble) => !hard.includes(trouble)).map(causeOf),
    ],
    expect: [expectations.notRolledBack, expectations.stopWaits],
    unseen,
    inTrouble: hard.map(({ cluster }) => cluster),
  };
}

function removing(clusters: ReturnType<typeof clustersBeingRemoved>, scene: Scene): Found {
  const removals = clusters.map((cluster) => removalOf(cluster, scene));
  const isWrong = removals.some(({ health }) => health === 'wrong');
  return {
    state: 'removing clusters',
    health: isWrong ? 'wrong' : 'well',
    causes: removals.map(({ cause }) => cause),
    expect: [expectations.neverStuck],
    unseen: scene.reports.bindings.complete ? [] : [bindingsText(scene)],
    inTrouble: removals.flatMap(({ health }, at) => (health === 'wrong' ? (clusters[at]?.clusterName ?? []) : [])),
  };
}

/** The gravest first. */
const gravity: readonly Trouble['is'][] = ['taken', 'hard', 'slow', 'over'];

type OnCluster = Trouble & { readonly cluster: string };

function troublesOf(scene: Scene): { readonly troubles: readonly OnCluster[]; readonly unseen: readonly string[] } {
  const { run, reports } = scene;
  const clusters = clustersUnderWay(run).slice(0, mostClusters);
  const troubles = clusters
    .flatMap((cluster) => troublesOn(cluster, scene).map((trouble) => ({ ...trouble, cluster })))
    .sort((one, other) => gravity.indexOf(one.is) - gravity.indexOf(other.is));
  const isBlind = !reports.bindings.complete || reports.bindings.items.length === 0;
  const unseen = [
    ...(clusters.length > 0 && isBlind ? [bindingsText(scene)] : []),
    ...(clusters.some((cluster) => isWithoutWorks(cluster, scene)) ? ['the works of these clusters'] : []),
  ];
  return { troubles, unseen };
}

function bindingsText({ run }: Scene): string {
  return `the bindings of placement ${quoted(run.spec.placementName)}`;
}

/** A binding whose works KubeFleet has written, of which none was read. */
function isWithoutWorks(cluster: string, scene: Scene): boolean {
  const binding = bindingFor(cluster, scene);
  if (binding === undefined || conditionOf(binding.conditions, 'WorkSynchronized')?.status !== 'True') return false;
  return !scene.reports.works.items.some((work) => work.binding === binding.name);
}

function causeOf({ what, evidence, fix }: OnCluster): Cause {
  return { what, evidence, fix };
}

/** What may be over in a minute. */
function early(trouble: OnCluster, run: UpdateRun): Cause {
  return { ...causeOf(trouble), fix: lookMeanwhile(run) };
}

/** KubeFleet has not called it stuck yet, and is about to. */
function isOverdue(cluster: string, { run, now }: Scene): boolean {
  const status = run.status.stagesStatus
    ?.flatMap(({ clusters }) => clusters)
    .find(({ clusterName }) => clusterName === cluster);
  const started = status && conditionOf(status.conditions, 'Started')?.lastTransitionTime;
  return (ageOf(started, now) ?? 0) > untilStuck;
}

/** What KubeFleet says of a run, where nothing else was found. */
function ownWords({ run, now }: Scene): Cause {
  const condition = conditionOf(run.status.conditions, 'Progressing');
  const age = ageText(condition?.lastTransitionTime, now);
  return {
    what: `KubeFleet says: ${quotedSentence(condition?.message ?? condition?.reason ?? 'nothing')}${age === undefined ? '' : ` (for ${age})`}`,
    evidence: condition === undefined ? [] : [conditionEvidence(run, condition)],
    fix: afterRepair('Look at what the placement says of its clusters.', run),
  };
}

/** What will end the run, or spoil it, when KubeFleet looks at it again: an edit that it has not seen yet, or another run. */
function withDoom(found: Found, scene: Scene, troubles: readonly OnCluster[] = []): Found {
  if (scene.run.spec.state !== 'Run') return found;
  const { causes, unseen } = asStarted(scene.run, scene);
  if (causes.length === 0)
    return { ...found, unseen: [...found.unseen, ...unseen.filter((one) => !found.unseen.includes(one))] };
  const doom = causes.map((cause) => ({
    ...cause,
    what: `${prefixes.get(cause.rule ?? '') ?? aborts}${cause.what}`,
    fix: fixOfDoom(cause, scene),
  }));
  // A run that has taken clusters over says more than that they are lost.
  const taken = troubles.filter(({ is }) => is === 'taken').length;
  return {
    ...found,
    health: 'wrong',
    causes: [...found.causes.slice(0, taken), ...doom, ...found.causes.slice(taken)],
    unseen: [...found.unseen, ...unseen],
  };
}

/** Nothing was sent that could be sent again: what can be put right in time is, the rest needs a new run. */
function fixOfDoom({ rule, fix }: Cause, scene: Scene): string {
  const { run } = scene;
  const { name, namespace } = run.metadata;
  if (rule === 'run-plan-unchanged') return again(scene, '');
  if (rule === 'run-placement-exists')
    return again(scene, 'Create the placement again and wait until it is scheduled', [describePlacement(run)]);
  if (rule !== 'run-placement-free') return ofStored(fix);
  return fixWith(
    'Two runs of one placement overwrite each other: stop one of the two, or delete it. Nothing is rolled back.',
    setState(name, namespace, 'Stop'),
    ...fix.split('\n').filter((line) => line.startsWith('# or: ')),
  );
}

const aborts = 'KubeFleet will give the run up when it next looks: ';
const prefixes = new Map([
  ['run-placement-free', ''],
  ['run-resume-mixes-versions', ''],
]);
