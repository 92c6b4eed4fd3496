import { lostRunText } from '../../engine/lost-run.js';
import { defineRule } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';
import { isActive, isInitialized, isOver } from '../../fleet/run.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

export default defineRule({
  id: 'eviction-in-use',
  title: 'No placement is evicted from under a run',
  severity: 'warn',
  appliesTo: [{ family: 'Eviction', operations: ['CREATE'] }],
  reads: ['UpdateRun', 'Placement'],
  judges: 'write',
  why: 'An eviction takes a placement away from a cluster at once. KubeFleet then aborts every run that has the cluster in one of its stages, even where the scheduler picks the cluster again.',
  fix: 'Let the run finish first, if this can wait.',

  *check({ object: { spec } }, { facts }) {
    const { placementName: placement, clusterName: cluster } = spec;
    const runs = facts.list('UpdateRun', { placement }).filter((run) => isInitialized(run) && !isOver(run));
    const lost = runs.filter((run) => hasCluster(run, cluster));
    // KubeFleet refuses to evict what a policy names.
    if (lost.length === 0 || facts.get('Placement', placement)?.spec.policy?.placementType === 'PickFixed') return;
    const gravestFirst = [...lost.filter(isActive), ...lost.filter((run) => !isActive(run))];
    const causes = [`placement "${placement}" would be taken away from "${cluster}"`];
    for (const run of gravestFirst.slice(0, mostRuns)) {
      yield { path: ['spec', 'clusterName'], ...lostRunText(run, { causes, isCertain: true }) };
    }
  },
});

function hasCluster({ status }: UpdateRun, name: string): boolean {
  return (status.stagesStatus ?? []).some(({ clusters }) => clusters.some(({ clusterName }) => clusterName === name));
}
