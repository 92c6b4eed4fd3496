import { defineRule } from '../../engine/rule.js';
import type { Stage } from '../../fleet/model.js';
import { bindingsFor, planFor } from '../../fleet/rollout.js';
import { quoted } from '../../fleet/quoted.js';
import { behaves, newestRelease, type Behaves } from '../../fleet/versions.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-empty-stage',
  title: 'Every stage of a run has a cluster',
  severity: 'warn',
  appliesTo: initializations,
  after: [
    'run-placement-exists',
    'run-placement-scheduled',
    'run-has-clusters',
    'run-strategy-exists',
    'run-strategy-valid',
    'run-cluster-in-some-stage',
  ],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: `A stage without clusters proves nothing. Newer versions of KubeFleet skip it together with its approvals and waits; ${newestRelease} and older hold them all the same.`,
  fix: 'Check the label selector of the stage and the labels of the clusters.',

  *check({ object: run }, { facts, policy }) {
    const bindings = bindingsFor(run, facts);
    // While clusters are bound by an older policy nobody can say where they will be; without any there is only removal.
    if (bindings === undefined || bindings.stale.length > 0 || bindings.scheduled.length === 0) return;
    const isSkipped = behaves(policy.kubefleet.version, 'empty-stages-skipped');
    for (const { stage, clusters } of planFor(run, facts)?.stages ?? []) {
      if (clusters.length > 0) continue;
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stage ${quoted(stage.name)} of strategy ${quoted(run.spec.stagedRolloutStrategyName)} selects no cluster of placement ${quoted(run.spec.placementName)}${gateText(stage, isSkipped)}`,
      };
    }
  },
});

function gateText(stage: Stage, isSkipped: Behaves): string {
  if (stage.beforeStageTasks.length + stage.afterStageTasks.length === 0) return '';
  if (isSkipped === 'no') return ': its approvals and waits hold all the same';
  const skipped = ': KubeFleet skips its approvals and waits';
  return isSkipped === 'assumed' ? `${skipped} (${newestRelease} and older do not)` : skipped;
}
