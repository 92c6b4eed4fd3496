import { scopeOf, type Family } from '../fleet/kinds.js';
import type { Families, FleetObject } from '../fleet/model.js';
import { IndexedFleet } from '../fleet/indexed-fleet.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../fleet/state.js';
import type { Change } from './change.js';

/** The fleet as it would be after a change, whether or not the source has heard of it yet. */
export function overlay(fleet: FleetState, change: Change): FleetState {
  const key = { name: change.name, namespace: scopeOf(change.family, change.namespace) };
  const changed = new IndexedFleet('complete');
  if (change.operation !== 'DELETE') changed.put(change.family, placedAt(key, change.object));
  const isChanged = (family: Family, other: ObjectKey): boolean =>
    family === change.family && other.name === key.name && other.namespace === key.namespace;

  return {
    get<F extends Family>(family: F, asked: ObjectKey): Answer<Families[F]> {
      return (isChanged(family, asked) ? changed : fleet).get(family, asked);
    },
    list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
      const answer = fleet.list(family, query);
      if (family !== change.family) return answer;
      const others = answer.items.filter((item) => !isChanged(family, item.metadata));
      const { items: added } = changed.list(family, query);
      return { items: inserted(others, added), complete: answer.complete };
    },
  };
}

/** The request says where an object will be; its own metadata may leave out the namespace or a generated name. */
function placedAt<T extends FleetObject>({ name, namespace }: ObjectKey, object: T): T {
  const { metadata } = object;
  if (metadata.name === name && metadata.namespace === namespace) return object;
  return { ...object, metadata: { ...metadata, name, ...(namespace !== undefined && { namespace }) } };
}

/** Both are in order, and of a change there is one object at most. */
function inserted<T extends FleetObject>(items: readonly T[], added: readonly T[]): readonly T[] {
  const [first] = added;
  if (first === undefined) return items;
  const place = placeOf(first);
  const after = items.findIndex((item) => placeOf(item) > place);
  return items.toSpliced(after < 0 ? items.length : after, 0, ...added);
}

function placeOf({ metadata: { name, namespace = '' } }: FleetObject): string {
  return `${namespace}/${name}`;
}
