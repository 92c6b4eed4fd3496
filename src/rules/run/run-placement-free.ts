import type { Creation, Update } from '../../engine/change.js';
import { setState } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import type { Policy } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import { deleteRun, describeRun, describeSnapshot, snapshotIndexOf, waitForRun } from '../../engine/run-text.js';
import type { UpdateRun } from '../../fleet/model.js';
import { isActive, phaseOf } from '../../fleet/run.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

/** A line between the commands of a fix. */
const startLater = '# Or create this run with "state: Initialize" now, and start it when the other one has finished:';

type Start = Creation<'UpdateRun'> | Update<'UpdateRun'>;

export default defineRule({
  id: 'run-placement-free',
  title: 'One active run at a time for each placement',
  severity: 'deny',
  appliesTo: [
    { family: 'UpdateRun', operations: ['CREATE'] },
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' },
  ],
  after: ['run-finished'],
  reads: ['UpdateRun'],
  why:
    'Two runs of one placement overwrite each other. KubeFleet aborts a run whose cluster it sees changed; where it does ' +
    'not see it, both runs report success and the clusters are left with different versions.',
  fix: 'Wait for the other run, or stop or delete it.',

  *check(change, { facts, policy }) {
    const run = change.object;
    if (run.spec.state !== 'Run') return;
    const others = facts
      .list('UpdateRun', { placement: run.spec.placementName })
      .filter((other) => other.metadata.name !== change.name && isActive(other) && !mayOverlap(run, other, policy));
    for (const other of others.slice(0, mostRuns)) {
      yield { path: ['spec', 'placementName'], message: conflict(change, other), fix: wayOut(change, other) };
    }
  },
});

function mayOverlap(run: UpdateRun, other: UpdateRun, { concurrency }: Policy): boolean {
  if (concurrency !== 'compatible') return concurrency === 'off';
  const { stagedRolloutStrategyName: strategy, resourceSnapshotIndex: index } = run.spec;
  // Without an explicit index it is open which snapshot a run will get.
  return (
    index !== undefined &&
    index === other.spec.resourceSnapshotIndex &&
    strategy === other.spec.stagedRolloutStrategyName
  );
}

function conflict({ operation, object: run }: Start, other: UpdateRun): string {
  // The status of a run that is only being created is not KubeFleet's word.
  const index = operation === 'CREATE' ? run.spec.resourceSnapshotIndex : snapshotIndexOf(run);
  return (
    `placement "${run.spec.placementName}" is in use by run "${other.metadata.name}", which is ${describeRun(other)}; ` +
    `it rolls out ${describeSnapshot(snapshotIndexOf(other))}, this run ${describeSnapshot(index)}`
  );
}

function wayOut(change: Start, other: UpdateRun): string {
  const { name } = other.metadata;
  const { namespace } = change;
  const stop = setState(name, namespace, 'Stop');
  const remove = deleteRun(name, namespace);
  const again = change.operation === 'CREATE' ? 'apply this run again' : 'start this run again';
  if (phaseOf(other) === 'stuck') {
    return fixWith(`Stop the stuck run or delete it, with one of these commands, then ${again}.`, stop, remove);
  }
  return fixWith(
    `Wait for run "${name}", stop it or delete it (nothing is rolled back), with one of these commands, then ${again}.`,
    ...[waitForRun(name, namespace), stop, remove],
    ...(change.operation === 'CREATE' ? [startLater] : []),
    setState(change.name || 'NAME', namespace, 'Run'),
  );
}
