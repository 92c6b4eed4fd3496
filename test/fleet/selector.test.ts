import { describe, expect, test } from '@jest/globals';
import { decode } from '../../src/fleet/decode.js';
import { kindIn, type KindOfFamily } from '../../src/fleet/kinds.js';
import type { Dictionary, LabelSelector } from '../../src/fleet/model.js';
import { formatPath } from '../../src/fleet/path.js';
import {
  formatSelector,
  isLabelKey,
  isLabelValue,
  matches,
  selectorProblems,
  selectorJson,
} from '../../src/fleet/selector.js';

/** A selector as the decoder makes it. */
function decoded(json: unknown): LabelSelector | undefined {
  const kind = kindIn('UpdateStrategy', undefined) as KindOfFamily & { family: 'UpdateStrategy' };
  const spec = { stages: [{ name: 'a', labelSelector: json }] };
  return decode(kind, { metadata: { name: 'rings' }, spec }).object.spec.stages[0]?.labelSelector;
}

const labels = (matchLabels: unknown): unknown => ({ matchLabels });
const expression = (operator: string, ...values: readonly string[]): unknown => ({
  matchExpressions: [{ key: 'env', operator, ...(values.length > 0 && { values }) }],
});

describe('a selector', () => {
  const cases: readonly [name: string, selector: unknown, labels: Dictionary, expected: boolean][] = [
    ['absent: nothing, not even a cluster without labels', undefined, {}, false],
    ['null: nothing, like an absent one', null, { env: 'prod' }, false],
    ['empty: everything', {}, { env: 'prod' }, true],
    ['empty: a cluster without labels too', {}, {}, true],
    ['with empty parts: everything', { matchLabels: {}, matchExpressions: [] }, {}, true],
    ['matchLabels, equal', labels({ env: 'prod' }), { env: 'prod', x: 'y' }, true],
    ['matchLabels, other value', labels({ env: 'prod' }), { env: 'dev' }, false],
    ['matchLabels, other case', labels({ env: 'prod' }), { env: 'Prod' }, false],
    ['matchLabels, absent', labels({ env: 'prod' }), {}, false],
    ['matchLabels with the empty value, present', labels({ env: '' }), { env: '' }, true],
    ['matchLabels with the empty value, absent', labels({ env: '' }), {}, false],
    ['matchLabels, all must hold', labels({ env: 'prod', zone: 'a' }), { env: 'prod' }, false],
    ['In, listed', expression('In', 'dev', 'prod'), { env: 'prod' }, true],
    ['In, not listed', expression('In', 'dev', 'prod'), { env: 'test' }, false],
    ['In, absent', expression('In', 'dev'), {}, false],
    ['NotIn, listed', expression('NotIn', 'dev'), { env: 'dev' }, false],
    ['NotIn, not listed', expression('NotIn', 'dev'), { env: 'prod' }, true],
    ['NotIn, absent: picked', expression('NotIn', 'dev'), {}, true],
    ['Exists, present', expression('Exists'), { env: '' }, true],
    ['Exists, absent', expression('Exists'), {}, false],
    ['DoesNotExist, present', expression('DoesNotExist'), { env: '' }, false],
    ['DoesNotExist, absent', expression('DoesNotExist'), {}, true],
    ['an operator that does not exist: nothing', expression('in', 'prod'), { env: 'prod' }, false],
    ['a key that every object seems to have', labels({ constructor: 'x' }), {}, false],
    [
      'labels and expressions together',
      { ...(labels({ a: '1' }) as object), ...(expression('Exists') as object) },
      { a: '1' },
      false,
    ],
  ];
  test.each(cases)('%s', (_, selector, given, expected) => {
    expect(matches(decoded(selector), given)).toBe(expected);
  });
});

describe('a label key', () => {
  const domain = (length: number): string => `${'a.'.repeat(Math.floor(length / 2))}${'b'.repeat(length % 2)}`;
  test.each([
    'a',
    'A',
    '0',
    'environment',
    'a-b_c.d',
    'k'.repeat(63),
    'example.com/env',
    'example.com/Env',
    'a/b',
    '0.1/b',
    `${domain(253)}/env`,
    `${'a'.repeat(253)}/${'k'.repeat(63)}`,
  ])('can be %j', (key) => {
    expect(isLabelKey(key)).toBe(true);
  });

  test.each([
    '',
    '/',
    '/env',
    'example.com/',
    'a/b/c',
    '-a',
    'a-',
    '.a',
    'a.',
    '_a',
    'a b',
    'a\n',
    'ä',
    'k'.repeat(64),
    'Example.com/env',
    'example_1.com/env',
    'example..com/env',
    '-example.com/env',
    'example.com./env',
    `${'a'.repeat(254)}/env`,
    `a/${'k'.repeat(64)}`,
  ])('cannot be %j', (key) => {
    expect(isLabelKey(key)).toBe(false);
  });
});

