import type { Binding, ClusterStatus, UpdateRun } from './model.js';
import { clustersUnderWay, isUpdated } from './run.js';

/** The resource snapshot that a cluster has. */
export interface ClusterVersion {
  readonly cluster: string;
  /** Its index; undefined where nothing has been rolled out there. */
  readonly index: string | undefined;
}

/**
 * Clusters that a run has updated and that have another snapshot by now: another run has overwritten them, or they were
 * bound anew. The controller never looks at an updated cluster again (KubeFleet updaterun/execution.go), so that the run
 * would go on, succeed, and leave them as they are.
 */
export function overwrittenClusters(run: UpdateRun, bindings: readonly Binding[]): readonly ClusterVersion[] {
  const own = run.status.resourceSnapshotIndexUsed;
  if (own === undefined || own === '') return [];
  const updated = clustersOf(run, isUpdated);
  return versionsOf(run, bindings).filter(({ cluster, index }) => updated.has(cluster) && index !== own);
}

/** Clusters that a run has yet to update and that have a newer snapshot than its own: it would take them back. */
export function newerClusters(run: UpdateRun, bindings: readonly Binding[]): readonly ClusterVersion[] {
  const own = run.status.resourceSnapshotIndexUsed;
  if (own === undefined || own === '') return [];
  const ahead = clustersOf(run, (cluster) => !isUpdated(cluster));
  return versionsOf(run, bindings).filter(
    ({ cluster, index }) => ahead.has(cluster) && index !== undefined && Number(index) > Number(own),
  );
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
  const own = run.status.resourceSnapshotIndexUsed;
  if (own === undefined || own === '') return [];
  const underWay = new Set(clustersUnderWay(run));
  return bindings.filter(isThere).flatMap((binding) => {
    const version = versionOf(run, binding);
    const isKept = version.index === own && binding.spec.state === 'Bound';
    return underWay.has(version.cluster) && !isKept ? [{ ...version, name: binding.metadata.name }] : [];
  });
}

function clustersOf({ status }: UpdateRun, isMeant: (cluster: ClusterStatus) => boolean): ReadonlySet<string> {
  const clusters = (status.stagesStatus ?? []).flatMap((stage) => stage.clusters);
  return new Set(clusters.filter(isMeant).map(({ clusterName }) => clusterName));
}

/** What the clusters of a placement have. */
function versionsOf(run: UpdateRun, bindings: readonly Binding[]): readonly ClusterVersion[] {
  return bindings.filter(isThere).map((binding) => versionOf(run, binding));
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
