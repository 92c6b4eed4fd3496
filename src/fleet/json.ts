import type { Dictionary } from './model.js';
import type { Path } from './path.js';

/** A field whose value is not of the type that the API defines for it. */
export interface ShapeFault {
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
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value;
  return result as T;
}

/** True for a JSON object; null and lists are not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of any JSON; undefined where there is no object or no such field of its own. */
export function fieldOf(value: unknown, field: string): unknown {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'string' ? `the string ${JSON.stringify(value.slice(0, 40))}` : JSON.stringify(value);
}

/** More faults than this are not noted: whoever reads them has enough to do, and hostile input stays cheap. */
const mostFaults = 100;

/** A place as the step to it from the place around it: most places are read without a fault and never written out. */
interface Place {
  readonly around: Place | undefined;
  readonly step: string | number;
}

function pathOf(place: Place | undefined): Path {
  return place === undefined ? [] : [...pathOf(place.around), place.step];
}

/** Reads any JSON by field name; what has a wrong type reads as absent and is noted as a fault. */
export class JsonReader {
  constructor(
    private readonly value: unknown,
    private readonly faults: ShapeFault[],
    private readonly place?: Place,
  ) {}

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  field(name: string): JsonReader {
    const object = this.object();
    const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
    return this.inside(value, name);
  }

  object(): Readonly<Record<string, unknown>> | undefined {
    return this.expect(isObject, 'an object');
  }

  string(): string | undefined {
    return this.expect((value) => typeof value === 'string', 'a string');
  }

  boolean(): boolean | undefined {
    return this.expect((value) => typeof value === 'boolean', 'true or false');
  }

  integer(): number | undefined {
    return this.expect((value): value is number => Number.isInteger(value), 'a whole number');
  }

  integerOrString(): number | string | undefined {
    const fits = (value: unknown): value is number | string => typeof value === 'string' || Number.isInteger(value);
    return this.expect(fits, 'a whole number or a string');
  }

  /** A string that the API demands; absent is a fault and reads as empty. */
  requiredString(): string {
    if (this.isAbsent) this.fault('a string');
    return this.string() ?? '';
  }

  oneOf<T extends string>(allowed: readonly T[]): T | undefined {
    const fits = (value: unknown): value is T => allowed.includes(value as T);
    return this.expect(fits, `one of ${allowed.join(', ')}`);
  }

  list<T>(read: (item: JsonReader) => T): readonly T[] {
    return this.optionalList(read) ?? [];
  }

  /** A list for which absent and empty differ. */
  optionalList<T>(read: (item: JsonReader) => T): readonly T[] | undefined {
    const items = this.expect((value): value is readonly unknown[] => Array.isArray(value), 'a list');
    return items?.map((item, index) => read(this.inside(item, index)));
  }

  /** The strings of an object of strings; other values are faults and left out. */
  dictionary(): Dictionary {
    const result = Object.create(null) as Record<string, string>;
    for (const key of Object.keys(this.object() ?? {})) {
      const value = this.field(key).string();
      if (value !== undefined) result[key] = value;
    }
    return result;
  }

  /** Reads an object if it is there at all. */
  optional<T>(read: (reader: JsonReader) => T): T | undefined {
    return this.object() === undefined ? undefined : read(this);
  }

  private inside(value: unknown, step: string | number): JsonReader {
    return new JsonReader(value, this.faults, { around: this.place, step });
  }

  private expect<T>(fits: (value: unknown) => value is T, expected: string): T | undefined {
    if (this.isAbsent) return undefined;
    if (fits(this.value)) return this.value;
    this.fault(expected);
    return undefined;
  }

  private fault(expected: string): void {
    if (this.faults.length >= mostFaults) return;
    this.faults.push({ path: pathOf(this.place), expected, actual: this.isAbsent ? 'nothing' : typeName(this.value) });
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
  return JSON.stringify(inOrder(value, deepest));
}

function inOrder(value: unknown, depth: number): unknown {
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => inOrder(item, depth - 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, part]) => !isLeftOut(key, part))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, inOrder(part, depth - 1)]));
}

/** Go keeps an empty object and leaves out an empty map; what is compared has no other map than this. */
function isLeftOut(key: string, part: unknown): boolean {
  if (part === null || part === '') return true;
  if (Array.isArray(part)) return part.length === 0;
  return key === 'matchLabels' && isObject(part) && Object.keys(part).length === 0;
}
