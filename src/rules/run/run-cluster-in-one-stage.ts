import { kubectl, labelCluster } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { LabelSelector, MemberCluster, Stage } from '../../fleet/model.js';
import { placeInOneStage } from '../../fleet/placing.js';
import { planFor } from '../../fleet/rollout.js';
import { selectorFaults, selectorJson } from '../../fleet/selector.js';
import { separate } from '../../fleet/separate.js';

export default defineRule({
  id: 'run-cluster-in-one-stage',
  title: 'A cluster belongs to at most one stage',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if two of its stages select the same cluster, and names only the first such cluster.',
  fix: 'Make the label selectors of the stages disjoint.',

  *check({ object: run, namespace }, { facts }) {
    const plan = planFor(run, facts);
    if (plan === undefined || plan.inSeveralStages.length === 0) return;
    const name = run.spec.stagedRolloutStrategyName;
    const stages = plan.stages.map(({ stage }) => stage);
    const names = new Set(plan.inSeveralStages.map(({ cluster }) => cluster));
    const members = facts.list('MemberCluster').filter(({ metadata }) => names.has(metadata.name));
    const fix = selectorFix(stages, { name, namespace }) ?? labelFix(stages, members);
    const groups = new Map<string, string[]>();
    for (const { cluster, stages: both } of plan.inSeveralStages) {
      const which = quoteList(both);
      groups.set(which, [...(groups.get(which) ?? []), cluster]);
    }
    for (const [which, clusters] of groups) {
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `stages ${which} of strategy "${name}" select the same ${clusters.length === 1 ? 'cluster' : 'clusters'}: ${quoteList(clusters)}`,
        fix,
      };
    }
  },
});

/** One patch of the strategy, if new selectors alone can part the stages. */
function selectorFix(
  stages: readonly Stage[],
  of: { name: string; namespace: string | undefined },
): string | undefined {
  const edits = separate(stages.map(readableSelector));
  const replaced = (edits ?? []).flatMap(({ stage, selectors: [selector, another] }) =>
    selector === undefined || another !== undefined ? [] : [{ stage, selector }],
  );
  if (edits === undefined || replaced.length !== edits.length) return undefined;
  const patch = replaced.map(({ stage, selector }) => ({
    op: 'replace',
    path: `/spec/stages/${String(stage)}/labelSelector`,
    value: selectorJson(selector),
  }));
  return fixWith(
    'Make the label selectors of the stages disjoint, then apply the run again.',
    kubectl('patch', { family: 'UpdateStrategy', ...of }, '--type=json', '-p', JSON.stringify(patch)),
  );
}

function readableSelector({ labelSelector }: Stage): LabelSelector | undefined {
  return labelSelector && selectorFaults(labelSelector).length === 0 ? labelSelector : undefined;
}

function labelFix(stages: readonly Stage[], members: readonly MemberCluster[]): string {
  const commands = members.flatMap((member) =>
    [...(placeInOneStage(member, stages)?.labels ?? [])].map(([key, value]) =>
      labelCluster(member.metadata.name, key, value),
    ),
  );
  if (commands.length === 0) return 'Take one of the stages out of the strategy, or give it another label selector.';
  return fixWith(
    'Label the clusters so that one stage alone selects each of them, then apply the run again.',
    ...commands,
  );
}
