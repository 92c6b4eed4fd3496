import { outdate } from '../wording/snapshot.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { ResourceSnapshot, UpdateRun } from '../../fleet/model.js';
import { nextSnapshot } from '../../fleet/next-snapshot.js';
import { quoted } from '../../fleet/quoted.js';
import { snapshotGroupsFor } from '../../fleet/rollout.js';
import { indexOf, partCount } from '../../fleet/snapshot-group.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-snapshot-parts',
  title: 'The snapshot of a namespaced run is in one part',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-snapshot-exists'],
  reads: ['ResourceSnapshot', 'OverrideSnapshot'],
  why: 'Resources of more than 800 KiB are kept in several snapshots. As soon as there is one ClusterResourceOverride or ResourceOverride on the hub, of whomever and for whatever, KubeFleet looks for the parts of a namespaced placement in cluster scope, does not find them, and fails the run.',
  fix: 'Select less with the placement, so that its snapshot has one part; or place the resources with a ClusterResourcePlacement and a run of cluster scope; or remove the overrides of the hub.',

  *check({ object: run, namespace }, { facts, now }) {
    if (namespace === undefined) return;
    const master = masterFor(run, facts);
    const parts = (master && partCount(master)) ?? 1;
    if (master === undefined || parts === 1) return;
    const snapshot = `resource snapshot ${quoted(indexOf(master))} is in ${String(parts)} parts`;
    const path = ['spec', 'resourceSnapshotIndex'];
    if (!hasOverrides(facts)) {
      const message = `${snapshot}: in a namespace, a run of it fails if anyone creates a ClusterResourceOverride or ResourceOverride before it is initialized`;
      yield { path, message, atMost: 'warn' };
      return;
    }
    const message = `${snapshot}, and there are overrides on this hub: KubeFleet then fails a run of it in a namespace, whatever they are for`;
    const isCertain = run.spec.resourceSnapshotIndex !== undefined || !mayBeReplaced(master, now);
    yield { path, message, ...(isCertain ? { fix: wayRound(master, run, facts) } : { atMost: 'warn' }) };
  },
});

/** The first part of the snapshot that the run names, or begins with. */
function masterFor(run: UpdateRun, facts: Facts): ResourceSnapshot | undefined {
  const groups = snapshotGroupsFor(run, facts);
  const latest = groups.latest();
  const index = run.spec.resourceSnapshotIndex ?? (latest && indexOf(latest));
  return index === undefined ? undefined : groups.master(index);
}

/** KubeFleet asks for the latest snapshots of all overrides (pkg/utils/overrider/overrider.go). */
function hasOverrides(facts: Facts): boolean {
  const snapshots = facts.everywhere('OverrideSnapshot');
  return snapshots.some(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
}

/** Whether a run without an index gets a new snapshot instead, if the resources have changed. */
function mayBeReplaced(latest: ResourceSnapshot, now: number): boolean {
  const next = nextSnapshot(latest, now);
  return latest.metadata.labels[fleetKeys.isLatest] !== 'true' || (next.isNoted && next.from <= now);
}

const otherWays =
  'Or place the resources with a ClusterResourcePlacement and a run of cluster scope, or remove all overrides of the hub.';

/** A run without an index takes a snapshot that is in one part, as soon as the latest is not this one. */
function wayRound(snapshot: ResourceSnapshot, run: UpdateRun, facts: Facts): string {
  const groups = snapshotGroupsFor(run, facts);
  if (groups.latest() !== snapshot) {
    return `Send the run without resourceSnapshotIndex, or with that of a snapshot in one part. ${otherWays}`;
  }
  return fixWith(
    `Select less with the placement, so that its snapshot has one part, mark this one as outdated (this may take a fleet admin), and send the run without resourceSnapshotIndex. ${otherWays}`,
    ...outdate({ snapshot, lacks: [], groups }),
  );
}
