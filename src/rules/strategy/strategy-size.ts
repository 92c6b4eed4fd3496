import { defineRule } from '../../engine/rule.js';
import { hasFewStages, isReadable } from '../stage-floor.js';
import type { Oversize } from '../../fleet/oversize.js';
import { mostInStrategy } from '../../fleet/strategy-size.js';

const { tasks, requirements, values, characters } = mostInStrategy;

export default defineRule({
  id: 'strategy-size',
  title: 'A strategy is small enough to be judged',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why:
    'Every write is judged within milliseconds, so that none keeps the others of the hub waiting; what is too large for ' +
    'that gets past all other rules. No strategy that people write comes near the bounds: ' +
    `${String(tasks)} tasks, ${String(requirements)} selector requirements and ${String(values)} selector values in all, and ${String(characters)} characters a text.`,
  fix: 'Make the strategy smaller: fewer tasks, requirements and values, and shorter texts.',

  floor: {
    kind: 'shape',
    validations: [
      {
        expression: `!(${hasFewStages}) || (${isReadable.expression})`,
        message:
          `it is too large to be judged: at most ${String(tasks)} tasks, ${String(requirements)} selector requirements, ` +
          `${String(values)} selector values and ${String(characters)} characters a text. Make the strategy smaller.`,
      },
    ],
  },

  *check({ object: { spec } }) {
    const { oversize } = spec;
    // Of too many stages the rule about stages tells.
    if (oversize === undefined || oversize.what === 'stages') return;
    yield { path: ['spec', ...oversize.path], message: textOf(oversize) };
  },
});

const texts: Readonly<Record<Exclude<Oversize['what'], 'stages'>, string>> = {
  tasks: 'tasks in all stages',
  requirements: 'requirements in the label selectors of all stages',
  values: 'values in the label selectors of all stages',
  characters: 'characters in one text',
};

function textOf({ what, count }: Oversize): string {
  const of = what === 'stages' ? what : texts[what];
  return `there are ${String(count)} ${of}; at most ${String(mostInStrategy[what])} can be judged`;
}
