import { fleetKeys } from './fleet-keys.js';
import type { ResourceSnapshot } from './model.js';
import { timeOf } from './rfc3339.js';

/** Whether KubeFleet has noted that the resources differ from its latest snapshot, and from when on it takes a new one. */
export interface NextSnapshot {
  readonly isNoted: boolean;
  /** Milliseconds since 1970. */
  readonly from: number;
}

/** The defaults of the hub agent (cmd/hubagent/options): how long it collects changes, and how old a snapshot is to be. */
const collectionMilliseconds = 15_000;
const intervalMilliseconds = 30_000;

/**
 * When a run without an index gets a new snapshot, if the resources have changed (pkg/utils/controller/
 * resource_snapshot_resolver.go shouldCreateNewResourceSnapshotNow). The first run that finds them changed only notes so,
 * in an annotation of the latest snapshot.
 */
export function nextSnapshot({ metadata }: ResourceSnapshot, now: number): NextSnapshot {
  // Where it is no time, KubeFleet notes the change anew.
  const noted = timeOf(metadata.annotations[fleetKeys.changeNoted]);
  const created = timeOf(metadata.creationTimestamp) ?? 0;
  const from = Math.max((noted ?? now) + collectionMilliseconds, created + intervalMilliseconds);
  return { isNoted: noted !== undefined, from };
}
