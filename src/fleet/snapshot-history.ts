import { fleetKeys } from './fleet-keys.js';
import type { Placement, ResourceSnapshot, UpdateRun } from './model.js';
import { isUpdated } from './run.js';
import type { SnapshotGroups } from './snapshot-group.js';

/** The default of the CRD of placements. */
const defaultLimit = 10;

/** How many resource snapshots a placement keeps, the one that is being made included. */
export function historyLimit({ spec }: Pick<Placement, 'spec'>): number {
  return spec.revisionHistoryLimit ?? defaultLimit;
}

/** How many snapshots there are from an index on, that one included; undefined where it is not there any more. */
export function snapshotsFrom(index: string, snapshots: readonly ResourceSnapshot[]): number | undefined {
  const indices = new Set(snapshots.map(({ metadata }) => metadata.labels[fleetKeys.resourceIndex] ?? ''));
  if (!indices.has(index)) return undefined;
  return [...indices].filter((other) => Number(other) >= Number(index)).length;
}

/**
 * The indices that make room for a new snapshot (pkg/utils/controller/resource_snapshot_resolver.go
 * deleteRedundantResourceSnapshots).
 */
export function pushedOut(placement: Pick<Placement, 'spec'>, groups: SnapshotGroups): ReadonlySet<string> {
  return new Set(groups.indices().slice(historyLimit(placement) - 1));
}

/** The snapshot that a run still has to roll out to some cluster; undefined where it needs none any more. */
export function snapshotNeededBy({ status }: UpdateRun): string | undefined {
  const isNeeded = status.stagesStatus?.some(({ clusters }) => !clusters.every(isUpdated)) ?? true;
  return isNeeded ? status.resourceSnapshotIndexUsed || undefined : undefined;
}
