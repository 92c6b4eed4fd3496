import { defineRule } from '../../engine/rule.js';
import { selectorFaults } from '../../fleet/selector.js';

export default defineRule({
  id: 'strategy-selector-valid',
  title: 'The label selector of a stage can be read',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'The API takes any operator, key and value in a label selector; KubeFleet then fails every run of the strategy.',
  fix: 'Use the operators In and NotIn with values, Exists and DoesNotExist without, and keys and values that a label can have.',

  *check({ object: { spec } }) {
    for (const [index, { name, labelSelector }] of spec.stages.entries()) {
      if (labelSelector === undefined) continue;
      for (const { path, message, fix } of selectorFaults(labelSelector)) {
        yield {
          path: ['spec', 'stages', index, 'labelSelector', ...path],
          message: `stage "${name}": ${message}`,
          fix,
        };
      }
    }
  },
});
