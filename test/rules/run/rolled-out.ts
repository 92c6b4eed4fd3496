import { binding, condition, run, update, type ChangeDraft, type Draft, type Json } from '../../support/builders.js';

export const initialized = condition('Initialized', 'True');

/** A run that was stopped half-way: it has updated some clusters to a snapshot, and has others ahead. */
export function updatedBy(
  index: string,
  updated: readonly string[],
  ahead: readonly string[],
  conditions: readonly Json[] = [initialized, condition('Progressing', 'False', 'UpdateRunStopped')],
): Draft<'UpdateRun'> {
  const done = updated.map((clusterName) => ({ clusterName, conditions: [condition('Succeeded', 'True')] }));
  const clusters = [...done, ...ahead.map((clusterName) => ({ clusterName }))];
  const stagesStatus = [{ stageName: 'canary', clusters }];
  return run('release', { status: { resourceSnapshotIndexUsed: index, stagesStatus, conditions } });
}

/** A run that goes from Stop to Run. */
export function stopped(release: Draft<'UpdateRun'>): ChangeDraft {
  const before = { ...release, json: { ...release.json, spec: { ...(release.json['spec'] as Json), state: 'Stop' } } };
  return update(before, release);
}

/** A binding of a cluster that has a snapshot. */
export function bound(
  cluster: string,
  index: number,
  { state = 'Bound', name, deletionTimestamp }: { state?: string; name?: string; deletionTimestamp?: string } = {},
): Draft<'Binding'> {
  const { family, json } = binding(cluster, { state });
  const metadata = {
    ...(json['metadata'] as Json),
    ...(name !== undefined && { name }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  const spec = { ...(json['spec'] as Json), resourceSnapshotName: `shop-${String(index)}-snapshot` };
  return { family, json: { ...json, metadata, spec } };
}
