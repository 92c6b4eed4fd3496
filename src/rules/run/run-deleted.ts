import { count, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { describeSnapshot, snapshotIndexOf } from '../wording/run.js';
import { conditionOf, type ClusterStatus } from '../../fleet/model.js';
import { phaseOf } from '../../fleet/run.js';

export default defineRule({
  id: 'run-deleted',
  title: 'A rollout that is given up half-way is a known one',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['DELETE'] }],
  reads: [],
  judges: 'write',
  why: 'KubeFleet rolls nothing back when a run is deleted: clusters that were updated keep the new version, all others the old, and with the run goes the record of which is which.',
  fix: 'Write down which clusters have which version, and create a new run that brings them together.',

  *check({ oldObject: run }) {
    const phase = phaseOf(run);
    if (phase === 'finished' || phase === 'deleting') return;
    const clusters = (run.status.stagesStatus ?? []).flatMap((stage) => stage.clusters);
    const removals = run.status.deletionStageStatus?.clusters ?? [];
    const [failed, others] = [clusters.filter(isFailed), clusters.filter((cluster) => !isFailed(cluster))];
    const [updated, waiting] = [others.filter(isStarted), others.filter((cluster) => !isStarted(cluster))];
    const unremoved = removals.filter((cluster) => !isStarted(cluster));
    const hasBegun = [...clusters, ...removals].some(isStarted);
    if (!hasBegun || failed.length + waiting.length + unremoved.length === 0) return;
    // One warning each, the names at its end: a warning that is too long is cut there.
    for (const [which, what] of [
      [updated, `nothing is rolled back, so ${keep(updated)} ${describeSnapshot(snapshotIndexOf(run))}`],
      [waiting, `nothing more is rolled out, so ${keep(waiting)} what was there before`],
      [unremoved, `nothing will be removed any more, so ${keep(unremoved)} the resources that were to go`],
      [failed, `the update of ${count(failed.length, 'cluster')} failed, so the run does not know what is there now`],
    ] as const) {
      if (which.length === 0) continue;
      yield { path: [], message: `${what}: ${quoteList(which.map(({ clusterName }) => clusterName))}` };
    }
  },
});

/** A cluster whose update has begun gets the new version, whatever becomes of the run. */
function isStarted({ conditions }: ClusterStatus): boolean {
  return conditionOf(conditions, 'Started')?.status === 'True';
}

/** KubeFleet gives up a cluster when somebody else has written to it (updaterun/execution.go executeUpdatingStage). */
function isFailed({ conditions }: ClusterStatus): boolean {
  return conditionOf(conditions, 'Succeeded')?.status === 'False';
}

/** `1 cluster keeps`, `2 clusters keep`. */
function keep(clusters: readonly ClusterStatus[]): string {
  return `${count(clusters.length, 'cluster')} ${clusters.length === 1 ? 'keeps' : 'keep'}`;
}
