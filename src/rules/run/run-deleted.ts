import { quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { describeSnapshot, snapshotIndexOf } from '../../engine/run-text.js';
import { conditionOf, type ClusterStatus } from '../../fleet/model.js';
import { phaseOf } from '../../fleet/run.js';

/** Two lists of more names than this do not fit into a warning. */
const mostNames = 4;

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
    const started = clusters.filter(isStarted);
    const waiting = clusters.filter((cluster) => !isStarted(cluster));
    const unremoved = (run.status.deletionStageStatus?.clusters ?? []).filter((cluster) => !isStarted(cluster));
    if (started.length === 0 || waiting.length + unremoved.length === 0) return;
    const parts = [
      `${have(started)} ${describeSnapshot(snapshotIndexOf(run))}`,
      ...(waiting.length > 0 ? [`${have(waiting)} what was there before`] : []),
      ...(unremoved.length > 0 ? [`${have(unremoved, 'still ')} the resources that were to be removed`] : []),
    ];
    yield { path: [], message: `the rollout ends half-way and nothing is rolled back: ${parts.join('; ')}` };
  },
});

/** A cluster whose update has begun gets the new version, whatever becomes of the run. */
function isStarted({ conditions }: ClusterStatus): boolean {
  return conditionOf(conditions, 'Started')?.status === 'True';
}

/** `"a" has`, `"a", "b", "c" and 9 more have`. */
function have(clusters: readonly ClusterStatus[], adverb = ''): string {
  const names = clusters.map(({ clusterName }) => clusterName).sort();
  const isTooLong = names.length > mostNames;
  const shown = names.slice(0, isTooLong ? mostNames - 1 : mostNames);
  const text = isTooLong
    ? `${shown.map((name) => JSON.stringify(name)).join(', ')} and ${String(names.length - shown.length)} more`
    : quoteList(shown);
  return `${text} ${adverb}${names.length === 1 ? 'has' : 'have'}`;
}
