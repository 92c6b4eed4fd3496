import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { ResourceSnapshot, UpdateRun } from '../../fleet/model.js';
import { nextSnapshot, type NextSnapshot } from '../../fleet/next-snapshot.js';
import { snapshotGroupsFor } from '../../fleet/rollout.js';
import { behaves } from '../../fleet/versions.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

const column = 'custom-columns=NAME:.metadata.name,SNAPSHOT:.status.resourceSnapshotIndexUsed';

export default defineRule({
  id: 'run-latest-snapshot',
  title: 'A run without an index may roll out the old resources',
  severity: 'warn',
  appliesTo: initializations,
  after: ['run-placement-exists'],
  reads: ['Placement', 'ResourceSnapshot'],
  why: 'A run without an index should take a new snapshot when the resources have changed. But with its default intervals, KubeFleet only notices a change when a run looks for it: that run rolls out the previous resources again and reports success, and only a run at least 15 seconds later gets the new ones.',
  fix: 'Create the run with state Initialize, check its status.resourceSnapshotIndexUsed, then start it.',

  *check({ object: run, name, namespace }, { facts, now, policy }) {
    if (behaves(policy.kubefleet.version, 'snapshots-by-runs') === 'no') return;
    const latest = latestFor(run, facts);
    const index = latest?.metadata.labels[fleetKeys.resourceIndex];
    if (latest === undefined || index === undefined) return;
    const next = nextSnapshot(latest, now);
    // The change was noted long enough ago: this run takes the new resources.
    if (next.isNoted && next.from <= now) return;
    const { state } = run.spec;
    yield {
      path: ['spec', 'resourceSnapshotIndex'],
      message: `${messageOf(quoted(index), next)}${state === 'Run' ? '; create it with state Initialize to see which one it takes' : ''}`,
      fix: fixWith(
        `Create the run with state Initialize and check with this command which snapshot it takes. If it is ${quoted(index)} although the resources have changed, delete the run and create it again 30 seconds later.`,
        kubectl('get', { family: 'UpdateRun', ...(name !== '' && { name }), namespace }, '-o', column),
      ),
      // Where the operator refuses this, the way that the fix names has to stay open.
      ...(state !== 'Run' && { atMost: 'warn' }),
    };
  },
});

/** The snapshot that a run without an index begins with. */
function latestFor({ spec }: UpdateRun, facts: Facts): ResourceSnapshot | undefined {
  const { placementName: placement, resourceSnapshotIndex } = spec;
  if (resourceSnapshotIndex !== undefined || facts.get('Placement', placement) === undefined) return undefined;
  const groups = snapshotGroupsFor({ spec }, facts);
  const latest = groups.latest();
  // At one that it cannot read KubeFleet gets stuck; run-snapshot-exists tells.
  const isTaken = latest?.metadata.labels[fleetKeys.isLatest] === 'true' && groups.latestLacks().length === 0;
  return isTaken ? latest : undefined;
}

function messageOf(index: string, { isNoted, from }: NextSnapshot): string {
  const time = `${new Date(from).toISOString().slice(11, 19)} UTC`;
  return isNoted
    ? `no index is set, and the resources have changed since snapshot ${index}: KubeFleet takes a new snapshot at ${time}, and until then rolls out ${index}`
    : `no index is set: if the resources have changed since snapshot ${index}, this run may still roll out ${index}; KubeFleet takes a new snapshot at ${time} or later`;
}
