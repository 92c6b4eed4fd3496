import { kubectl, showLabels } from '../wording/commands.js';
import { isNear } from '../../fleet/nearest.js';
import { count, fixWith, quoteList } from '../../engine/message.js';
import { stageLabelsText } from '../wording/labels-for-stage.js';
import { defineRule } from '../../engine/rule.js';
import type { MemberCluster } from '../../fleet/model.js';
import type { StageLabels } from '../../fleet/labels-for-stage.js';
import { isReadable, type PlannedStage } from '../../fleet/plan.js';
import { planFor } from '../../fleet/rollout.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-cluster-in-some-stage',
  title: 'Every cluster of the placement belongs to a stage',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if one cluster of its placement is selected by no stage, and names at most ten of them.',
  fix: 'Label the clusters so that a stage selects them, or add a stage that does.',

  *check({ object: run, namespace }, { facts }) {
    const { spec } = run;
    const plan = planFor(run, facts);
    if (plan === undefined || plan.inNoStage.length === 0) return;
    // A strategy without stages, or with a selector that cannot be read, is refused for that.
    if (plan.stages.length === 0 || !plan.stages.every(({ stage }) => isReadable(stage))) return;
    const leftOut = new Set(plan.inNoStage);
    const members = facts.list('MemberCluster').filter(({ metadata }) => leftOut.has(metadata.name));
    for (const { metadata } of members) leftOut.delete(metadata.name);
    const path = ['spec', 'stagedRolloutStrategyName'];
    if (members.length > 0) {
      // All of them: whoever fixes the first ten would be refused again for the eleventh.
      const names = members.map(({ metadata }) => quoted(metadata.name)).join(', ');
      const strategy = { family: 'UpdateStrategy', name: spec.stagedRolloutStrategyName, namespace } as const;
      yield {
        path,
        message: `no stage of strategy ${quoted(strategy.name)} selects ${count(members.length, 'cluster')} of placement ${quoted(spec.placementName)}: ${names}`,
        fix: labelFix(members, plan.stages) ?? stageFix(members, kubectl('edit', strategy)),
      };
    }
    if (leftOut.size > 0) {
      yield {
        path,
        message: `placement ${quoted(spec.placementName)} is still bound to ${quoteList(leftOut)}, but there is no such member cluster`,
        fix: 'Wait until the scheduler has dropped what is gone, then try again.',
        settling: `departed clusters of ${namespace ?? ''}/${spec.placementName}`,
      };
    }
  },
});

function labelFix(members: readonly MemberCluster[], stages: readonly PlannedStage[]): string | undefined {
  const placing = stageLabelsText(members, stages, harmsNobody);
  return (
    placing &&
    fixWith(
      `Label the clusters (this may take a fleet admin) so that one stage selects each of them (here ${quoteList(placing.stages)}), or add a stage that does.`,
      ...placing.commands,
    )
  );
}

/**
 * A label that a cluster has may mean something to others: with another value, runs of other placements would be lost. So
 * nothing is proposed but what a cluster lacks, and the right spelling.
 */
function harmsNobody({ metadata }: MemberCluster, { labels }: StageLabels): boolean {
  return [...labels].every(([key, value = '']) => {
    const before = metadata.labels[key];
    return before === undefined || isNear(before, value);
  });
}

function stageFix(members: readonly MemberCluster[], edit: string): string {
  const names = members.map(({ metadata }) => metadata.name);
  return fixWith(
    'Add a stage whose label selector takes these clusters, or change the policy of the placement so that it leaves them out. These show their labels, and open the stages:',
    showLabels(names),
    edit,
  );
}
