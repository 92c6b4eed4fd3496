import { binding, condition, run, update, type ChangeDraft, type Draft, type Json } from '../../support/builders.js';

export const initialized = condition('Initialized', 'True');

/** A run that was stopped half-way: it has updated some clusters to a snapshot, and has others ahead. */
export function updatedBy(
  index: string,
  updated: readonly string[],
  ahead: readonly string[],
  conditions: readonly Json[] = [initialized, condition('Progressing', 'False', 'UpdateRunStopped')],
): Draft<'UpdateRun'> {
  const succeeded = [condition('Started', 'True'), condition('Succeeded', 'True')];
  const done = updated.map((clusterName) => ({ clusterName, conditions: succeeded }));
  const clusters = [...done, ...ahead.map((clusterName) => ({ clusterName }))];
  const stagesStatus = [{ stageName: 'canary', clusters }];
  return run('release', { status: { resourceSnapshotIndexUsed: index, stagesStatus, conditions } });
}

/** A run that goes from Stop to Run. */
export function stopped(release: Draft<'UpdateRun'>): ChangeDraft {
  const before = { ...release, json: { ...release.json, spec: { ...(release.json['spec'] as Json), state: 'Stop' } } };
  return update(before, release);
}

interface BoundWith {
  readonly state?: string;
  readonly name?: string;
  readonly deletionTimestamp?: string;
  /** Those of cluster scope by name, those of a namespace behind a slash. */
  readonly overrides?: readonly string[];
  readonly rolledOutAt?: string;
}

/** The overrides of a cluster, as runs and bindings list them. */
export function overrideFields(overrides: readonly string[]): Json {
  const namespaced = overrides.filter((name) => name.includes('/')).map((name) => name.split('/'));
  return {
    clusterResourceOverrideSnapshots: overrides.filter((name) => !name.includes('/')),
    resourceOverrideSnapshots: namespaced.map(([namespace, name]) => ({ namespace, name })),
  };
}

/** A binding of a cluster that has a snapshot. */
export function bound(
  cluster: string,
  index: number,
  { state = 'Bound', name, deletionTimestamp, overrides = [], rolledOutAt }: BoundWith = {},
): Draft<'Binding'> {
  const { family, json } = binding(cluster, { state });
  const metadata = {
    ...(json['metadata'] as Json),
    ...(name !== undefined && { name }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  const spec = {
    ...(json['spec'] as Json),
    resourceSnapshotName: `shop-${String(index)}-snapshot`,
    ...overrideFields(overrides),
  };
  const started = { ...condition('RolloutStarted', 'True'), lastTransitionTime: rolledOutAt };
  const status = rolledOutAt === undefined ? {} : { conditions: [condition('Applied', 'True'), started] };
  return { family, json: { ...json, metadata, spec, status } };
}
