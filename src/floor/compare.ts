import { isObject, sameJson } from '../fleet/json.js';
import { labelsOf, type FloorObject } from './objects.js';

/** What is not as it should be with one object of the floor. */
export interface FloorDifference {
  readonly kind: FloorObject['kind'];
  readonly name: string;
  readonly is: 'missing' | 'changed' | 'being deleted' | 'left over';
}

/** How the floor that is stored differs from the one that should be; of what else is stored, what bears its labels. */
export function differencesBetween(
  wanted: readonly FloorObject[],
  stored: readonly FloorObject[],
  release: string,
): readonly FloorDifference[] {
  const keyOf = ({ kind, metadata }: FloorObject): string => `${kind} ${metadata.name}`;
  const found = new Map(stored.map((object) => [keyOf(object), object]));
  const known = new Set(wanted.map(keyOf));
  const leftOver = stored.filter((object) => !known.has(keyOf(object)) && isOurs(object, release));
  return [
    ...wanted.flatMap((object) => {
      const is = differenceOf(object, found.get(keyOf(object)));
      return is === undefined ? [] : [{ kind: object.kind, name: object.metadata.name, is }];
    }),
    ...leftOver.map(({ kind, metadata: { name } }) => ({ kind, name, is: 'left over' as const })),
  ];
}

function isOurs({ metadata: { labels = {} } }: FloorObject, release: string): boolean {
  return Object.entries(labelsOf(release)).every(([key, value]) => labels[key] === value);
}

/** How an object of the floor that is stored differs from the one that should be; undefined where it does not. */
function differenceOf(wanted: object, stored: unknown): FloorDifference['is'] | undefined {
  if (stored === undefined) return 'missing';
  const [want, have] = [fieldsOf(wanted), fieldsOf(stored)];
  if (want.deletionTimestamp !== have.deletionTimestamp) return 'being deleted';
  return sameJson(want.spec, have.spec) ? undefined : 'changed';
}

function fieldsOf(object: unknown): { readonly spec: unknown; readonly deletionTimestamp: unknown } {
  const metadata = isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
  return {
    spec: isObject(object) ? withoutDefaults(object['spec']) : undefined,
    deletionTimestamp: metadata['deletionTimestamp'],
  };
}

/** What the API server fills in: selectors that select everything, and rules for every scope. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !isDefault(key, part))
      .map(([key, part]) => [key, withoutDefaults(part)]),
  );
}

function isDefault(key: string, part: unknown): boolean {
  switch (key) {
    case 'namespaceSelector':
    case 'objectSelector':
      return sameJson(part, {});
    case 'scope':
      return part === '*';
    case 'matchPolicy':
      return part === 'Equivalent';
    default:
      return false;
  }
}
