import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { harmlessJson, plain, quoted } from '../../fleet/quoted.js';
import { creationsAndStarts } from '../targets.js';

/** The merge patch also takes `rollingUpdate` away, which KubeFleet's own webhook does not allow beside External. */
const toExternal = harmlessJson({ spec: { strategy: { type: 'External', rollingUpdate: null } } });

export default defineRule({
  id: 'run-placement-external',
  title: 'The placement of a run leaves its rollout to runs',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-finished', 'run-placement-exists'],
  reads: ['Placement'],
  why:
    'A placement that rolls out by itself (RollingUpdate, also the default) does not take part in staged runs: ' +
    'KubeFleet fails the run for good.',
  fix: 'Set spec.strategy.type of the placement to External.',

  *check({ object: run }, { facts }) {
    const name = run.spec.placementName;
    const placement = name === '' ? undefined : facts.get('Placement', name);
    if (placement === undefined) return;
    // KubeFleet defaulter.SetPlacementDefaults: no type means RollingUpdate.
    const type = placement.spec.strategy?.type || undefined;
    if (type === 'External') return;
    const found =
      type === undefined ? 'no spec.strategy.type, which means RollingUpdate' : `spec.strategy.type ${plain(type)}`;
    yield {
      path: ['spec', 'placementName'],
      message: `${placement.kind} ${quoted(name)} has ${found}, but staged runs need External`,
      fix: fixWith(
        'Hand the placement over to staged runs, then try again. This cannot be undone.',
        kubectl('patch', { family: 'Placement', name, namespace: facts.namespace }, '--type=merge', '-p', toExternal),
      ),
    };
  },
});
