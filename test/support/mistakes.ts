import { parseManifests } from '../../src/sources/manifests/parse.js';
import { exampleFiles } from './examples.js';

type Json = Readonly<Record<string, unknown>>;

/** The objects of a folder of examples, as they are written. */
export function examplesIn(folder: string): readonly Json[] {
  return exampleFiles(folder)
    .filter(({ path }) => /\.ya?ml$/.test(path))
    .flatMap(({ path, text }) => parseManifests(path, text).documents.map(({ json }) => json));
}

/** What stands in the place of a value when its writer has thought of another type. */
const otherTypes: readonly unknown[] = [null, 'x', '', '1', 5, -1, 1.5, true, [], ['x'], [{}], {}, { x: 'y' }];

/** Every object that comes of dropping, renaming, misspelling or retyping one key of this one. */
export function everyMistakeIn(object: Json): readonly Json[] {
  return placesIn(object).flatMap((place) => mistakesAt(object, place));
}

type Place = readonly (string | number)[];

function placesIn(value: unknown, here: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...keys].flatMap((key) => [
    [...here, key],
    ...placesIn((value as Readonly<Record<string | number, unknown>>)[key], [...here, key]),
  ]);
}

function mistakesAt(object: Json, place: Place): readonly Json[] {
  const key = place.at(-1);
  const retyped = otherTypes.map((value) => changedAt(object, place, () => [[String(key), value]]));
  const dropped = changedAt(object, place, () => []);
  if (typeof key !== 'string') return [dropped, ...retyped];
  const renamed = [`${key}New`, ...misspelled(key)].map((name) => changedAt(object, place, (value) => [[name, value]]));
  return [dropped, ...renamed, ...retyped];
}

function misspelled(key: string): readonly string[] {
  const middle = Math.floor(key.length / 2);
  return [
    key.slice(0, -1),
    `${key.slice(0, middle)}${key.slice(middle + 1)}`,
    key.slice(0, middle) + key.slice(middle - 1),
    key.charAt(0).toUpperCase() + key.slice(1),
    key.toLowerCase(),
  ].filter((name) => name !== key && name !== '');
}

type Entries = readonly (readonly [key: string, value: unknown])[];

/** A copy with other entries in the place of one. */
function changedAt(json: Json, [step, ...rest]: Place, change: (value: unknown) => Entries): Json {
  const entries = Object.entries(json).flatMap(([key, value]): Entries => {
    if (key !== String(step)) return [[key, value]];
    return rest.length === 0 ? change(value) : [[key, changedAt(value as Json, rest, change)]];
  });
  return Array.isArray(json) ? (entries.map(([, value]) => value) as unknown as Json) : Object.fromEntries(entries);
}
