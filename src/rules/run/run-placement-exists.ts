import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { missingText } from '../wording/missing-object.js';
import { defineRule } from '../../engine/rule.js';
import { isObjectName } from '../../fleet/kinds.js';
import { quoted } from '../../fleet/quoted.js';
import { creationsAndStarts } from '../targets.js';

export default defineRule({
  id: 'run-placement-exists',
  title: 'A run names a placement of its own scope',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-finished'],
  reads: ['Placement'],
  why:
    'KubeFleet looks for the placement once, in cluster scope or in the namespace of the run. ' +
    'Where there is none the run fails for good, even if the placement is created a second later.',
  fix: 'Create the placement before the run.',

  *check({ object: run }, { facts }) {
    const path = ['spec', 'placementName'];
    const name = run.spec.placementName;
    const placement = isObjectName(name) ? facts.get('Placement', name) : undefined;
    if (placement === undefined) {
      yield { path, ...missingText({ family: 'Placement', name }, facts) };
    } else if (placement.metadata.deletionTimestamp !== undefined) {
      yield {
        path,
        message: `${placement.kind} ${quoted(name)} is being deleted, and a run of it fails half-way`,
        fix: fixWith(
          'Wait until it is gone, create it again, then try again.',
          kubectl('wait', { family: 'Placement', name, namespace: facts.namespace }, '--for=delete', '--timeout=5m'),
        ),
      };
    }
  },
});
