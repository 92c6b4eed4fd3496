import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isTooDeep } from '../../src/http/body.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('the depth of JSON', () => {
  test.each<[string, string, boolean]>([
    ['lists at the limit', '[[[]]]', false],
    ['lists beyond it', '[[[[]]]]', true],
    ['objects beyond it', '{"a":{"a":{"a":{}}}}', true],
    ['brackets in text', '"[[[[[["', false],
    ['an escaped quote in text', '"\\"[[[[[["', false],
    ['an escaped backslash before the quote', '["\\\\",[[[]]]]', true],
    ['siblings', '[[],[],[],[],[]]', false],
    ['an end that never comes', '[[[[', true],
    ['text that never ends', '"[[[[', false],
  ])('%s', (_, text, expected) => {
    expect(isTooDeep(bytes(text), 3)).toBe(expected);
  });

  test('is what a parser finds', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 6 }), (value, limit) => {
        expect(isTooDeep(bytes(JSON.stringify(value)), limit)).toBe(depthOf(value) > limit);
      }),
    );
  });
});
