import { expect, test } from '@jest/globals';
import { partsRead } from '../../src/fleet/parts-read.js';

const json = {
  a: { b: 1, c: 2 },
  list: [{ x: 1, y: 2 }, { x: 3 }],
  deep: { whole: { z: [1, { q: null }] } },
  other: 1,
};

interface Shape {
  readonly a: { readonly b: number };
  readonly list: readonly { readonly x: number }[];
  readonly deep: { readonly whole: object };
}

test('keeps what is looked at, and nothing else', () => {
  const sum = (value: unknown): number =>
    (value as Shape).a.b + (value as Shape).list.reduce((all, { x }) => all + x, 0);
  const part = partsRead(json, sum);
  expect(part).toEqual({ a: { b: 1 }, list: [{ x: 1 }, { x: 3 }] });
  expect(sum(part)).toBe(sum(json));
});

test('keeps all of what is read as a whole', () => {
  for (const read of [JSON.stringify, Object.entries, (it: object) => ({ ...it })]) {
    const part = partsRead(json, (value) => read((value as Shape).deep.whole));
    const whole = read === JSON.stringify ? json.deep.whole : { z: expect.any(Array) as unknown };
    expect(part).toEqual({ deep: { whole } });
  }
});

test('a field that is asked for and is not there stays absent, and one that is empty stays empty', () => {
  expect(
    partsRead({ empty: {} }, (value) => [(value as { empty: object; no?: 1 }).empty, (value as { no?: 1 }).no]),
  ).toEqual({
    empty: {},
  });
});

test('several readers get what each of them reads', () => {
  const read = [(value: unknown) => (value as Shape).a.b, (value: unknown) => (value as { other: number }).other];
  expect(partsRead(json, ...read)).toEqual({ a: { b: 1 }, other: 1 });
});

test('what is no object is itself', () => {
  for (const value of [1, 'x', null, true]) expect(partsRead(value, String)).toBe(value);
});
