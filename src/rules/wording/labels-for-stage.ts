import type { MemberCluster } from '../../fleet/model.js';
import { stageLabelsFinder, type StageLabels } from '../../fleet/labels-for-stage.js';
import type { PlannedStage } from '../../fleet/plan.js';
import { labelClusters } from './commands.js';

/** Commands that put clusters into one stage each, and the names of those stages. */
export interface StageLabelsText {
  readonly commands: readonly string[];
  readonly stages: readonly string[];
}

/** Whether a cluster may be placed in this way. */
type Permission = (cluster: MemberCluster, found: StageLabels) => boolean;

/** One command for all clusters that take the same labels; undefined where labels alone cannot place every cluster. */
export function stageLabelsText(
  clusters: readonly MemberCluster[],
  stages: readonly PlannedStage[],
  isAllowed: Permission = () => true,
): StageLabelsText | undefined {
  const placeOf = stageLabelsFinder(stages);
  const groups = new Map<string, { readonly found: StageLabels; readonly names: string[] }>();
  for (const cluster of clusters) {
    const found = placeOf(cluster);
    if (found === undefined || !isAllowed(cluster, found)) return undefined;
    const key = JSON.stringify([...found.labels]);
    const group = groups.get(key) ?? { found, names: [] };
    group.names.push(cluster.metadata.name);
    groups.set(key, group);
  }
  return {
    commands: [...groups.values()].map(({ found, names }) => labelClusters(names, found.labels)),
    stages: [...groups.values()].map(({ found }) => found.stage.name),
  };
}
