import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { yamlLines } from '../wording/yaml-lines.js';
import { stages } from '../stage-floor.js';
import { mostInStrategy } from '../../fleet/strategy-size.js';

const { stages: mostStages } = mostInStrategy;

export default defineRule({
  id: 'strategy-stages-present',
  title: `A strategy has 1 to ${String(mostStages)} stages`,
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'The API takes an empty list of stages, but then every cluster is in no stage, and KubeFleet fails every run of the strategy.',
  fix: `List at least one stage and at most ${String(mostStages)}.`,

  floor: {
    kind: 'shape',
    variables: [stages],
    validations: [
      {
        expression: `size(variables.stages) >= 1 && size(variables.stages) <= ${String(mostStages)}`,
        message: `a strategy holds 1 to ${String(mostStages)} stages. List at least one stage; labelSelector: {} takes every cluster.`,
      },
    ],
  },

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
