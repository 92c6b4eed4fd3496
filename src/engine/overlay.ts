import { scopeOf, type Family } from '../fleet/kinds.js';
import type { Families, FleetObject } from '../fleet/model.js';
import { countBefore } from '../fleet/in-order.js';
import { isAskedFor } from '../fleet/indexed-fleet.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../fleet/state.js';
import type { Change } from './change.js';

/** The fleet as it would be after a change, whether or not the source has heard of it yet. */
export function overlay(fleet: FleetState, change: Change): FleetState {
  const key = { name: change.name, namespace: scopeOf(change.family, change.namespace) };
  const changed = change.operation === 'DELETE' ? undefined : placedAt(key, change.object);
  const answer = changed === undefined ? ({ is: 'absent' } as const) : ({ is: 'known', value: changed } as const);
  const isChanged = (family: Family, other: ObjectKey): boolean =>
    family === change.family && other.name === key.name && other.namespace === key.namespace;

  return {
    get<F extends Family>(family: F, asked: ObjectKey): Answer<Families[F]> {
      return isChanged(family, asked) ? (answer as Answer<Families[F]>) : fleet.get(family, asked);
    },
    list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
      const stored = fleet.list(family, query);
      if (family !== change.family) return stored;
      const added = changed as Families[F] | undefined;
      const isAdded = added !== undefined && isAskedFor({ family, object: added }, query);
      return { items: replaced(stored.items, key, isAdded ? [added] : []), complete: stored.complete };
    },
  };
}

/** The request says where an object will be; its own metadata may leave out the namespace or a generated name. */
function placedAt<T extends FleetObject>({ name, namespace }: ObjectKey, object: T): T {
  const { metadata } = object;
  if (metadata.name === name && metadata.namespace === namespace) return object;
  return { ...object, metadata: { ...metadata, name, ...(namespace !== undefined && { namespace }) } };
}

/** The list is in order, and long: the object is looked for where it stands, or would stand. */
function replaced<T extends FleetObject>(items: readonly T[], key: ObjectKey, by: readonly T[]): readonly T[] {
  const place = placeOf(key);
  const index = countBefore(items, ({ metadata }) => placeOf(metadata) < place);
  const found = items[index];
  const isStored = found !== undefined && placeOf(found.metadata) === place;
  return isStored || by.length > 0 ? items.toSpliced(index, isStored ? 1 : 0, ...by) : items;
}

function placeOf({ name, namespace = '' }: ObjectKey): string {
  return `${namespace}/${name}`;
}
