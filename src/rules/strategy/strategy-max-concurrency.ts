import { celText } from '../../engine/cel.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { everyStage } from '../stage-floor.js';
import { yamlLines } from '../wording/yaml-lines.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';

/** KubeFleet reads maxConcurrency as an IntOrString, whose number is an int32. */
const most = 2 ** 31 - 1;

/** The pattern of the CRD. */
const percentage = /^(?:100|[1-9][0-9]?)%$/;

export default defineRule({
  id: 'strategy-max-concurrency',
  title: 'maxConcurrency is a number from 1 or a percentage',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'If KubeFleet cannot read the number of one strategy, it no longer finds any new strategy on the hub. With less than one cluster at a time, a rollout makes no progress.',
  fix: 'Set maxConcurrency to a whole number from 1 up, or to a percentage from 1% to 100%.',

  floor: everyStage(
    '(!has(s.maxConcurrency) || (type(s.maxConcurrency) == int ' +
      `? s.maxConcurrency >= 1 && s.maxConcurrency <= ${String(most)} ` +
      `: string(s.maxConcurrency).matches(${celText(percentage.source)})))`,
    'maxConcurrency is neither a number that KubeFleet can read nor a percentage. Set it to a whole number from 1 up, or to a percentage from 1% to 100%.',
  ),

  *check({ object: { spec } }) {
    if (isOversize(spec)) return;
    for (const [index, { name, maxConcurrency }] of spec.stages.entries()) {
      const problem = maxConcurrency === undefined ? undefined : problemOf(maxConcurrency);
      if (problem === undefined) continue;
      const path = ['spec', 'stages', index, 'maxConcurrency'];
      yield { ...problem, path, message: `stage ${quoted(name)}: maxConcurrency ${problem.message}` };
    }
  },
});

type Problem = Omit<Violation, 'path'>;

function problemOf(value: number | string): Problem | undefined {
  return typeof value === 'number' ? numberProblem(value) : stringProblem(value);
}

function numberProblem(value: number): Problem | undefined {
  if (value < 1) return { message: `is ${String(value)}, but must be at least 1` };
  if (value <= most) return undefined;
  return {
    message: `is ${String(value)}, but KubeFleet can read at most ${String(most)}; beyond that it no longer finds any new strategy on the hub`,
    fix: fixWith(
      'Set the number of clusters that are updated at the same time, or a percentage of them.',
      ...yamlLines({ maxConcurrency: '100%' }),
    ),
  };
}

function stringProblem(value: string): Problem | undefined {
  if (percentage.test(value)) return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(value)) {
    return {
      message: `is the text ${quoted(value)}, but a number must be written without quotes`,
      fix: fixWith('Remove the quotes.', ...yamlLines({ maxConcurrency: Number(value) })),
      edit: { of: 'value', to: Number(value) },
    };
  }
  return { message: `is ${quoted(value)}, but must be a whole number or a percentage from 1% to 100%` };
}
