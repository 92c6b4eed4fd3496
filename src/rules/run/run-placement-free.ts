import { placementFreeRule, placementTaken } from '../wording/conflict.js';
import type { Policy } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';
import { areCompatible, isActive } from '../../fleet/run.js';
import { creationsAndStarts } from '../targets.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

export default defineRule({
  id: placementFreeRule,
  title: 'One active run at a time for each placement',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-finished'],
  reads: ['UpdateRun'],
  why:
    'Two runs of one placement overwrite each other. KubeFleet aborts a run whose cluster it sees changed; where it does ' +
    'not see it, both runs report success and the clusters are left with different versions.',
  fix: 'Wait for the other run, or stop or delete it.',

  *check(change, { facts, policy }) {
    const run = change.object;
    if (run.spec.state !== 'Run') return;
    const ofPlacement = { placement: run.spec.placementName };
    const others = facts
      .some('UpdateRun', ofPlacement)
      .filter((other) => other.metadata.name !== change.name && isActive(other) && !mayOverlap(run, other, policy));
    for (const other of others.slice(0, mostRuns)) yield placementTaken(change, other);
    // One that is known is reason enough. That there is none can only be said where all are known.
    if (others.length === 0) facts.list('UpdateRun', ofPlacement);
  },
});

/** Whether the operator lets two runs be active side by side. */
export function mayOverlap(run: UpdateRun, other: UpdateRun, { concurrency }: Policy): boolean {
  return concurrency === 'off' || (concurrency === 'compatible' && areCompatible(run.spec, other.spec));
}
