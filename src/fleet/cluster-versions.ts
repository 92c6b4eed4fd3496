import { sameJson } from './json.js';
import type { Binding, ClusterStatus, UpdateRun } from './model.js';
import { timeOf } from './rfc3339.js';
import { clustersUnderWay, isUpdated } from './run.js';

/** The resource snapshot that a cluster has. */
export interface ClusterVersion {
  readonly cluster: string;
  /** Its index; undefined where nothing has been rolled out there. */
  readonly index: string | undefined;
  /** Set where the snapshot is the one that is wanted, and the overrides of it are not. */
  readonly hasOtherOverrides?: true;
}

/**
 * Clusters that a run has updated and that have another snapshot by now, or the same with other overrides: another run
 * has overwritten them, or they were bound anew. The controller never looks at an updated cluster again (KubeFleet
 * updaterun/execution.go), so that the run would go on, succeed, and leave them as they are.
 */
export function overwrittenClusters(run: UpdateRun, bindings: readonly Binding[]): readonly ClusterVersion[] {
  return othersOf(run, bindings, { isMeant: isUpdated }).map(({ version }) => version);
}

/**
 * Clusters that a run has yet to update and that have a newer snapshot than its own: it would take them back. Whoever
 * named the index of a run when they had the newer one already wants them back.
 */
export function newerClusters(run: UpdateRun, bindings: readonly Binding[]): readonly ClusterVersion[] {
  const own = indexUsedBy(run);
  if (own === undefined) return [];
  const ahead = clustersOf(run, (cluster) => !isUpdated(cluster));
  const isNewer = (index: string | undefined): boolean => index !== undefined && Number(index) > Number(own);
  return bindings
    .filter((binding) => isThere(binding) && ahead.has(binding.spec.targetCluster) && !isKnownBy(run, binding))
    .map((binding) => versionOf(run, binding))
    .filter(({ index }) => isNewer(index));
}

/** Whether what a binding has was there when the run was created, and the run names the snapshot that is to be there. */
function isKnownBy({ metadata, spec }: UpdateRun, { rolledOutAt }: Binding): boolean {
  const created = timeOf(metadata.creationTimestamp);
  const rolledOut = timeOf(rolledOutAt);
  const isBefore = created !== undefined && rolledOut !== undefined && rolledOut < created;
  return isBefore && spec.resourceSnapshotIndex !== undefined;
}

/** A binding that is no longer as a run has left it. */
export interface LostBinding extends ClusterVersion {
  readonly name: string;
}

/**
 * Clusters that a run is updating and whose binding somebody else has written meanwhile: the controller aborts the run as
 * soon as it looks at one of them (KubeFleet updaterun/execution.go executeUpdatingStage).
 */
export function lostBindings(run: UpdateRun, bindings: readonly Binding[]): readonly LostBinding[] {
  const underWay = new Set(clustersUnderWay(run));
  const isMeant = ({ clusterName }: ClusterStatus): boolean => underWay.has(clusterName);
  return othersOf(run, bindings, { isMeant, isBound: true }).map(({ binding, version }) => ({
    ...version,
    name: binding.metadata.name,
  }));
}

interface Wanted {
  readonly isMeant: (cluster: ClusterStatus) => boolean;
  /** Whether the binding has to be bound as well. */
  readonly isBound?: boolean;
}

interface Other {
  readonly binding: Binding;
  readonly version: ClusterVersion;
}

/**
 * The bindings of some clusters of a run that do not have what it gives them. A cluster that is named twice is bound
 * twice, and the controller goes by one of the two (executeUpdatingStage): such a cluster is as it should be if one is.
 */
function othersOf(run: UpdateRun, bindings: readonly Binding[], { isMeant, isBound }: Wanted): readonly Other[] {
  const own = indexUsedBy(run);
  if (own === undefined) return [];
  const wanted = clustersOf(run, isMeant);
  const meant = bindings.filter((binding) => isThere(binding) && wanted.has(binding.spec.targetCluster));
  const judged = meant.map((binding) => {
    const version = versionOf(run, binding);
    const { overrides = [], state } = binding.spec;
    const isSame = sameJson(overrides, wanted.get(version.cluster)?.overrides ?? []);
    const hasOtherOverrides = version.index === own && !isSame;
    const isKept = version.index === own && isSame && (isBound !== true || state === 'Bound');
    return { binding, isKept, version: { ...version, ...(hasOtherOverrides && { hasOtherOverrides }) } };
  });
  const kept = new Set(judged.filter(({ isKept }) => isKept).map(({ version }) => version.cluster));
  return judged.filter(({ version }) => !kept.has(version.cluster));
}

/** The snapshot that a run rolls out; undefined where that has been lost from its status. */
function indexUsedBy({ status }: UpdateRun): string | undefined {
  return status.resourceSnapshotIndexUsed || undefined;
}

function clustersOf(
  { status }: UpdateRun,
  isMeant: (cluster: ClusterStatus) => boolean,
): ReadonlyMap<string, ClusterStatus> {
  const clusters = (status.stagesStatus ?? []).flatMap((stage) => stage.clusters);
  return new Map(clusters.filter(isMeant).map((cluster) => [cluster.clusterName, cluster]));
}

/** A binding that goes says nothing of what will be there. */
function isThere({ metadata, spec }: Binding): boolean {
  return metadata.deletionTimestamp === undefined && spec.state !== 'Unscheduled';
}

function versionOf({ spec }: UpdateRun, binding: Binding): ClusterVersion {
  const { targetCluster: cluster, resourceSnapshotName: name = '' } = binding.spec;
  return { cluster, index: indexOf(name, spec.placementName) };
}

/** KubeFleet names a snapshot after its placement and index (apis/placement/v1beta1 ResourceSnapshotNameFmt). */
function indexOf(name: string, placement: string): string | undefined {
  const [prefix, suffix] = [`${placement}-`, '-snapshot'];
  const index = name.startsWith(prefix) && name.endsWith(suffix) ? name.slice(prefix.length, -suffix.length) : '';
  return /^\d+$/.test(index) ? index : undefined;
}
