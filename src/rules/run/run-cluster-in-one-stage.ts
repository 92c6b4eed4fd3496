import { kubectl, type Reference } from '../wording/commands.js';
import { patchLines } from '../wording/json-patch.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { stageLabelsText } from '../wording/labels-for-stage.js';
import { defineRule } from '../../engine/rule.js';
import type { MemberCluster } from '../../fleet/model.js';
import { isReadable, type Plan, type PlannedStage } from '../../fleet/plan.js';
import { planFor } from '../../fleet/rollout.js';
import { selectorJson } from '../../fleet/selector.js';
import { separate } from '../../fleet/disjoint-stages.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-cluster-in-one-stage',
  title: 'A cluster belongs to at most one stage',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'],
  reads: ['Placement', 'PolicySnapshot', 'Binding', 'MemberCluster', 'UpdateStrategy'],
  why: 'KubeFleet fails a run if two of its stages select the same cluster, and names only the first such cluster.',
  fix: 'Change the label selectors so that no cluster fits two stages.',

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
        message: `${which} of strategy ${quoted(name)} select the same ${clusters.length === 1 ? 'cluster' : 'clusters'}: ${quoteList(clusters)}`,
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
  const byStages = new Map<readonly string[], string[]>();
  for (const { cluster, stages } of inSeveralStages) {
    const clusters = byStages.get(stages);
    if (clusters === undefined) byStages.set(stages, [cluster]);
    else clusters.push(cluster);
  }
  // Other stages of the same names are told as one.
  const groups = new Map<string, { readonly stages: readonly string[]; readonly clusters: string[] }>();
  for (const [stages, clusters] of byStages) {
    const key = JSON.stringify(stages);
    const group = groups.get(key) ?? { stages, clusters: [] };
    groups.set(key, { stages, clusters: [...group.clusters, ...clusters].sort() });
  }
  return groups.values();
}

/** One patch of the strategy, if new selectors alone can part the stages. */
function selectorFix(stages: readonly PlannedStage[], strategy: Reference): string | undefined {
  const edits = separate(stages.map(({ stage }) => (isReadable(stage) ? stage.labelSelector : undefined)));
  const patch = edits?.flatMap(({ stage, selectors: [selector, another] }) =>
    selector === undefined || another !== undefined
      ? []
      : [
          {
            op: 'replace',
            path: `/spec/stages/${String(stage)}/labelSelector`,
            value: selectorJson(selector),
          } as const,
        ],
  );
  if (edits === undefined || patch?.length !== edits.length) return undefined;
  return fixWith(
    'Change the label selectors so that no cluster fits two stages, then try again.',
    ...patchLines(strategy, patch),
  );
}

function labelFix(members: readonly MemberCluster[], stages: readonly PlannedStage[]): string | undefined {
  const placing = stageLabelsText(members, stages);
  return (
    placing &&
    fixWith(
      `Change the labels of the clusters (this may take a fleet admin) so that only one stage selects each of them (here ${quoteList(placing.stages)}), then try again.`,
      ...placing.commands,
    )
  );
}

function editFix(strategy: Reference): string {
  return fixWith(
    'Change the label selector of one of these stages, or remove the stage, then try again.',
    kubectl('edit', strategy),
  );
}
