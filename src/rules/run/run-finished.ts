import { nextRunName, runManifest } from '../../engine/manifest.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { conditionOf, type UpdateRun } from '../../fleet/model.js';
import { phaseOf } from '../../fleet/run.js';

/** As much of a reason as one can read at a glance. */
const longestReason = 200;

export default defineRule({
  id: 'run-finished',
  title: 'A run that is over stays over',
  severity: 'deny',
  appliesTo: [
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' },
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Stop' },
  ],
  after: ['run-fixed-fields'],
  reads: [],
  mentions: ['UpdateRun'],
  why:
    'KubeFleet never looks again at a run that has finished or failed. A new state is stored without a word and changes ' +
    'nothing, and the status stays as it was.',
  fix: 'Create a new run with a new name.',

  *check({ object: run, oldObject, name, namespace }, { facts }) {
    const phase = phaseOf(oldObject);
    if (phase !== 'finished' && phase !== 'failed') return;
    const path = ['spec', 'state'];
    const over = phase === 'finished' ? 'has finished' : `has failed${reasonOf(oldObject)}`;
    if (run.spec.state === 'Stop') {
      yield {
        path,
        message: `the run ${over}: there is nothing left to stop`,
        fix: 'Leave the run as it is.',
        atMost: 'warn',
      };
      return;
    }
    const taken = new Set(facts.some('UpdateRun').map(({ metadata }) => metadata.name));
    const next = { name: nextRunName(name, taken), namespace, spec: run.spec };
    yield {
      path,
      message: `the run ${over}, and KubeFleet does not start it again`,
      fix: fixWith('Create a new run, for example this one.', ...runManifest(next)),
    };
  },
});

function reasonOf({ status }: UpdateRun): string {
  const failed = ['Succeeded', 'Initialized'].map((type) => conditionOf(status.conditions, type));
  const message = failed.find((condition) => condition?.status === 'False')?.message ?? '';
  const line = message.replaceAll(/\s+/g, ' ').trim();
  // Flux with force deletes and re-creates what is refused in these words, and they may have come from anywhere.
  if (line === '' || /immutable/i.test(line)) return '';
  return line.length <= longestReason ? ` (${line})` : ` (${line.slice(0, longestReason)}…)`;
}
