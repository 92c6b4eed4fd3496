import type { Change } from '../../engine/change.js';
import type { Facts } from '../../fleet/facts.js';
import type { RunSpec, UpdateRun } from '../../fleet/model.js';
import { afterwards } from './commands.js';
import { nextRunName, runManifest } from './manifest.js';
import { deleteRun } from './run.js';

type RunWrite = Exclude<Change<'UpdateRun'>, { operation: 'DELETE' }>;

/** Whether the run is stored with its index: the API lets nobody change it. */
export function hasFixedIndex(change: RunWrite): boolean {
  if (change.operation !== 'UPDATE') return false;
  const { oldObject, object } = change;
  return oldObject.spec.resourceSnapshotIndex === object.spec.resourceSnapshotIndex;
}

export const cannotChangeIndex =
  'The index of a stored run cannot be changed: create this run instead, and delete the stored one.';

/** The manifest of a run that takes the place of another one, which is deleted behind a comment sign. */
export function replacement({ metadata }: UpdateRun, spec: Omit<RunSpec, 'state'>, facts: Facts): readonly string[] {
  const { name, namespace } = metadata;
  const taken = new Set(facts.some('UpdateRun').map((run) => run.metadata.name));
  return [
    ...runManifest({ name: nextRunName(name, taken), namespace, spec: { ...spec, state: 'Run' } }),
    afterwards(deleteRun(name, namespace)),
  ];
}
