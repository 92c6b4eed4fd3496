import type { ClusterSelectorTerm, MemberCluster, PlacementPolicy, Taint, Toleration } from './model.js';
import { matches } from './selector.js';

/** Whether a cluster is wanted; `perhaps` where it depends on properties of the cluster, which nobody here reads. */
export type Likelihood = 'yes' | 'perhaps' | 'no';

/**
 * Whether a placement takes up a cluster that it does not have yet, as soon as it can (KubeFleet scheduler, plugins
 * clusteraffinity and tainttoleration). A policy that names clusters or counts them does not, once it is fulfilled.
 * Clusters that it has stay, whatever becomes of their labels and taints.
 */
export function picks(policy: PlacementPolicy | undefined, { metadata, spec }: MemberCluster): Likelihood {
  if (policy === undefined) return spec.taints.length === 0 ? 'yes' : 'no';
  const { placementType = 'PickAll', clusterSelectorTerms: terms, tolerations } = policy;
  const isTolerated = tolerating(tolerations);
  if (placementType !== 'PickAll' || !spec.taints.every(isTolerated)) return 'no';
  const fitting = terms.filter((term) => fits(term, metadata.labels));
  if (terms.length === 0 || fitting.some(({ isOpen }) => !isOpen)) return 'yes';
  return fitting.length > 0 ? 'perhaps' : 'no';
}

/** Looked up, not compared one by one: there may be as many of the ones as of the others. */
function tolerating(tolerations: readonly Toleration[]): (taint: Taint) => boolean {
  const existing = tolerations.filter(({ operator }) => operator === 'Exists').map(({ key }) => key);
  const keys = new Set(existing);
  const pairs = new Set(
    tolerations.filter(({ key }) => key !== '').map(({ key, value }) => JSON.stringify([key, value])),
  );
  return ({ key, value }) => keys.has('') || keys.has(key) || pairs.has(JSON.stringify([key, value]));
}

/** A term that asks for no labels fits every cluster. */
function fits({ labelSelector }: ClusterSelectorTerm, labels: MemberCluster['metadata']['labels']): boolean {
  return labelSelector === undefined || matches(labelSelector, labels);
}
