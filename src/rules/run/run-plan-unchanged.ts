import { kubectl } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { nextRunName, runManifest } from '../../engine/manifest.js';
import { defineRule } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import type { UpdateRun } from '../../fleet/model.js';
import { planChanges, type PlanChange } from '../../fleet/plan-changes.js';
import { bindingsFor, placementOf, planSinceInitialized, schedulingFor } from '../../fleet/rollout.js';
import { isInitialized, isOver } from '../../fleet/run.js';

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

  *check({ object: run, name, namespace }, { facts }) {
    if (isOver(run) || !isInitialized(run)) return;
    const changes = changesSince(run, facts);
    if (changes.length === 0) return;
    const taken = new Set(facts.some('UpdateRun').map(({ metadata }) => metadata.name));
    const { resourceSnapshotIndex: index, ...spec } = run.spec;
    const isPruned = changes.some(({ what }) => what === 'snapshot');
    const fix = fixWith(
      wayOut(changes),
      ...runManifest({
        name: nextRunName(name, taken),
        namespace,
        spec: { ...spec, state: 'Run', ...(index !== undefined && !isPruned && { resourceSnapshotIndex: index }) },
      }),
      `# ${kubectl('delete', { family: 'UpdateRun', name, namespace })}`,
    );
    for (const change of changes) {
      yield { path: ['spec', 'state'], message: `since this run was initialized, ${changeText(change)}`, fix };
    }
  },
});

/** There are faults for which a new run would be refused as well; they come first. */
function wayOut(changes: readonly PlanChange[]): string {
  const newRun = 'create a new run, which starts from the fleet as it is now, and delete this one.';
  if (changes.some(isInLabels)) {
    return `Put the labels of these clusters right and send the same again; if that is still refused, ${newRun}`;
  }
  if (changes.some(({ what }) => what === 'no clusters')) {
    return `See to it that the placement picks clusters again, by its policy or their labels; then ${newRun}`;
  }
  return `C${newRun.slice(1)}`;
}

function isInLabels({ what }: PlanChange): boolean {
  return what === 'in no stage' || what === 'in several stages' || what === 'sorting label';
}

function changesSince(run: UpdateRun, facts: Facts): readonly PlanChange[] {
  const placement = placementOf(run, facts);
  const scheduling = schedulingFor(run, facts);
  const bindings = bindingsFor(run, facts);
  if (placement === undefined || scheduling?.is !== 'scheduled' || bindings === undefined) return [];
  const snapshots = facts.list('ResourceSnapshot', { placement: run.spec.placementName });
  return planChanges({ run, placement, scheduling, bindings, plan: planSinceInitialized(run, facts), snapshots });
}

const texts: { [W in PlanChange['what']]: (change: Extract<PlanChange, { what: W }>) => string } = {
  status: ({ field }) => `status.${field} has been lost`,
  'apply strategy': () => 'the applyStrategy of the placement has changed',
  policy: ({ before, now }) =>
    `the policy of the placement has changed (policy snapshot "${before}" then, "${now}" now)`,
  'cluster count': ({ before, now }) =>
    `the number of clusters that the placement asks for has changed from ${String(before)} to ${String(now)}`,
  'no clusters': () => 'the placement has lost all its clusters',
  stages: () => 'the stages have changed',
  stage: stageText,
  removal: ({ clusters }) => `the placement has dropped ${quoteList(clusters)}`,
  snapshot: ({ index }) => `resource snapshot "${index}", which it would roll out, has been removed`,
  'in no stage': ({ clusters }) =>
    `${quoteList(clusters)} ${clusters.length === 1 ? 'has' : 'have'} been left without a stage`,
  'in several stages': ({ cluster, stages }) =>
    `stages ${quoteList(stages)} have come to select the same cluster "${cluster}"`,
  'sorting label': ({ cluster, stage, key }) =>
    `cluster "${cluster}" of stage "${stage}" has no whole number under its label "${key}" any more`,
};

function changeText(change: PlanChange): string {
  const text = texts[change.what] as (change: PlanChange) => string;
  return text(change);
}

function stageText({ stage, joined, left, order }: Extract<PlanChange, { what: 'stage' }>): string {
  if (order !== undefined) return `the order of clusters in stage "${stage}" has changed`;
  const parts = [
    ...(joined.length > 0 ? [`gained ${quoteList(joined)}`] : []),
    ...(left.length > 0 ? [`lost ${quoteList(left)}`] : []),
  ];
  return `stage "${stage}" has ${parts.join(' and ')}`;
}
