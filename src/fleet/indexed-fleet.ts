import type { Family } from './kinds.js';
import { families } from './kinds.js';
import { countBefore } from './in-order.js';
import { fleetKeys } from './fleet-keys.js';
import type { Families, FleetObject } from './model.js';
import { isOver, isTakenUp } from './run.js';
import type { Answer, FleetState, ListAnswer, Belonging, ObjectKey, Query } from './state.js';

const byParentLabel = { placement: (object: FleetObject) => object.metadata.labels[fleetKeys.parentPlacement] };

/** By what the objects of a family are found, beside their names. */
const belongings: { [F in Family]: Partial<Record<keyof Belonging, (object: Families[F]) => string | undefined>> } = {
  UpdateRun: {
    placement: (run) => run.spec.placementName,
    strategy: (run) => run.spec.stagedRolloutStrategyName,
    takenUp: (run) => (isTakenUp(run) ? undefined : 'no'),
    over: (run) => (isOver(run) ? undefined : 'no'),
  },
  UpdateStrategy: {},
  ApprovalRequest: { run: (approval) => approval.spec.parentStageRollout },
  Placement: {},
  ResourceSnapshot: byParentLabel,
  PolicySnapshot: byParentLabel,
  Binding: byParentLabel,
  MemberCluster: {},
  Eviction: {},
  OverrideSnapshot: {},
};

/** The objects of one family, by name and by what they belong to. */
class Shelf<F extends Family> {
  private readonly byKey = new Map<string, Families[F]>();
  /** Each group lies in one namespace and is kept in the order of names: it is asked for far more often than it changes. */
  private readonly groups = new Map<string, Families[F][]>();
  /** Groups that somebody has a list of: whoever changes one of them makes another list first. */
  private readonly handedOut = new Set<string>();

  constructor(private readonly family: F) {}

  put(object: Families[F]): void {
    this.remove(object.metadata);
    this.byKey.set(keyOf(object.metadata), object);
    for (const group of groupsOf(this.family, object)) {
      const members = this.changeable(group);
      members.splice(placeIn(members, object), 0, object);
      this.groups.set(group, members);
    }
  }

  remove(where: ObjectKey): void {
    const key = keyOf(where);
    const object = this.byKey.get(key);
    if (object === undefined) return;
    this.byKey.delete(key);
    for (const group of groupsOf(this.family, object)) {
      const members = this.changeable(group);
      members.splice(placeIn(members, object), 1);
      if (members.length === 0) this.groups.delete(group);
      else this.groups.set(group, members);
    }
  }

  get(where: ObjectKey): Families[F] | undefined {
    return this.byKey.get(keyOf(where));
  }

  /** What a query names, in every namespace: no namespace holds a slash. */
  everywhere(query: Query): readonly Families[F][] {
    const wanted = groupOf({ ...query, namespace: undefined });
    const groups = [...this.groups].filter(([group]) => group.slice(group.indexOf('/')) === wanted);
    return groups.sort(([a], [b]) => compare(a, b)).flatMap(([, members]) => members);
  }

  list(query: Query): readonly Families[F][] {
    const group = groupOf(query);
    const members = this.groups.get(group);
    if (members !== undefined) this.handedOut.add(group);
    return members ?? [];
  }

  private changeable(group: string): Families[F][] {
    const members = this.groups.get(group) ?? [];
    return this.handedOut.delete(group) ? members.slice() : members;
  }
}

/** The groups that an object is in. */
function groupsOf<F extends Family>(family: F, object: Families[F]): readonly string[] {
  const { namespace } = object.metadata;
  const belonging = Object.entries(belongings[family]) as [
    keyof Belonging,
    (object: Families[F]) => string | undefined,
  ][];
  const groups = belonging.flatMap(([by, read]) => {
    const value = read(object);
    return value === undefined ? [] : [groupOf({ namespace, [by]: value })];
  });
  return [groupOf({ namespace }), ...groups];
}

/** Whether a list that is asked for has an object in it. */
export function isAskedFor<F extends Family>(
  { family, object }: { readonly family: F; readonly object: Families[F] },
  query: Query,
): boolean {
  if (query.everywhere !== true && (query.namespace ?? '') !== (object.metadata.namespace ?? '')) return false;
  const by = belongingOf(query);
  return by === undefined || belongings[family][by]?.(object) === query[by];
}

function keyOf({ name, namespace }: ObjectKey): string {
  return `${namespace ?? ''}/${name}`;
}

type Group = Partial<Belonging> & { readonly namespace?: string | undefined };

function groupOf(group: Group): string {
  const by = belongingOf(group);
  return by === undefined ? `${group.namespace ?? ''}/` : `${group.namespace ?? ''}/${by}=${group[by] ?? ''}`;
}

const orderOfBelongings = ['placement', 'strategy', 'run', 'takenUp', 'over'] as const;

/** By what a group is told from the whole namespace, if it is. */
function belongingOf(group: Group): keyof Belonging | undefined {
  for (const by of orderOfBelongings) if (group[by] !== undefined) return by;
  return undefined;
}

/** Where an object stands, or would stand, among objects in the order of their names. */
function placeIn(members: readonly FleetObject[], { metadata: { name } }: FleetObject): number {
  return countBefore(members, (member) => compare(member.metadata.name, name) < 0);
}

/** Code unit order, so that answers never depend on the order of arrival or on a locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A fleet in memory, indexed by all that rules ask for. */
export class IndexedFleet implements FleetState {
  private readonly shelves: { [F in Family]: Shelf<F> } = Object.fromEntries(
    families.map((family) => [family, new Shelf(family)]),
  ) as { [F in Family]: Shelf<F> };
  private readonly completeFamilies: Set<Family>;

  /** A complete fleet holds all there is; of a partial one, what it does not hold is unknown. */
  constructor(knowledge: 'complete' | 'partial') {
    this.completeFamilies = new Set(knowledge === 'complete' ? families : []);
  }

  setComplete(family: Family, complete: boolean): void {
    if (complete) this.completeFamilies.add(family);
    else this.completeFamilies.delete(family);
  }

  put<F extends Family>(family: F, object: Families[F]): void {
    this.shelves[family].put(object);
  }

  remove(family: Family, key: ObjectKey): void {
    this.shelves[family].remove(key);
  }

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    const value = this.shelves[family].get(key);
    if (value !== undefined) return { is: 'known', value };
    return { is: this.completeFamilies.has(family) ? 'absent' : 'unknown' };
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    const shelf = this.shelves[family];
    const items = query.everywhere ? shelf.everywhere(query) : shelf.list(query);
    return { items, complete: this.completeFamilies.has(family) };
  }

  /** All objects of a family, in every namespace. */
  all<F extends Family>(family: F): readonly Families[F][] {
    return this.shelves[family].everywhere({});
  }
}
