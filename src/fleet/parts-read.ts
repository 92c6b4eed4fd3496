import { isObject } from './json.js';

/** What is looked at of an object or a list, and what of that is looked at in turn. */
type Seen = Map<string | number, Part>;

interface Part {
  readonly value: unknown;
  readonly seen: Seen;
}

/**
 * What of a JSON value is looked at while it is read, as JSON again. Whoever reads the part as they have read the whole
 * comes to the same.
 */
export function partsRead(json: unknown, ...readers: readonly ((json: unknown) => unknown)[]): unknown {
  const root: Part = { value: json, seen: new Map() };
  const watched = watch(root);
  for (const read of readers) read(watched);
  return copyOf(root);
}

function watch(part: Part): unknown {
  const { value, seen } = part;
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key): unknown {
      const inner: unknown = Reflect.get(target, key);
      // Not the methods of a list, nor its length: they are what it is read with.
      if (typeof key === 'symbol' || !Object.hasOwn(target, key) || (Array.isArray(target) && key === 'length'))
        return inner;
      const step = Array.isArray(target) ? Number(key) : key;
      const known = seen.get(step) ?? { value: inner, seen: new Map() };
      seen.set(step, known);
      return watch(known);
    },
  });
}

function copyOf({ value, seen }: Part): unknown {
  if (Array.isArray(value)) return value.map((_, index) => copyOfSeen(seen, index) ?? null);
  if (!isObject(value)) return value;
  return Object.fromEntries([...seen.keys()].map((key) => [key, copyOfSeen(seen, key)]));
}

function copyOfSeen(seen: Seen, step: string | number): unknown {
  const part = seen.get(step);
  return part === undefined ? undefined : copyOf(part);
}
