import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Dictionary, LabelSelector, Requirement } from '../../src/fleet/model.js';
import { choicesOf, commonLabels, impossibleKey, subtract } from '../../src/fleet/overlap.js';
import { overlapsOf, separate, type StageSelectors } from '../../src/fleet/disjoint-stages.js';
import { formatSelector, matches, selectorProblems } from '../../src/fleet/selector.js';
import { mostInStrategy } from '../../src/fleet/strategy-size.js';

/*
 * A universe in which brute force is exact: selectors name the values x and y only, so that z stands for every value
 * that no list holds.
 */
const keys = ['a', 'b'];
const listed = ['x', 'y'];
const universe: readonly Dictionary[] = keys.reduce<readonly Dictionary[]>(
  (sets, key) => sets.flatMap((labels) => [labels, ...[...listed, 'z'].map((value) => ({ ...labels, [key]: value }))]),
  [{}],
);

const values = fc.subarray(listed, { minLength: 1 });
const requirement: fc.Arbitrary<Requirement> = fc
  .tuple(fc.constantFrom(...keys), fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'), values)
  .map(([key, operator, list]) => ({ key, operator, values: operator.endsWith('In') ? list : [] }));
const selector: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...listed), { maxKeys: 2 }),
  matchExpressions: fc.array(requirement, { maxLength: 4 }),
});
const stages: fc.Arbitrary<StageSelectors> = fc.array(fc.option(selector, { nil: undefined, freq: 8 }), {
  maxLength: 5,
});

const picked = (...selectors: StageSelectors): readonly Dictionary[] =>
  universe.filter((labels) => selectors.some((each) => matches(each, labels)));

/** The selectors of all stages once the edits are made. */
function apply(selectors: StageSelectors): StageSelectors {
  const edits = separate(selectors);
  if (edits === undefined) throw new Error('too many stages');
  return selectors.flatMap(
    (before, stage): StageSelectors => edits.find((edit) => edit.stage === stage)?.selectors ?? [before],
  );
}

function select(matchLabels: Dictionary, ...expressions: readonly string[]): LabelSelector {
  const matchExpressions = expressions.map((text) => {
    const [key = '', operator = '', ...list] = text.split(' ');
    return { key, operator, values: list };
  });
  return { matchLabels, matchExpressions };
}

const inCommon = (a: LabelSelector, b: LabelSelector): Dictionary | undefined =>
  commonLabels(choicesOf(a), choicesOf(b));

const shown = (selectors: StageSelectors): readonly string[] => selectors.map((each) => formatSelector(each));

test('the universe holds every key absent, with each listed value and with one that no list holds', () => {
  expect(universe).toHaveLength(4 ** keys.length);
});

