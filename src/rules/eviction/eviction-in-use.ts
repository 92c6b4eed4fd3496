import { lostRunText } from '../wording/lost-run.js';
import { defineRule } from '../../engine/rule.js';
import { firstOf, lostRuns } from '../../fleet/lost-runs.js';
import { quoted } from '../../fleet/quoted.js';
import { behaves } from '../../fleet/versions.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

export default defineRule({
  id: 'eviction-in-use',
  title: 'No placement is evicted from under a run',
  severity: 'warn',
  appliesTo: [{ family: 'Eviction', operations: ['CREATE'] }],
  reads: ['UpdateRun', 'Placement', 'PolicySnapshot', 'MemberCluster'],
  judges: 'write',
  why:
    'An eviction takes a placement away from a cluster at once. KubeFleet aborts every run that has the cluster in one ' +
    'of its stages, unless the scheduler happens to pick the same cluster again in time; and then the cluster is left ' +
    'without the resources that the run has brought there.',
  fix: 'Let the run finish first, if this can wait.',

  *check({ object: { spec } }, { facts, policy }) {
    const isInFlux = behaves(policy.kubefleet.version, 'clusters-kept') === 'perhaps';
    const { placementName: placement, clusterName: name } = spec;
    const runs = facts.list('UpdateRun', { placement });
    // KubeFleet refuses to evict what a policy names.
    if (runs.length === 0 || facts.get('Placement', placement)?.spec.policy?.placementType === 'PickFixed') return;
    const leaving = { name, before: facts.get('MemberCluster', name), after: undefined };
    const causes = [`placement ${quoted(placement)} would be taken away from ${quoted(name)}`];
    for (const { run } of firstOf(mostRuns, lostRuns(leaving, runs, facts))) {
      // Whether the eviction is carried out, and what the scheduler makes of it, nobody can know yet.
      const text = lostRunText(run, { causes, isCertain: false });
      yield { path: ['spec', 'clusterName'], ...text, ...(isInFlux && { atMost: 'warn' }) };
    }
  },
});
