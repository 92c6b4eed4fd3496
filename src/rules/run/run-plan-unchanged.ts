import { fixWith, quoteList } from '../../engine/message.js';
import { replacement } from '../wording/new-run.js';
import { lostBindingText } from '../wording/cluster-versions.js';
import { snapshotIndexOf } from '../wording/run.js';
import { groupProblemText, outdate } from '../wording/snapshot.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import type { UpdateRun } from '../../fleet/model.js';
import { comeBack, planChanges, type PlanChange } from '../../fleet/plan-changes.js';
import {
  bindingsFor,
  placementOf,
  planSinceInitialized,
  schedulingFor,
  snapshotGroupsFor,
} from '../../fleet/rollout.js';
import { lostBindings } from '../../fleet/cluster-versions.js';
import { isInitialized, isOver } from '../../fleet/run.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';
import { behaves } from '../../fleet/versions.js';
import { mayGoOn } from '../wording/newer-version.js';

export default defineRule({
  id: 'run-plan-unchanged',
  title: 'The fleet is as it was when the run was initialized',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' }],
  after: ['run-finished', 'run-placement-exists', 'run-placement-external', 'run-placement-scheduled'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'ResourceSnapshot'],
  mentions: ['UpdateRun'],
  why: 'KubeFleet computes the stages of a run once and aborts the run for ever when the placement, its clusters or their labels have changed since. A run that was initialized or stopped days ago often dies the moment it is started.',
  fix: 'Create a new run, which starts from the fleet as it is now, and delete this one.',

  *check({ object: run }, { facts, policy: { kubefleet } }) {
    if (isOver(run) || !isInitialized(run)) return;
    yield* oversizeOf(run);
    const changes = changesSince(run, facts);
    if (changes.length === 0) return;
    const fix = fixFor(run, changes, facts);
    const isInFlux = behaves(kubefleet.version, 'clusters-kept') === 'perhaps';
    for (const change of changes) {
      const message = `since this run was initialized, ${changeText(change)}`;
      const isSoft = isInFlux && liesInClusters(change);
      yield {
        path: ['spec', 'state'],
        fix,
        ...(isSoft ? { message: message + mayGoOn(kubefleet.version), atMost: 'warn' } : { message }),
      };
    }
  },
});

/** What there is no plan of cannot be compared with one. */
function* oversizeOf({ status }: UpdateRun): Iterable<Violation> {
  const strategy = status.stagedUpdateStrategySnapshot;
  if (strategy === undefined || !isOversize(strategy)) return;
  yield {
    path: ['spec', 'state'],
    message: 'this run was initialized with a strategy that is too large to be judged',
    fix: 'Create a new run of a smaller strategy, and delete this one.',
  };
}

const newRun = 'create a new run, which starts from the fleet as it is now, and delete this one.';

function fixFor(run: UpdateRun, changes: readonly PlanChange[], facts: Facts): string {
  const { placementName, stagedRolloutStrategyName } = run.spec;
  const index = snapshotIndexOf(run);
  const isPruned = changes.some(({ what }) => what === 'snapshot');
  const marks = isPruned ? markOutdated(run, facts) : [];
  const kept = index !== undefined && !isPruned ? { resourceSnapshotIndex: index } : {};
  return fixWith(
    marks.length > 0
      ? `Mark the broken snapshot as outdated (this may take a fleet admin), then ${newRun}`
      : wayOut(changes),
    ...marks,
    ...replacement(run, { placementName, stagedRolloutStrategyName, ...kept }, facts),
  );
}

/** A new run makes a snapshot of its own only if KubeFleet does not get stuck at the latest. */
function markOutdated(run: Pick<UpdateRun, 'spec'>, facts: Facts): readonly string[] {
  const groups = snapshotGroupsFor(run, facts);
  const snapshot = groups.latest();
  if (snapshot === undefined || groups.isLatestWhole) return [];
  return outdate({ snapshot, lacks: groups.latestLacks(), groups });
}

