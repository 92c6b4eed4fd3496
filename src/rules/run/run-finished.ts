import { lostBindingText } from '../wording/cluster-versions.js';
import { nextRunName, runManifest } from '../wording/manifest.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import { conditionOf, type UpdateRun } from '../../fleet/model.js';
import { quotedSentence } from '../../fleet/quoted.js';
import { lostBindings } from '../../fleet/cluster-versions.js';
import { phaseOf } from '../../fleet/run.js';

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
  mentions: ['UpdateRun', 'Binding'],
  why:
    'KubeFleet never looks again at a run that has finished or failed. A new state is stored without any error and changes ' +
    'nothing, and the status stays as it was.',
  fix: 'Create a new run with a new name.',

  *check({ object: run, oldObject, name, namespace }, { facts }) {
    const phase = phaseOf(oldObject);
    if (phase !== 'finished' && phase !== 'failed') return;
    const path = ['spec', 'state'];
    const over = phase === 'finished' ? 'has finished' : 'has failed';
    const reason = reasonOf(oldObject);
    if (run.spec.state === 'Stop') {
      yield {
        path,
        message: `the run ${over}: there is nothing left to stop${reason}`,
        fix: 'Leave the run as it is.',
        atMost: 'warn',
      };
      return;
    }
    const taken = new Set(facts.some('UpdateRun').map(({ metadata }) => metadata.name));
    const next = { name: nextRunName(name, taken), namespace, spec: run.spec };
    yield {
      path,
      message: `the run ${over}, and KubeFleet does not start it again${lossText(oldObject, facts)}${reason}`,
      fix: fixWith('Create a new run, for example this one.', ...runManifest(next)),
    };
  },
});

/** More bindings than this only hide the first. */
const mostBindings = 3;

/** Another run has written to what this one was updating. */
function lossText(run: UpdateRun, facts: Facts): string {
  if (phaseOf(run) !== 'failed') return '';
  const lost = lostBindings(run, facts.some('Binding', { placement: run.spec.placementName }));
  const texts = lost.slice(0, mostBindings).map(lostBindingText);
  return texts.length === 0 ? '' : `; it had lost ${texts.join(', and ')}`;
}

/** Last, since it can be long. */
function reasonOf({ status }: UpdateRun): string {
  const failed = ['Succeeded', 'Initialized'].map((type) => conditionOf(status.conditions, type));
  const message = failed.find((condition) => condition?.status === 'False')?.message ?? '';
  // Flux with force deletes and re-creates what is refused in these words, and they may have come from anywhere.
  if (message.trim() === '' || /immutable/i.test(message)) return '';
  return `; KubeFleet said: ${quotedSentence(message)}`;
}
