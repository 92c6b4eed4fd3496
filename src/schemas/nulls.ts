import { fieldOf, isObject } from '../fleet/json.js';
import type { Path } from '../fleet/path.js';
import type { Schema } from './schema.js';

interface Kept {
  readonly value: unknown;
  /** Where null has been dropped. */
  readonly dropped: readonly Path[];
}

/**
 * What the API server keeps of a value that holds null: a field that is null is as if it had not been written, unless it
 * has a default (apiextensions-apiserver, schema/defaulting PruneNonNullableNullsWithoutDefaults). Items of lists stay.
 */
export function withoutNulls(schema: Schema | undefined, value: unknown, path: Path = []): Kept {
  if (schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return { value, dropped: [] };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => withoutNulls(schema.items, item, [...path, index]));
    return { value: items.map((item) => item.value), dropped: items.flatMap(({ dropped }) => dropped) };
  }
  if (!isObject(value)) return { value, dropped: [] };
  const fields = Object.entries(value).map(([name, inner]) => {
    const known = (fieldOf(schema.properties, name) as Schema | undefined) ?? schema.additionalProperties;
    const isDropped = inner === null && known !== undefined && known.default === undefined;
    const place = [...path, name];
    return { name, isDropped, ...(isDropped ? { value: null, dropped: [place] } : withoutNulls(known, inner, place)) };
  });
  return {
    value: Object.fromEntries(fields.filter(({ isDropped }) => !isDropped).map(({ name, value: kept }) => [name, kept])),
    dropped: fields.flatMap(({ dropped }) => dropped),
  };
}
