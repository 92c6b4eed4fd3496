import { missingText } from '../wording/missing-object.js';
import { defineRule } from '../../engine/rule.js';
import { isObjectName } from '../../fleet/kinds.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-strategy-exists',
  title: 'A run names a strategy of its own scope',
  severity: 'deny',
  appliesTo: initializations,
  reads: ['UpdateStrategy'],
  why:
    'KubeFleet reads the strategy when it initializes the run, in cluster scope or in the namespace of the run. ' +
    'Where there is none the run fails for good, even if the strategy is created a second later.',
  fix: 'Create the strategy before the run.',

  *check({ object: run }, { facts }) {
    const name = run.spec.stagedRolloutStrategyName;
    if (isObjectName(name) && facts.get('UpdateStrategy', name) !== undefined) return;
    yield {
      path: ['spec', 'stagedRolloutStrategyName'],
      ...missingText({ family: 'UpdateStrategy', name }, facts),
    };
  },
});
