import type { MemberCluster } from '../fleet/model.js';
import { placerFor, type Placing } from '../fleet/placing.js';
import type { PlannedStage } from '../fleet/plan.js';
import { labelClusters } from './commands.js';

/** Commands that put clusters into one stage each, and the names of those stages. */
export interface PlacingText {
  readonly commands: readonly string[];
  readonly stages: readonly string[];
}

/** Whether a cluster may be placed in this way. */
type Permission = (cluster: MemberCluster, placing: Placing) => boolean;

/** One command for all clusters that take the same labels; undefined where labels alone cannot place every cluster. */
export function placingText(
  clusters: readonly MemberCluster[],
  stages: readonly PlannedStage[],
  isAllowed: Permission = () => true,
): PlacingText | undefined {
  const placeOf = placerFor(stages);
  const groups = new Map<string, { readonly placing: Placing; readonly names: string[] }>();
  for (const cluster of clusters) {
    const placing = placeOf(cluster);
    if (placing === undefined || !isAllowed(cluster, placing)) return undefined;
    const key = JSON.stringify([...placing.labels]);
    const group = groups.get(key) ?? { placing, names: [] };
    group.names.push(cluster.metadata.name);
    groups.set(key, group);
  }
  return {
    commands: [...groups.values()].map(({ placing, names }) => labelClusters(names, placing.labels)),
    stages: [...groups.values()].map(({ placing }) => placing.stage.name),
  };
}
