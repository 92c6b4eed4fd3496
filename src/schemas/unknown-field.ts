import { isObject } from '../fleet/json.js';
import { likelyMeant, nearest } from '../fleet/nearest.js';
import { formatPath, type Path } from '../fleet/path.js';
import { plain, quoted } from '../fleet/quoted.js';
import type { Schema } from './schema.js';
import type { ShapeViolation } from './violation.js';

/** Where a field that is not known stands. */
export interface UnknownField {
  readonly path: Path;
  /** The schema and the value of the object around it. */
  readonly around: { readonly schema: Schema | undefined; readonly value: unknown };
  /** The schema of the whole object. */
  readonly root: Schema;
}

/** A field that the API does not know, with the one that was meant, or the place it belongs to. */
export function unknownField({ path, around, root }: UnknownField): ShapeViolation {
  const field = String(path.at(-1));
  const known = Object.keys(around.schema?.properties ?? {});
  const taken = isObject(around.value) ? around.value : {};
  const told = { what: 'unknown', path } as const;
  const free = known.filter((name) => !Object.hasOwn(taken, name));
  const slip = nearest(field, free);
  const homes = homesOf(path, root);
  const isBeside = homes.some(({ far }) => far === 1);
  const meant = slip ?? (isBeside ? undefined : likelyMeant(field, free));
  if (meant !== undefined) {
    const fix = `Write ${meant} for ${plain(field)}.`;
    const edit = slip === undefined ? {} : { edit: { of: 'key', to: slip } as const };
    return { ...told, meant, message: `${fact}; did you mean ${quoted(meant)}?`, fix, ...edit };
  }
  return { ...told, ...elsewhere({ path, around, root }, homes) };
}

/** What is known of a field that resembles none of those around it. */
function elsewhere({ path, around }: UnknownField, homes: readonly Home[]): Pick<ShapeViolation, 'message' | 'fix'> {
  const field = String(path.at(-1));
  const known = Object.keys(around.schema?.properties ?? {});
  if (homes.length > 0 && homes.length <= mostHomes) {
    const where = homes.map(({ text }) => text).join(' or ');
    return { message: `${fact}; it belongs in ${where}`, fix: `Move ${plain(field)} into ${where}.` };
  }
  const value = isObject(around.value) ? around.value[field] : undefined;
  if (known.includes('matchLabels') && typeof value === 'string') {
    const fix = `Move it into matchLabels: {${quoted(field)}: ${quoted(value)}}`;
    return { message: `${fact}; labels stand in matchLabels`, fix };
  }
  const fix = `Remove it, or move it to where it belongs. ${fieldsHere(path.slice(0, -1), known)}`;
  return { message: fact, fix };
}

const fact = 'is not a field of the API, which refuses or drops it';

/** Fields are told by name up to so many. */
const mostFields = 12;

function fieldsHere(around: Path, known: readonly string[]): string {
  const where = around.length === 0 ? 'The object' : formatPath(around);
  if (known.length === 0) return `${where} has no fields.`;
  if (known.length > mostFields) return `${where} has other fields.`;
  return `Fields of ${where === 'The object' ? 'the object' : where}: ${known.join(', ')}.`;
}

/** More places than these are no help. */
const mostHomes = 2;

interface Home {
  readonly text: string;
  readonly far: number;
}

/** Where in objects of this kind a field of this name stands, the nearest places alone. */
function homesOf(path: Path, root: Schema): readonly Home[] {
  const field = String(path.at(-1));
  const from = path.slice(0, -1).filter((step) => typeof step === 'string');
  const places = objectsIn(root).filter(({ schema, steps }) => hasField(schema, field) && steps[0] !== 'status');
  const homes = places.map(({ steps, text }) => ({ text: text === '' ? 'the object itself' : text, far: distance(from, steps) }));
  const least = Math.min(...homes.map(({ far }) => far));
  return homes.filter(({ far }) => far === least);
}

function hasField({ properties = {} }: Schema, field: string): boolean {
  return Object.hasOwn(properties, field);
}

/** Steps up, then down. */
function distance(from: readonly string[], to: readonly string[]): number {
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared++;
  return from.length + to.length - 2 * shared;
}

interface ObjectPlace {
  readonly schema: Schema;
  readonly steps: readonly string[];
  readonly text: string;
}

/** All places for objects in a schema: `spec.stages[].labelSelector`. */
function objectsIn(schema: Schema, steps: readonly string[] = [], text = ''): readonly ObjectPlace[] {
  if (schema.items !== undefined) return objectsIn(schema.items, steps, `${text}[]`);
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    objectsIn(one, [...steps, name], text === '' ? name : `${text}.${name}`),
  );
  return [{ schema, steps, text }, ...inner];
}
