import { kubectl, labelClusters } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { PlannedStage, Unsortable } from '../../fleet/plan.js';
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

  *check({ object: run, namespace }, { facts }) {
    const plan = planFor(run, facts);
    const name = run.spec.stagedRolloutStrategyName;
    for (const [index, planned] of plan?.stages.entries() ?? []) {
      const { name: stage, sortingLabelKey: key = '' } = planned.stage;
      const faults = (plan?.unsortable ?? []).filter((fault) => fault.stage === stage && fault.key === key);
      if (faults.length === 0) continue;
      const unsorted = JSON.stringify([{ op: 'remove', path: `/spec/stages/${String(index)}/sortingLabelKey` }]);
      const patch = kubectl('patch', { family: 'UpdateStrategy', name, namespace }, '--type=json', '-p', unsorted);
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stage "${stage}" of strategy "${name}" sorts its clusters by label "${key}", which must be a whole number: ${faultsText(faults)}`,
        fix: fixFor(planned, faults, patch),
      };
    }
  },
});

/** At most this many wrong values are spelled out; more only hide the first. */
const mostValues = 10;

function faultsText(faults: readonly Unsortable[]): string {
  const without = faults.filter(({ value }) => value === undefined).map(({ cluster }) => cluster);
  const wrong = faults.filter(({ value }) => value !== undefined);
  return [
    ...(without.length > 0 ? [`${quoteList(without)} ${without.length === 1 ? 'lacks' : 'lack'} it`] : []),
    ...wrong.slice(0, mostValues).map(({ cluster, value = '' }) => `"${cluster}" has "${value}"`),
    ...(wrong.length > mostValues ? [`${String(wrong.length - mostValues)} more have no number`] : []),
  ].join(', ');
}

function fixFor({ stage, nextRank }: PlannedStage, faults: readonly Unsortable[], patch: string): string {
  const { name, sortingLabelKey: key = '' } = stage;
  if (nextRank === undefined) {
    return fixWith(
      `Let stage "${name}" go by name, or name another label: this one is not free for numbers, since it cannot be set or a stage selects by it.`,
      patch,
    );
  }
  const clusters = faults.map(({ cluster }) => cluster);
  return fixWith(
    `Give each of them its place in the order (this may take a fleet admin); lower goes first, and like this they go last, by name. Or let stage "${name}" go by name altogether.`,
    labelClusters(clusters, [[key, nextRank]]),
    `# or: ${patch}`,
  );
}