describe('a label value', () => {
  test.each(['', 'a', '1', 'true', 'A-b_c.D', 'v'.repeat(63)])('can be %j', (value) => {
    expect(isLabelValue(value)).toBe(true);
  });

  test.each(['a/b', '-a', 'a-', ' ', 'a b', 'a\n', '*', 'ä', 'v'.repeat(64)])('cannot be %j', (value) => {
    expect(isLabelValue(value)).toBe(false);
  });
});

describe('the problems of a selector', () => {
  const problemsOf = (json: unknown): readonly string[] =>
    [...selectorProblems(decoded(json) ?? { matchLabels: {}, matchExpressions: [] })].map(
      ({ path, message, fix }) => `${formatPath(path)}: ${message} / ${fix}`,
    );

  const nameFix = 'at most 63 of A-Z a-z 0-9 - _ . that begin and end with a letter or digit';
  const keyFix = `Use ${nameFix}; a lower-case DNS name and a slash may stand before them.`;

  test.each([
    ['none in an empty one', {}, []],
    [
      'none in one that can never be satisfied',
      { ...(labels({ env: 'a' }) as object), ...(expression('In', 'b') as object) },
      [],
    ],
    ['none in the empty value', labels({ env: '' }), []],
    [
      'a key and its value, each by itself',
      labels({ 'a/b/c': 'x y' }),
      [
        `matchLabels["a/b/c"]: "a/b/c" cannot be a label key / ${keyFix}`,
        `matchLabels["a/b/c"]: "x y" cannot be a label value / Use ${nameFix}.`,
      ],
    ],
    [
      'a value that is far too long, shown in part',
      labels({ env: 'v'.repeat(300) }),
      [`matchLabels.env: "${'v'.repeat(63)}"... (300 characters) cannot be a label value / Use ${nameFix}.`],
    ],
    [
      'an expression without anything',
      { matchExpressions: [{}] },
      [
        `matchExpressions[0].key: a label key must not be empty / ${keyFix}`,
        'matchExpressions[0].operator: operator is missing / Use In or NotIn with a list of values, or Exists or DoesNotExist without values.',
      ],
    ],
    [
      'an operator in other letters',
      expression('notin', 'a'),
      [
        'matchExpressions[0].operator: operator "notin" is not one of In, NotIn, Exists, DoesNotExist / Write NotIn, with these capital letters.',
      ],
    ],
    [
      'an operator of another language',
      expression('Gt', '1'),
      [
        'matchExpressions[0].operator: operator "Gt" is not one of In, NotIn, Exists, DoesNotExist / Use In or NotIn with a list of values, or Exists or DoesNotExist without values.',
      ],
    ],
    [
      'In without values',
      expression('In'),
      [
        'matchExpressions[0].values: operator In needs at least one value / Add the values, or use operator Exists without values.',
      ],
    ],
    [
      'NotIn without values',
      expression('NotIn'),
      [
        'matchExpressions[0].values: operator NotIn needs at least one value / Add the values, or use operator DoesNotExist without values.',
      ],
    ],
    [
      'Exists with a value',
      expression('Exists', 'true'),
      [
        'matchExpressions[0].values: operator Exists must have no values, but has "true" / Remove the values, or use operator In with them.',
      ],
    ],
    [
      'DoesNotExist with values',
      expression('DoesNotExist', 'a', 'b', 'c'),
      [
        'matchExpressions[0].values: operator DoesNotExist must have no values, but has "a" and 2 more / Remove the values, or use operator NotIn with them.',
      ],
    ],
    [
      'a value in a list',
      expression('In', 'good', 'a/b'),
      [`matchExpressions[0].values[1]: "a/b" cannot be a label value / Use ${nameFix}.`],
    ],
  ])('%s', (_, json, expected) => {
    expect(problemsOf(json)).toEqual(expected);
  });
});

const everyKind = {
  matchLabels: { env: 'prod' },
  matchExpressions: [
    { key: 'zone', operator: 'In', values: ['a', 'b'] },
    { key: 'tier', operator: 'NotIn', values: ['0'] },
    { key: 'ring', operator: 'Exists' },
    { key: 'legacy', operator: 'DoesNotExist' },
  ],
};

test.each([
  [undefined, 'nothing'],
  [{}, 'every cluster'],
  [everyKind, 'env=prod,zone in (a,b),tier notin (0),ring,!legacy'],
])('a selector is shown as kubectl takes it: case %#', (json, expected) => {
  expect(formatSelector(decoded(json))).toBe(expected);
});

test.each([[{}], [everyKind]])('a selector goes back to the wire as it came: case %#', (json) => {
  expect(selectorJson(decoded(json) ?? { matchLabels: {}, matchExpressions: [] })).toEqual(json);
});
