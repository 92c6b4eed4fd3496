import { kindIn, scopeOf, type Family } from './kinds.js';
import type { Families } from './model.js';
import type { Belonging, FleetState, Selection } from './state.js';
import { quoted } from './quoted.js';

/** Raised by Facts when a rule asks for something that nobody can say now; the engine turns it into "undetermined". */
export class UnknownFact extends Error {
  constructor(
    readonly family: Family,
    /** What was asked for, in words: `ClusterResourcePlacement "shop"`. */
    readonly what: string,
  ) {
    super(`cannot know ${what}`);
    this.name = 'UnknownFact';
  }
}

/** The fleet as seen from one scope: twins look for their relatives where the controller does. */
export class Facts {
  private readonly computed = new WeakMap<object, Map<string, unknown>>();

  constructor(
    private readonly fleet: FleetState,
    /** The namespace of the object that is judged; undefined in cluster scope. */
    readonly namespace: string | undefined,
  ) {}

  /** The object of that name in this scope, or undefined if there is none; raises UnknownFact if nobody can say. */
  get<F extends Family>(family: F, name: string): Families[F] | undefined {
    const answer = this.fleet.get(family, { name, namespace: scopeOf(family, this.namespace) });
    if (answer.is === 'unknown') throw new UnknownFact(family, `${this.kind(family)} ${quoted(name)}`);
    return answer.is === 'known' ? answer.value : undefined;
  }

  /** All objects of this scope that the query names; raises UnknownFact if there may be more than is known. */
  list<F extends Family>(family: F, query: Selection = {}): readonly Families[F][] {
    const answer = this.fleet.list(family, { ...query, namespace: scopeOf(family, this.namespace) });
    if (!answer.complete) throw new UnknownFact(family, this.describe(family, query));
    return answer.items;
  }

  /** The objects of both scopes that the query names; raises UnknownFact if there may be more than is known. */
  everywhere<F extends Family>(family: F, query: Partial<Pick<Belonging, 'over'>> = {}): readonly Families[F][] {
    const answer = this.fleet.list(family, { ...query, everywhere: true });
    if (!answer.complete) throw new UnknownFact(family, `${this.describe(family, {})} of all namespaces`);
    return answer.items;
  }

  /** The objects that happen to be known, for details that a verdict does not rest on. */
  some<F extends Family>(family: F, query: Selection = {}): readonly Families[F][] {
    return this.fleet.list(family, { ...query, namespace: scopeOf(family, this.namespace) }).items;
  }

  /** The same fleet, seen from another scope. */
  in(namespace: string | undefined): Facts {
    return new Facts(this.fleet, namespace);
  }

  /** What several rules derive alike of one object is derived once: these facts do not change under a verdict. */
  once<T>(of: object, what: string, derive: () => T): T {
    const computed = this.computed.get(of) ?? new Map<string, unknown>();
    this.computed.set(of, computed);
    if (!computed.has(what)) computed.set(what, derive());
    return computed.get(what) as T;
  }

  private kind(family: Family): string {
    return kindIn(family, this.namespace).kind;
  }

  private describe(family: Family, query: Selection): string {
    const { placement, strategy, run } = query;
    const owners = Object.entries({ placement, strategy, run }).flatMap(([kind, name]) =>
      name === undefined ? [] : [`of ${kind} ${quoted(name)}`],
    );
    const all = `the ${this.kind(family).replace(/y$/, 'ie')}s`;
    const open = query.over === undefined ? [] : ['that are not over'];
    const untouched = query.takenUp === undefined ? [] : ['that KubeFleet has not taken up'];
    return [all, ...owners, ...open, ...untouched].join(' ');
  }
}
