import { join } from 'node:path';
import fc from 'fast-check';
import type { Json } from '../harness/api.js';
import { readObjects } from '../harness/hub.js';

/** Strategies as people write them: those of the examples. */
const examples = ['fleet', 'good'].flatMap((folder) =>
  readObjects(join(import.meta.dirname, '..', '..', '..', 'examples', folder))
    .filter(({ kind }) => String(kind).endsWith('StagedUpdateStrategy'))
    .map(({ spec }) => spec as Json),
);

/** What takes the place of a part, whatever has been there. */
export const junk: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    '',
    'x',
    'Approval',
    'TimedWait',
    '0s',
    '1h',
    '100%',
    "'",
    '\\',
    '\u202e',
  ],
  ...[[], [null], [[]], ['x'], [{}], {}, { x: null }, { key: 'a' }, { type: 'Approval' }, { name: 'a' }, [1, 'x', {}]],
];

interface Mutation {
  /** Of all parts, counted from the top, modulo how many there are. */
  readonly at: number;
  readonly how: 'remove' | 'replace' | 'double';
  readonly by: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('remove', 'replace', 'replace', 'double'),
  by: fc.constantFrom(...junk),
});

/** One to three small changes of what `base` gives. */
export function mutatedFrom<T>(base: fc.Arbitrary<T>): fc.Arbitrary<Json> {
  return fc
    .tuple(base, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([json, mutations]) => mutations.reduce<Json>(mutate, structuredClone(json) as Json));
}

export const mutatedStrategySpec = mutatedFrom(fc.constantFrom(...examples));

type Parent = Record<string, unknown> | unknown[];

function mutate(json: Json, { at, how, by }: Mutation): Json {
  const places = placesIn(json);
  const [parent, key] = places[at % Math.max(places.length, 1)] ?? [];
  if (parent === undefined || key === undefined) return json;
  if (how === 'replace') (parent as Record<string, unknown>)[key] = structuredClone(by);
  else if (!Array.isArray(parent)) Reflect.deleteProperty(parent, key);
  else if (how === 'remove') parent.splice(Number(key), 1);
  else parent.push(structuredClone(parent[Number(key)]));
  return json;
}

function placesIn(parent: Parent): readonly (readonly [Parent, string])[] {
  return Object.entries(parent).flatMap(([key, part]: [string, unknown]) => [
    [parent, key] as const,
    ...(typeof part === 'object' && part !== null ? placesIn(part as Parent) : []),
  ]);
}
