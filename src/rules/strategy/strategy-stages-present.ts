import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { yamlLines } from '../../engine/yaml-lines.js';
import { mostStages } from '../../fleet/separate.js';

export default defineRule({
  id: 'strategy-stages-present',
  title: `A strategy has 1 to ${String(mostStages)} stages`,
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'The API takes an empty list of stages, but then every cluster is in no stage, and KubeFleet fails every run of the strategy.',
  fix: `List at least one stage and at most ${String(mostStages)}.`,

  *check({ object: { spec } }) {
    const path = ['spec', 'stages'];
    if (spec.stages.length === 0) {
      yield {
        path,
        message: 'there are no stages, so no cluster has a place in a run',
        fix: fixWith(
          'List at least one stage; this one takes every cluster of a placement.',
          ...yamlLines({ stages: [{ name: 'all', labelSelector: {} }] }),
        ),
      };
    }
    if (spec.stages.length > mostStages) {
      yield {
        path,
        message: `there are ${String(spec.stages.length)} stages; a strategy holds at most ${String(mostStages)}`,
      };
    }
  },
});
