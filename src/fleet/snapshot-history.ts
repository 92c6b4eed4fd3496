import { fleetKeys, type Placement, type ResourceSnapshot } from './model.js';

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
