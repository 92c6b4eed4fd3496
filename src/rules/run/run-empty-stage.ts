import { defineRule } from '../../engine/rule.js';
import type { Stage } from '../../fleet/model.js';
import { planFor } from '../../fleet/rollout.js';

export default defineRule({
  id: 'run-empty-stage',
  title: 'Every stage of a run has a cluster',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: [
    'run-placement-exists',
    'run-placement-scheduled',
    'run-has-clusters',
    'run-strategy-exists',
    'run-strategy-valid',
    'run-cluster-in-some-stage',
  ],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'A stage without clusters proves nothing. Newer versions of KubeFleet skip it together with its approvals and waits; v0.3.1 and older still wait for its approvals.',
  fix: 'Check the label selector of the stage and the labels of the clusters.',

  *check({ object: run }, { facts, policy }) {
    for (const { stage, clusters } of planFor(run, facts)?.stages ?? []) {
      if (clusters.length > 0) continue;
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stage "${stage.name}" of strategy "${run.spec.stagedRolloutStrategyName}" selects no cluster of placement "${run.spec.placementName}"${gateText(stage, policy.kubefleet.version)}`,
      };
    }
  },
});

function gateText(stage: Stage, version: string): string {
  if (stage.beforeStageTasks.length + stage.afterStageTasks.length === 0) return '';
  const waits = /^v?0\.[0-3]\./.test(version);
  if (version === 'auto') return ': KubeFleet skips its approvals and waits (v0.3.1 and older still wait for them)';
  return waits ? ': KubeFleet still waits for its approvals and waits' : ': KubeFleet skips its approvals and waits';
}
