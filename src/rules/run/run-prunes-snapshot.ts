import { kubectl } from '../wording/commands.js';
import { describeRun } from '../wording/run.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import type { UpdateRun } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { placementOf, snapshotGroupsFor } from '../../fleet/rollout.js';
import { isInitialized, isOver } from '../../fleet/run.js';
import { pushedOut, snapshotNeededBy } from '../../fleet/snapshot-history.js';
import { behaves } from '../../fleet/versions.js';
import { initializations } from '../targets.js';

/** More runs than this are not told one by one. */
const mostRuns = 5;

export default defineRule({
  id: 'run-prunes-snapshot',
  title: 'A new snapshot pushes out none that a run still needs',
  severity: 'warn',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-snapshot-exists'],
  reads: ['Placement', 'ResourceSnapshot', 'UpdateRun'],
  why: 'A run without an index makes a new snapshot if the resources have changed, and before that KubeFleet removes the oldest beyond spec.revisionHistoryLimit. It does not ask whether an initialized or stopped run still has to roll one of them out; that run gets stuck at its next cluster.',
  fix: 'Let the other run finish first, or raise spec.revisionHistoryLimit of the placement.',

  *check({ object: run, name, namespace }, { facts, policy }) {
    const placement = placementOf(run, facts);
    if (placement === undefined || run.spec.resourceSnapshotIndex !== undefined) return;
    if (behaves(policy.kubefleet.version, 'snapshots-by-runs') === 'no') return;
    const groups = snapshotGroupsFor(run, facts);
    const leaving = pushedOut(placement, groups);
    if (leaving.size === 0) return;
    const others = otherRuns(run, name, facts).filter((other) => leaving.has(snapshotNeededBy(other) ?? ''));
    const limit = JSON.stringify({ spec: { revisionHistoryLimit: groups.indices().length + 1 } });
    const reference = { family: 'Placement', name: placement.metadata.name, namespace } as const;
    for (const other of others.slice(0, mostRuns)) {
      const index = snapshotNeededBy(other) ?? '';
      yield {
        path: ['spec', 'resourceSnapshotIndex'],
        message: `if the resources have changed, this run removes resource snapshot ${quoted(index)} from under run ${quoted(other.metadata.name)} (${describeRun(other)}), which then gets stuck`,
        fix: fixWith(
          'Let the other run finish first, or have the placement keep more snapshots.',
          kubectl('patch', reference, '--type=merge', '-p', limit),
        ),
      };
    }
  },
});

function otherRuns(run: UpdateRun, name: string, facts: Facts): readonly UpdateRun[] {
  const runs = facts.list('UpdateRun', { placement: run.spec.placementName });
  return runs.filter((other) => other.metadata.name !== name && isInitialized(other) && !isOver(other));
}
