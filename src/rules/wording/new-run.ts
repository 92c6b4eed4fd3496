import type { Facts } from '../../fleet/facts.js';
import type { RunSpec, UpdateRun } from '../../fleet/model.js';
import { afterwards } from './commands.js';
import { nextRunName, runManifest } from './manifest.js';
import { deleteRun } from './run.js';

/** The manifest of a run that takes the place of another one, which is deleted behind a comment sign. */
export function replacement({ metadata }: UpdateRun, spec: Omit<RunSpec, 'state'>, facts: Facts): readonly string[] {
  const { name, namespace } = metadata;
  const taken = new Set(facts.some('UpdateRun').map((run) => run.metadata.name));
  return [
    ...runManifest({ name: nextRunName(name, taken), namespace, spec: { ...spec, state: 'Run' } }),
    afterwards(deleteRun(name, namespace)),
  ];
}
