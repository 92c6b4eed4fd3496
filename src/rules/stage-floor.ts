import type { CelCondition } from '../engine/cel.js';
import { listAt } from '../engine/cel.js';
import type { FloorForm } from '../engine/rule.js';
import { mostInStrategy } from '../fleet/strategy-size.js';

/** The stages of the strategy that is written, for every expression about them. */
export const stages: CelCondition = { name: 'stages', expression: listAt('object', ['spec', 'stages']) };

const stagesHere = stages.expression;
const selector = 's.labelSelector';
const tasks = ['beforeStageTasks', 'afterStageTasks'] as const;

/** A field that may be absent. */
const optional = (owner: string, field: string, test: string): string => `(!has(${owner}.${field}) || ${test})`;
const isOf = (type: string, value: string): string => `type(${value}) == ${type}`;
const fieldIsOf = (type: string, owner: string, field: string): string =>
  optional(owner, field, isOf(type, `${owner}.${field}`));
const sizeOf = (owner: string, field: string): string => `(has(${owner}.${field}) ? size(${owner}.${field}) : 0)`;
const sumOf = (list: string, [each, count]: readonly [string, string]): string =>
  `${list}.map(${each}, ${count}).sum()`;
const atMost = (what: keyof typeof mostInStrategy, count: string): string =>
  `${count} <= ${String(mostInStrategy[what])}`;
const inAllStages = (count: string): string => sumOf(stagesHere, ['s', count]);
const ofSelector = (count: string): string => `(has(${selector}) ? ${count} : 0)`;
const everywhere = (...tests: readonly string[]): string => `${stagesHere}.all(s, ${tests.join(' && ')})`;
const isShort = (text: string): string => `${isOf('string', text)} && ${atMost('characters', `size(${text})`)}`;

/** How many stages there may be is told by the rule about stages, so that of too many no stage is looked at. */
export const hasFewStages = atMost('stages', `size(${stagesHere})`);

/**
 * Whether a strategy can be judged: its parts are of the types that KubeFleet declares, which is for the API server to
 * see to where the definitions are KubeFleet's own, and it keeps the bounds of `measure`. What is counted has the right
 * type by then, and what is looked through has been counted: an expression that fails or exceeds the budget of the API
 * server ends in a 422.
 */
export const isReadable: CelCondition = {
  name: 'is-readable',
  expression: [
    hasFewStages,
    everywhere(
      isOf('map', 's'),
      ...tasks.map((field) => fieldIsOf('list', 's', field)),
      optional(
        's',
        'labelSelector',
        `(${[
          isOf('map', selector),
          fieldIsOf('map', selector, 'matchLabels'),
          fieldIsOf('list', selector, 'matchExpressions'),
        ].join(' && ')})`,
      ),
    ),
    atMost('tasks', inAllStages(tasks.map((field) => sizeOf('s', field)).join(' + '))),
    atMost(
      'requirements',
      inAllStages(ofSelector(`${sizeOf(selector, 'matchLabels')} + ${sizeOf(selector, 'matchExpressions')}`)),
    ),
    everywhere(
      optional(
        's',
        'labelSelector',
        all(selector, 'matchExpressions', ['e', `${isOf('map', 'e')} && ${fieldIsOf('list', 'e', 'values')}`]),
      ),
    ),
    atMost('values', inAllStages(ofSelector(`${sizeOf(selector, 'matchLabels')} + ${valuesOfExpressions()}`))),
    everywhere(
      `has(s.name) && ${isShort('s.name')}`,
      optional('s', 'sortingLabelKey', `(${isShort('s.sortingLabelKey')})`),
      optional('s', 'maxConcurrency', `(${isOf('int', 's.maxConcurrency')} || (${isShort('s.maxConcurrency')}))`),
      ...tasks.map((field) =>
        all('s', field, [
          't',
          `${isOf('map', 't')} && has(t.type) && ${isShort('t.type')} && ${fieldIsOf('string', 't', 'waitTime')}`,
        ]),
      ),
      optional('s', 'labelSelector', `(${hasShortTexts()})`),
    ),
  ].join(' && '),
};

function valuesOfExpressions(): string {
  const count = sumOf(`${selector}.matchExpressions`, ['e', sizeOf('e', 'values')]);
  return `(has(${selector}.matchExpressions) ? ${count} : 0)`;
}

function hasShortTexts(): string {
  return [
    all(selector, 'matchLabels', ['k', `${isShort('k')} && ${isShort(`${selector}.matchLabels[k]`)}`]),
    all(selector, 'matchExpressions', [
      'e',
      `has(e.key) && ${isShort('e.key')} && has(e.operator) && ${isShort('e.operator')} && ${all('e', 'values', ['v', isShort('v')])}`,
    ]),
  ].join(' && ');
}

/** Holds for each stage `s` by itself; the refusal names the first for which it does not. */
export function everyStage(isSound: string, message: string): FloorForm {
  return {
    kind: 'shape',
    premise: isReadable,
    variables: [stages],
    validations: [
      {
        expression: `variables.stages.all(s, ${isSound})`,
        // The CRD bounds the name of a stage to 63 of a-z and 0-9.
        where: `'stage "' + variables.stages.filter(s, !(${isSound}))[0].name + '": '`,
        message,
      },
    ],
  };
}

/** A list of a stage, or of what else `owner` names, that may be absent: all of it meets `test`, which speaks of `each`. */
export function all(owner: string, field: string, [each, test]: readonly [string, string]): string {
  return `(!has(${owner}.${field}) || ${owner}.${field}.all(${each}, ${test}))`;
}