describe('labels in common', () => {
  test('are there exactly where brute force finds some', () => {
    fc.assert(
      fc.property(selector, selector, (a, b) => {
        const isInBoth = universe.some((labels) => matches(a, labels) && matches(b, labels));
        expect(inCommon(a, b) !== undefined).toBe(isInBoth);
      }),
      { numRuns: 400 },
    );
  });

  test('match both selectors, and no fewer would', () => {
    fc.assert(
      fc.property(selector, selector, (a, b) => {
        const labels = inCommon(a, b);
        fc.pre(labels !== undefined);
        expect([matches(a, labels), matches(b, labels)]).toEqual([true, true]);
        for (const key of Object.keys(labels)) {
          const fewer = Object.fromEntries(Object.entries(labels).filter(([other]) => other !== key));
          expect(matches(a, fewer) && matches(b, fewer)).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('avoid the values that NotIn lists', () => {
    const labels = inCommon(select({}, 'a Exists', 'a NotIn any any1'), select({}, 'a NotIn any2'));
    expect({ ...labels }).toEqual({ a: 'any3' });
  });

  test('can have a key that every object seems to have', () => {
    const odd = select(JSON.parse('{"__proto__":"x"}') as Dictionary, 'constructor Exists');
    const labels = inCommon(odd, select({}));
    expect(Object.entries(labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'any'],
    ]);
  });
});

describe('an impossible key', () => {
  test('is there exactly where no labels satisfy a selector', () => {
    fc.assert(
      fc.property(selector, (each) => {
        expect(impossibleKey(each) === undefined).toBe(picked(each).length > 0);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['two values for one key', select({ a: 'x' }, 'a In y'), 'a'],
    ['a value that is excluded', select({ b: 'x' }, 'a In x', 'a NotIn x'), 'a'],
    ['a key that must and must not be there', select({}, 'a Exists', 'a DoesNotExist'), 'a'],
  ])('is named for %s', (_, each, key) => {
    expect(impossibleKey(each)).toBe(key);
  });
});

describe('the difference of two selectors', () => {
  test('picks what the first picks and the second does not, once, by sound selectors', () => {
    fc.assert(
      fc.property(selector, selector, (from, without) => {
        const parts = [...subtract(from, without)];
        const expected = universe.filter((labels) => matches(from, labels) && !matches(without, labels));
        expect(picked(...parts)).toEqual(expected);
        expect(overlapsOf(parts)).toEqual([]);
        expect(parts.flatMap((part) => [...selectorProblems(part)])).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    [select({ env: 'prod' }), select({ canary: 'true' }), ['env=prod,canary notin (true)']],
    [select({}), select({ env: 'prod' }), ['env notin (prod)']],
    [select({}, 'env In a b'), select({ env: 'b' }), ['env=a']],
    [select({}, 'env In a b c'), select({ env: 'b' }), ['env in (a,c)']],
    [select({}, 'env NotIn a'), select({ env: 'b' }), ['env notin (a,b)']],
    [select({ env: 'prod' }), select({}, 'env In prod dev', 'zone Exists'), ['env=prod,!zone']],
    [select({}), select({ a: 'x', b: 'y' }), ['a notin (x)', 'a=x,b notin (y)']],
    [select({}), select({}, 'a Exists', 'a NotIn x'), ['!a', 'a=x']],
    [select({ a: 'x' }), select({}), []],
  ])('is written shortly: case %#', (from, without, expected) => {
    expect(shown([...subtract(from, without)])).toEqual(expected);
  });
});

describe('separating stages', () => {
  test('ends every overlap and loses no cluster', () => {
    fc.assert(
      fc.property(stages, (before) => {
        const after = apply(before);
        expect(overlapsOf(after)).toEqual([]);
        expect(universe.filter((labels) => after.filter((each) => matches(each, labels)).length > 1)).toEqual([]);
        expect(picked(...after)).toEqual(picked(...before));
      }),
      { numRuns: 400 },
    );
  });

  test('tells of each overlap in exactly one edit, of a stage that takes part in it', () => {
    fc.assert(
      fc.property(stages, (before) => {
        const edits = separate(before) ?? [];
        const told = edits.flatMap(({ overlaps }) => overlaps);
        expect(told).toHaveLength(overlapsOf(before).length);
        expect(told).toEqual(expect.arrayContaining([...overlapsOf(before)]));
        for (const { stage, selectors, overlaps } of edits) {
          expect(picked(...selectors).length).toBeLessThan(picked(before[stage]).length);
          expect(overlaps.every(({ earlier, later }) => [earlier, later].includes(stage))).toBe(true);
        }
      }),
    );
  });

  test.each([
    ['the later stage leaves out the earlier', [select({ canary: 'true' }), select({ env: 'prod' })], { 1: 1 }],
    ['the earlier stage leaves out a later one inside it', [select({ g: 'p' }), select({ g: 'p', r: 'e' })], { 0: 1 }],
    ['the later stage leaves out an earlier one inside it', [select({ g: 'p', r: 'e' }), select({ g: 'p' })], { 1: 1 }],
    ['a stage for everything leaves out all others', [select({ r: '1' }), select({ r: '2' }), select({})], { 2: 1 }],
    ['the second of two equal stages goes', [select({ a: 'x' }), select({}, 'a In x')], { 1: 0 }],
    ['a stage is split where one selector cannot say it', [select({ a: '1', b: '1' }), select({})], { 1: 2 }],
    [
      'the stage changes that need not be split',
      [select({ env: 'prod', tier: '1' }), select({ zone: 'a' }, 'env In prod dev')],
      { 0: 1 },
    ],
    [
      'a stage inside a stage inside a stage stays as it is',
      [select({}), select({ a: 'x' }), select({ a: 'x', b: 'y' })],
      { 0: 1, 1: 1 },
    ],
    ['an absent selector and an empty one do not overlap', [undefined, select({})], {}],
  ])('%s', (_, before: StageSelectors, expected) => {
    const edits = (separate(before) ?? []).map(({ stage, selectors }) => [stage, selectors.length]);
    expect(Object.fromEntries(edits)).toEqual(expected);
  });

  test('makes one edit of a stage for all that it overlaps', () => {
    const before = [select({ ring: '1' }), select({ ring: '2' }), select({})];
    expect(shown(apply(before))).toEqual(['ring=1', 'ring=2', 'ring notin (1,2)']);
  });

  test('gives up where it takes more stages than a strategy may have', () => {
    const labels = Object.fromEntries(
      Array.from({ length: mostInStrategy.stages }, (_, index) => [`k${String(index)}`, 'x']),
    );
    expect(separate([select(labels), select({})])).toBeUndefined();
    const fewer = Object.fromEntries(Object.entries(labels).slice(1));
    expect(apply([select(fewer), select({})])).toHaveLength(mostInStrategy.stages);
  });

  test('gives up on more requirements than anybody would read', () => {
    const many = Array.from({ length: 400 }, (_, index) => `k${String(index)} NotIn x`);
    expect(separate([select({}), select({}, ...many)])).toBeUndefined();
  });
});
