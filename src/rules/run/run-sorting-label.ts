import { labelCluster } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { planFor } from '../../fleet/rollout.js';

export default defineRule({
  id: 'run-sorting-label',
  title: 'Each cluster of a sorted stage has a whole number to sort by',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if one cluster of a stage lacks the label of sortingLabelKey or has something else than a whole number there. Its API comment says that such clusters are sorted by name; they are not.',
  fix: 'Give each of the clusters a whole number under the label, or take sortingLabelKey out of the stage.',

  *check({ object: run }, { facts }) {
    const plan = planFor(run, facts);
    if (plan === undefined) return;
    for (const { stage } of plan.stages) {
      const faults = plan.unsortable.filter(
        (fault) => fault.stage === stage.name && fault.key === stage.sortingLabelKey,
      );
      const key = stage.sortingLabelKey ?? '';
      if (faults.length === 0) continue;
      const without = faults.filter(({ value }) => value === undefined).map(({ cluster }) => cluster);
      const wrong = faults.filter(({ value }) => value !== undefined);
      const parts = [
        ...(without.length > 0 ? [`${quoteList(without)} ${without.length === 1 ? 'lacks' : 'lack'} it`] : []),
        ...wrong.map(({ cluster, value = '' }) => `"${cluster}" has "${value}"`),
      ];
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stage "${stage.name}" of strategy "${run.spec.stagedRolloutStrategyName}" sorts its clusters by label "${key}", which must be a whole number: ${parts.join(', ')}`,
        fix: fixWith(
          `Give each of them its place in the order (lower goes first), or take sortingLabelKey out of stage "${stage.name}".`,
          ...faults.map(({ cluster }, index) => labelCluster(cluster, key, String(index + 1))),
        ),
      };
    }
  },
});
