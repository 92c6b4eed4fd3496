import { inOrder } from './in-order.js';
import type { Dictionary } from './model.js';
import type { Path } from './path.js';
import { quoted } from './quoted.js';

/** A field whose value is not of the type that the API defines for it. */
export interface ShapeProblem {
  readonly path: Path;
  readonly expected: string;
  readonly actual: string;
}

/** Each key of T, where those that T may lack may be given as undefined. */
export type Fields<T> = {
  [K in keyof T]-?: T extends Record<K, unknown> ? T[K] : T[K] | undefined;
};

/** Leaves out the fields that are undefined, so that "absent" has one form only. */
export function present<T extends object>(fields: Fields<T>): T {
  // Most objects have all they may have, and thousands of them are made for one review.
  if (!hasGaps(fields)) return fields as T;
  const result: Record<string, unknown> = {};
  for (const key in fields) {
    const value: unknown = fields[key as keyof T];
    if (value !== undefined) result[key] = value;
  }
  return result as T;
}

function hasGaps(fields: Readonly<Record<string, unknown>>): boolean {
  for (const key in fields) if (fields[key] === undefined) return true;
  return false;
}

/** What a text says as JSON; undefined, which no JSON is, where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** True for a JSON object; null and lists are not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of any JSON; undefined where there is no object or no such field of its own. */
export function fieldOf(value: unknown, field: string): unknown {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'string' ? `the string ${quoted(value.slice(0, 40))}` : JSON.stringify(value);
}

/** One for all: thousands of objects have a list that is not there. */
const noItems: readonly never[] = Object.freeze([]);

/** More problems than this are not noted: whoever reads them has enough to do, and hostile input stays cheap. */
const mostProblems = 100;

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isIntegerOrString = (value: unknown): value is number | string => isString(value) || isInteger(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Reads any JSON by field name; what has a wrong type reads as absent and is noted as a problem. Each knows the one around
 * it, and the outermost the list of problems: most places are read without a problem and never written out.
 */
export class JsonReader {
  constructor(
    private readonly value: unknown,
    private readonly around: JsonReader | ShapeProblem[],
    private readonly step: string | number = '',
  ) {}

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  field(name: string): JsonReader {
    const object = this.object();
    const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
    return new JsonReader(value, this, name);
  }

  /** The string in a field; a reader for it is made only where it is none. */
  text(name: string): string | undefined {
    const value = this.plainField(name);
    if (isString(value)) return value;
    return value === null ? undefined : this.field(name).string();
  }

  /** The whole number in a field. */
  number(name: string): number | undefined {
    const value = this.plainField(name);
    if (isInteger(value)) return value;
    return value === null ? undefined : this.field(name).integer();
  }

  /** Null for a field that is absent. What every object inherits is neither a text nor a number. */
  private plainField(name: string): unknown {
    return isObject(this.value) ? (this.value[name] ?? null) : undefined;
  }

  object(): Readonly<Record<string, unknown>> | undefined {
    return this.expect(isObject, 'an object');
  }

  string(): string | undefined {
    return this.expect(isString, 'a string');
  }

  boolean(): boolean | undefined {
    return this.expect(isBoolean, 'true or false');
  }

  integer(): number | undefined {
    return this.expect(isInteger, 'a whole number');
  }

  integerOrString(): number | string | undefined {
    return this.expect(isIntegerOrString, 'a whole number or a string');
  }

  /** A string that the API demands; absent is a problem and reads as empty. */
  requiredString(): string {
    if (this.isAbsent) this.problem('a string');
    return this.string() ?? '';
  }

  oneOf<T extends string>(allowed: readonly T[]): T | undefined {
    const fits = (value: unknown): value is T => allowed.includes(value as T);
    return this.expect(fits, `one of ${allowed.join(', ')}`);
  }

  list<T>(read: (item: JsonReader) => T): readonly T[] {
    return this.optionalList(read) ?? noItems;
  }

  /** A list for which absent and empty differ. */
  optionalList<T>(read: (item: JsonReader) => T): readonly T[] | undefined {
    const items = this.expect(isList, 'a list');
    return items?.map((item, index) => read(new JsonReader(item, this, index)));
  }

  /** A list of strings; what is none of them reads as empty. */
  texts(): readonly string[] {
    const items = this.expect(isList, 'a list') ?? [];
    return items.every(isString) ? items : items.map((item, index) => new JsonReader(item, this, index).string() ?? '');
  }

  /** The strings of an object of strings; other values are problems and left out. */
  dictionary(): Dictionary {
    const result = Object.create(null) as Record<string, string>;
    const object = this.object() ?? {};
    for (const key of Object.keys(object)) {
      const value = object[key];
      const text = isString(value) ? value : this.field(key).string();
      if (text !== undefined) result[key] = text;
    }
    return result;
  }

  /** Reads an object if it is there at all. */
  optional<T>(read: (reader: JsonReader) => T): T | undefined {
    return this.object() === undefined ? undefined : read(this);
  }

  private expect<T>(fits: (value: unknown) => value is T, expected: string): T | undefined {
    if (this.isAbsent) return undefined;
    if (fits(this.value)) return this.value;
    this.problem(expected);
    return undefined;
  }

  private problem(expected: string): void {
    const { problems, path } = this.whereabouts();
    if (problems.length >= mostProblems) return;
    problems.push({ path, expected, actual: this.isAbsent ? 'nothing' : typeName(this.value) });
  }

  private whereabouts(): { readonly problems: ShapeProblem[]; readonly path: Path } {
    if (!(this.around instanceof JsonReader)) return { problems: this.around, path: [] };
    const { problems, path } = this.around.whereabouts();
    return { problems, path: [...path, this.step] };
  }
}

/** Whether two JSON values are equal; the order of keys does not matter, that of lists does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** Nothing of the API is nested deeper; what is, was made to exhaust the stack. */
const deepest = 32;

/** JSON with its keys in order and without what Go leaves out as empty, so that equal values have equal texts. */
export function stableJson(value: unknown): string {
  return JSON.stringify(stable(value, deepest));
}

function stable(value: unknown, depth: number): unknown {
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => stable(item, depth - 1));
  if (!isObject(value)) return value;
  const result = Object.create(null) as Record<string, unknown>;
  for (const key of inOrder(Object.keys(value))) {
    const part = value[key];
    if (!isLeftOut(key, part)) result[key] = stable(part, depth - 1);
  }
  return result;
}

/** Go keeps an empty object and leaves out an empty map; what is compared has no other map than this. */
function isLeftOut(key: string, part: unknown): boolean {
  if (part === null || part === '') return true;
  if (Array.isArray(part)) return part.length === 0;
  return key === 'matchLabels' && isObject(part) && Object.keys(part).length === 0;
}
