import { kubectl, labelClusters, otherwise } from '../wording/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { PlannedStage, Unsortable } from '../../fleet/plan.js';
import { planFor } from '../../fleet/rollout.js';
import { harmlessJson, quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-sorting-label',
  title: 'Each cluster of a sorted stage has a whole number to sort by',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if a cluster of a stage does not have the label of sortingLabelKey, or if its value is not a whole number. The comment in the API says that such clusters are sorted by name; they are not.',
  fix: 'Set the label to a whole number on each of these clusters, or remove sortingLabelKey from the stage.',

  *check({ object: run, namespace }, { facts }) {
    const plan = planFor(run, facts);
    const name = run.spec.stagedRolloutStrategyName;
    for (const [index, planned] of plan?.stages.entries() ?? []) {
      const { name: stage, sortingLabelKey: key = '' } = planned.stage;
      const problems = (plan?.unsortable ?? []).filter((problem) => problem.stage === stage && problem.key === key);
      if (problems.length === 0) continue;
      const unsorted = harmlessJson([{ op: 'remove', path: `/spec/stages/${String(index)}/sortingLabelKey` }]);
      const patch = kubectl('patch', { family: 'UpdateStrategy', name, namespace }, '--type=json', '-p', unsorted);
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stage ${quoted(stage)} of strategy ${quoted(name)} sorts its clusters by label ${quoted(key)}, which must be a whole number on each of them: ${problemsText(problems)}`,
        fix: fixFor(planned, problems, patch),
      };
    }
  },
});

/** At most this many wrong values are spelled out; more only hide the first. */
const mostValues = 10;

function problemsText(problems: readonly Unsortable[]): string {
  const without = problems.filter(({ value }) => value === undefined).map(({ cluster }) => cluster);
  const wrong = problems.filter(({ value }) => value !== undefined);
  return [
    ...(without.length > 0 ? [`${quoteList(without)} ${without.length === 1 ? 'does' : 'do'} not have it`] : []),
    ...wrong.slice(0, mostValues).map(({ cluster, value = '' }) => `${quoted(cluster)} has ${quoted(value)}`),
    ...(wrong.length > mostValues ? [`${String(wrong.length - mostValues)} more have no number`] : []),
  ].join(', ');
}

function fixFor({ stage, nextRank }: PlannedStage, problems: readonly Unsortable[], patch: string): string {
  const { name, sortingLabelKey: key = '' } = stage;
  if (nextRank === undefined) {
    return fixWith(
      `Remove sortingLabelKey from stage ${quoted(name)}, so that it sorts by name, or use another label: this one cannot hold a number, because it cannot be set or a stage selects by it.`,
      patch,
    );
  }
  const clusters = problems.map(({ cluster }) => cluster);
  return fixWith(
    `Set the label to a whole number on each of these clusters (this may take a fleet admin); lower numbers go first, and with the number below they go last. Or remove sortingLabelKey, so that stage ${quoted(name)} sorts by name.`,
    labelClusters(clusters, [[key, nextRank]]),
    otherwise(patch),
  );
}
