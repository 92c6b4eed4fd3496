import { defineRule } from '../../engine/rule.js';
import type { Stage } from '../../fleet/model.js';
import { bindingsFor, planFor } from '../../fleet/rollout.js';

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
  why: 'A stage without clusters proves nothing. Newer versions of KubeFleet skip it together with its approvals and waits; v0.3.1 and older hold them all the same.',
  fix: 'Check the label selector of the stage and the labels of the clusters.',

  *check({ object: run }, { facts, policy }) {
    const bindings = bindingsFor(run, facts);
    // While clusters are bound by an older policy nobody can say where they will be; without any there is only removal.
    if (bindings === undefined || bindings.stale.length > 0 || bindings.scheduled.length === 0) return;
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
  const skipped = ': KubeFleet skips its approvals and waits';
  if (version === 'auto') return `${skipped} (v0.3.1 and older do not)`;
  return /^v?0\.[0-3](?:\.|$)/.test(version) ? ': its approvals and waits hold all the same' : skipped;
}
