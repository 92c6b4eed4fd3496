import { kubectl, type Reference } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { placingText } from '../../engine/placing-text.js';
import { defineRule } from '../../engine/rule.js';
import type { MemberCluster } from '../../fleet/model.js';
import { isReadable, type Plan, type PlannedStage } from '../../fleet/plan.js';
import { planFor } from '../../fleet/rollout.js';
import { selectorJson } from '../../fleet/selector.js';
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
    const strategy = { family: 'UpdateStrategy', name, namespace } as const;
    const affected = new Set(plan.inSeveralStages.map(({ cluster }) => cluster));
    const members = facts.list('MemberCluster').filter(({ metadata }) => affected.has(metadata.name));
    const fix = selectorFix(plan.stages, strategy) ?? labelFix(members, plan.stages) ?? editFix(strategy);
    for (const { stages, clusters } of groupsOf(plan)) {
      const which = new Set(stages).size > 1 ? `stages ${quoteList(stages)}` : `two stages named ${quoteList(stages)}`;
      yield {
        path: ['spec', 'stagedRolloutStrategyName'],
        message: `${which} of strategy "${name}" select the same ${clusters.length === 1 ? 'cluster' : 'clusters'}: ${quoteList(clusters)}`,
        fix,
      };
    }
  },
});

interface Group {
  readonly stages: readonly string[];
  readonly clusters: readonly string[];
}

/** The clusters that the same stages select. */
function groupsOf({ inSeveralStages }: Plan): Iterable<Group> {
  const groups = new Map<string, { readonly stages: readonly string[]; readonly clusters: string[] }>();
  for (const { cluster, stages } of inSeveralStages) {
    const key = JSON.stringify(stages);
    const group = groups.get(key) ?? { stages, clusters: [] };
    group.clusters.push(cluster);
    groups.set(key, group);
  }
  return groups.values();
}

/** One patch of the strategy, if new selectors alone can part the stages. */
function selectorFix(stages: readonly PlannedStage[], strategy: Reference): string | undefined {
  const edits = separate(stages.map(({ stage }) => (isReadable(stage) ? stage.labelSelector : undefined)));
  const patch = edits?.flatMap(({ stage, selectors: [selector, another] }) =>
    selector === undefined || another !== undefined
      ? []
      : [{ op: 'replace', path: `/spec/stages/${String(stage)}/labelSelector`, value: selectorJson(selector) }],
  );
  if (edits === undefined || patch?.length !== edits.length) return undefined;
  return fixWith(
    'Make the label selectors of the stages disjoint, then apply the run again.',
    kubectl('patch', strategy, '--type=json', '-p', JSON.stringify(patch)),
  );
}

function labelFix(members: readonly MemberCluster[], stages: readonly PlannedStage[]): string | undefined {
  const placing = placingText(members, stages);
  return (
    placing &&
    fixWith(
      `Label the clusters (this may take a fleet admin) so that one stage alone selects each of them (here ${quoteList(placing.stages)}), then apply the run again.`,
      ...placing.commands,
    )
  );
}

function editFix(strategy: Reference): string {
  return fixWith(
    'Give one of the stages another label selector or take it out of the strategy, then apply the run again.',
    kubectl('edit', strategy),
  );
}
