import { fleetKeys, type ResourceSnapshot } from './model.js';

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
  const noted = timeOf(metadata.annotations[fleetKeys.changeNoted]);
  const created = timeOf(metadata.creationTimestamp) ?? 0;
  const from = Math.max((noted ?? now) + collectionMilliseconds, created + intervalMilliseconds);
  return { isNoted: noted !== undefined, from };
}

/** RFC 3339, as Go reads it; undefined where it cannot, and then KubeFleet notes the change anew. */
function timeOf(text = ''): number | undefined {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isTime ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