/** There are problems for which a new run would be refused as well; they come first. */
function wayOut(changes: readonly PlanChange[]): string {
  if (changes.some(isInLabels)) {
    return `Put the labels of these clusters right and send the same again; if that is still refused, ${newRun}`;
  }
  if (changes.some(({ what }) => what === 'no clusters')) {
    return `See to it that the placement picks clusters again, by its policy or their labels; then ${newRun}`;
  }
  return `C${newRun.slice(1)}`;
}

/** Which clusters there are, in which stages, in which order; all else is the doing of other writes. */
function liesInClusters(change: PlanChange): boolean {
  return isInLabels(change) || ['no clusters', 'stage', 'removal'].includes(change.what);
}

function isInLabels({ what }: PlanChange): boolean {
  return what === 'in no stage' || what === 'in several stages' || what === 'sorting label';
}

function changesSince(run: UpdateRun, facts: Facts): readonly PlanChange[] {
  const placement = placementOf(run, facts);
  const scheduling = schedulingFor(run, facts);
  const bindings = bindingsFor(run, facts);
  if (placement === undefined || scheduling?.is !== 'scheduled' || bindings === undefined) return [];
  const snapshots = snapshotGroupsFor(run, facts);
  const stored = facts.list('Binding', { placement: run.spec.placementName });
  const lost = lostBindings(run, stored);
  const back = comeBack(run, stored);
  return [
    ...planChanges({ run, placement, scheduling, bindings, plan: planSinceInitialized(run, facts), snapshots }),
    ...lost.map((one) => ({ what: 'binding', lost: one }) as const),
    ...back.map((cluster) => ({ what: 'comes back', cluster }) as const),
  ];
}

const texts: { [W in PlanChange['what']]: (change: Extract<PlanChange, { what: W }>) => string } = {
  status: ({ field }) => `status.${field} has been lost`,
  'apply strategy': () => 'the applyStrategy of the placement has changed',
  policy: ({ before, now }) =>
    `the policy of the placement has changed (policy snapshot ${quoted(before)} then, ${quoted(now)} now)`,
  'cluster count': ({ before, now }) =>
    `the number of clusters that the placement asks for has changed from ${String(before)} to ${String(now)}`,
  'no clusters': () => 'the placement has lost all its clusters',
  stages: () => 'the stages have changed',
  stage: stageText,
  'comes back': ({ cluster }) => `${quoted(cluster)}, which it takes its resources from, has come back`,
  removal: ({ clusters }) => `the placement has dropped ${quoteList(clusters)}`,
  binding: ({ lost }) => `it has lost ${lostBindingText(lost)}`,
  snapshot: ({ index, problem }) =>
    `resource snapshot ${quoted(index)}, which it would roll out, ${problem.is === 'missing' ? 'has been removed' : groupProblemText(problem)}`,
  'in no stage': ({ clusters }) =>
    `${quoteList(clusters)} ${clusters.length === 1 ? 'has' : 'have'} been left without a stage`,
  'in several stages': ({ cluster, stages }) =>
    `stages ${quoteList(stages)} have come to select the same cluster ${quoted(cluster)}`,
  'sorting label': ({ cluster, stage, key }) =>
    `cluster ${quoted(cluster)} of stage ${quoted(stage)} has no whole number under its label ${quoted(key)} any more`,
};

function changeText(change: PlanChange): string {
  const text = texts[change.what] as (change: PlanChange) => string;
  return text(change);
}

function stageText({ stage, joined, left, order }: Extract<PlanChange, { what: 'stage' }>): string {
  if (order !== undefined) return `the order of clusters in stage ${quoted(stage)} has changed`;
  const parts = [
    ...(joined.length > 0 ? [`gained ${quoteList(joined)}`] : []),
    ...(left.length > 0 ? [`lost ${quoteList(left)}`] : []),
  ];
  return `stage ${quoted(stage)} has ${parts.join(' and ')}`;
}
