import { celText } from '../../engine/cel.js';
import { defineRule } from '../../engine/rule.js';
import { quoted } from '../../fleet/quoted.js';
import { all, everyStage } from '../stage-floor.js';
import {
  labelKeyPattern,
  labelValuePattern,
  longestKey,
  longestName,
  longestPrefix,
  selectorProblems,
} from '../../fleet/selector.js';
import { soundSelectors } from '../../fleet/stage.js';
import { isOversize } from '../../fleet/strategy-size.js';

const isKey = (key: string): string =>
  `(size(${key}) <= ${String(longestKey)} && ${key}.indexOf('/') <= ${String(longestPrefix)} && ` +
  `${key}.matches(${celText(labelKeyPattern)}))`;

const isValue = (value: string): string =>
  `(${value} == '' || (size(${value}) <= ${String(longestName)} && ${value}.matches(${celText(labelValuePattern)})))`;

const isRequirement =
  `${isKey('e.key')} && (e.operator in ['In', 'NotIn'] ` +
  `? has(e.values) && size(e.values) > 0 && e.values.all(v, ${isValue('v')}) ` +
  ": e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))";

const selector = 's.labelSelector';
const isReadable = [
  all(selector, 'matchLabels', ['k', `${isKey('k')} && ${isValue(`${selector}.matchLabels[k]`)}`]),
  all(selector, 'matchExpressions', ['e', isRequirement]),
].join(' && ');

export default defineRule({
  id: 'strategy-selector-valid',
  title: 'The label selector of a stage can be read',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'The API accepts any operator, key and value in a label selector; KubeFleet then fails every run of the strategy.',
  fix: 'Use the operators In and NotIn with values, Exists and DoesNotExist without, and keys and values that a label can have.',

  floor: everyStage(
    `(!has(${selector}) || (${isReadable}))`,
    'its labelSelector cannot be read. Use the operators In and NotIn with values, Exists and DoesNotExist without, and keys and values that a label can have.',
  ),

  *check({ object: { spec } }, { facts }) {
    if (isOversize(spec)) return;
    const sound = soundSelectors(spec, facts);
    for (const [index, { name, labelSelector }] of spec.stages.entries()) {
      if (labelSelector === undefined || sound[index] !== undefined) continue;
      for (const { path, message, fix } of selectorProblems(labelSelector)) {
        yield {
          path: ['spec', 'stages', index, 'labelSelector', ...path],
          message: `stage ${quoted(name)}: ${message}`,
          fix,
        };
      }
    }
  },
});
