import { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { kindIn, kindsOf, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import type { Families } from '../../fleet/model.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../../fleet/state.js';
import { Projection } from './projection.js';
import type { Sink } from '../../hub/reflector.js';

/** Something in the cache is new, other than before, or gone. */
export interface CacheChange {
  readonly kind: KindOfFamily;
  readonly key: ObjectKey;
  /** Undefined where it is gone. */
  readonly object: Families[Family] | undefined;
}

/** What the watches have told so far. A kind whose first list is not read yet is unknown, not empty. */
export class LiveCache implements FleetState {
  readonly projection = new Projection();
  private readonly fleet = new IndexedFleet('partial');
  private readonly known = new Set<string>();

  constructor(private readonly onChange: (change: CacheChange) => void = () => undefined) {}

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    const answer = this.fleet.get(family, key);
    if (answer.is === 'known') return answer;
    return { is: this.knows(kindIn(family, key.namespace)) ? 'absent' : 'unknown' };
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    const { items } = this.fleet.list(family, query);
    const asked = query.everywhere ? kindsOf(family) : [kindIn(family, query.namespace)];
    return { items, complete: asked.every((kind) => this.knows(kind)) };
  }

  /** All objects of a family in every namespace, as far as they are known. */
  all<F extends Family>(family: F): readonly Families[F][] {
    return this.fleet.all(family);
  }

  /** Whether everything of a kind is here. */
  knows(kind: KindOfFamily): boolean {
    return this.known.has(kind.kind);
  }

  /** A kind that the hub does not serve has no objects, and that is certain. */
  setEmpty(kind: KindOfFamily): void {
    this.sinkFor(kind).keepOnly(new Set());
  }

  /** A kind that is served again is unknown until it has been listed. */
  forget(kind: KindOfFamily): void {
    this.known.delete(kind.kind);
  }

  sinkFor(kind: KindOfFamily): Sink {
    return {
      put: (json) => {
        this.put(kind, this.projection.keep(kind, json));
      },
      remove: (key) => {
        this.remove(kind, key);
      },
      keepOnly: (keys) => {
        const gone = this.ofKind(kind).filter(
          ({ metadata }) => !keys.has(`${metadata.namespace ?? ''}/${metadata.name}`),
        );
        for (const { metadata } of gone) this.remove(kind, metadata);
        this.known.add(kind.kind);
      },
    };
  }

  private put<F extends Family>(kind: KindOfFamily & { readonly family: F }, object: Families[F]): void {
    const key = object.metadata;
    const before = this.fleet.get(kind.family, key);
    // A list that follows a lost watch mostly says what is known already.
    const version = before.is === 'known' ? before.value.metadata.resourceVersion : undefined;
    if (version !== undefined && version === key.resourceVersion) {
      this.projection.release(object);
      return;
    }
    this.fleet.put(kind.family, object);
    if (before.is === 'known') this.projection.release(before.value);
    this.onChange({ kind, key, object });
  }

  private remove(kind: KindOfFamily, { name, namespace }: ObjectKey): void {
    const key = { name, namespace };
    const known = this.fleet.get(kind.family, key);
    if (known.is !== 'known') return;
    this.fleet.remove(kind.family, key);
    this.projection.release(known.value);
    this.onChange({ kind, key, object: undefined });
  }

  private ofKind(kind: KindOfFamily): readonly Families[Family][] {
    return this.fleet.all(kind.family).filter((object) => object.kind === kind.kind);
  }
}
