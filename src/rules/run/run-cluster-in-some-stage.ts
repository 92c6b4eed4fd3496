import { kubectl } from '../../engine/commands.js';
import { count, fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { MemberCluster, Stage } from '../../fleet/model.js';
import { placeInOneStage } from '../../fleet/placing.js';
import { planFor } from '../../fleet/rollout.js';
import { selectorFaults } from '../../fleet/selector.js';

export default defineRule({
  id: 'run-cluster-in-some-stage',
  title: 'Every cluster of the placement belongs to a stage',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if one cluster of its placement is selected by no stage, and names at most ten of them.',
  fix: 'Label the clusters so that a stage selects them, or add a stage that does.',

  *check({ object: run }, { facts }) {
    const plan = planFor(run, facts);
    if (plan === undefined || plan.inNoStage.length === 0) return;
    const stages = plan.stages.map(({ stage }) => stage);
    // A strategy without stages, or with a selector that cannot be read, is refused for that.
    if (stages.length === 0 || stages.some(isUnreadable)) return;
    const names = new Set(plan.inNoStage);
    const members = facts.list('MemberCluster').filter(({ metadata }) => names.has(metadata.name));
    const { spec } = run;
    const which = plan.inNoStage.map((name) => JSON.stringify(name)).join(', ');
    yield {
      path: ['spec', 'stagedRolloutStrategyName'],
      message: `no stage of strategy "${spec.stagedRolloutStrategyName}" selects ${count(names.size, 'cluster')} of placement "${spec.placementName}": ${which}`,
      fix: fixFor(members, stages, names.size),
    };
  },
});

function isUnreadable({ labelSelector }: Stage): boolean {
  return labelSelector !== undefined && selectorFaults(labelSelector).length > 0;
}

/** One command for all clusters that the same labels put into the same stage. */
function fixFor(members: readonly MemberCluster[], stages: readonly Stage[], wanted: number): string {
  const groups = new Map<
    string,
    { readonly stage: string; readonly changes: readonly string[]; readonly names: string[] }
  >();
  for (const member of members) {
    const placing = placeInOneStage(member, stages);
    if (placing === undefined) continue;
    const changes = [...placing.labels].map(([key, value]) => (value === undefined ? `${key}-` : `${key}=${value}`));
    const key = [placing.stage.name, ...changes].join(' ');
    const group = groups.get(key) ?? { stage: placing.stage.name, changes, names: [] };
    group.names.push(member.metadata.name);
    groups.set(key, group);
  }
  const placed = [...groups.values()].reduce((sum, { names }) => sum + names.length, 0);
  if (placed < wanted)
    return 'Add a stage that selects these clusters, or change the policy of the placement so that it leaves them out.';
  const into = [...new Set([...groups.values()].map(({ stage }) => `"${stage}"`))].join(' and ');
  return fixWith(
    `Label the clusters so that one stage selects each of them (here ${into}), or add a stage that does.`,
    ...[...groups.values()].map(({ names, changes }) =>
      kubectl('label', { family: 'MemberCluster', namespace: undefined }, ...names, ...changes, '--overwrite'),
    ),
  );
}
