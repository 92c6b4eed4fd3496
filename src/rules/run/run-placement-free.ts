import { placementFreeRule, placementTaken } from '../../engine/conflict-text.js';
import type { Policy } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';
import { areCompatible, isActive } from '../../fleet/run.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

export default defineRule({
  id: placementFreeRule,
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
    for (const other of others.slice(0, mostRuns)) yield placementTaken(change, other);
  },
});

function mayOverlap(run: UpdateRun, other: UpdateRun, { concurrency }: Policy): boolean {
  return concurrency === 'off' || (concurrency === 'compatible' && areCompatible(run.spec, other.spec));
}
