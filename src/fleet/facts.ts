import { kindIn, scopeOf, type Family } from './kinds.js';
import type { Families } from './model.js';
import type { FleetState, Query } from './state.js';

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
  private readonly computed = new Map<string, unknown>();

  constructor(
    private readonly fleet: FleetState,
    /** The namespace of the object that is judged; undefined in cluster scope. */
    readonly namespace: string | undefined,
  ) {}

  /** The object of that name in this scope, or undefined if there is none; raises UnknownFact if nobody can say. */
  get<F extends Family>(family: F, name: string): Families[F] | undefined {
    const answer = this.fleet.get(family, { name, namespace: scopeOf(family, this.namespace) });
    if (answer.is === 'unknown') throw new UnknownFact(family, `${this.kind(family)} "${name}"`);
    return answer.is === 'known' ? answer.value : undefined;
  }

  /** All objects of this scope that the query names; raises UnknownFact if there may be more than is known. */
  list<F extends Family>(family: F, query: Omit<Query, 'namespace'> = {}): readonly Families[F][] {
    const answer = this.fleet.list(family, { ...query, namespace: scopeOf(family, this.namespace) });
    if (!answer.complete) throw new UnknownFact(family, this.describe(family, query));
    return answer.items;
  }

  /** The objects of both scopes that the query names; raises UnknownFact if there may be more than is known. */
  everywhere<F extends Family>(family: F, query: Pick<Query, 'over'> = {}): readonly Families[F][] {
    const answer = this.fleet.list(family, { ...query, everywhere: true });
    if (!answer.complete) throw new UnknownFact(family, `${this.describe(family, {})} of all namespaces`);
    return answer.items;
  }

  /** The objects that happen to be known, for details that a verdict does not rest on. */
  some<F extends Family>(family: F, query: Omit<Query, 'namespace'> = {}): readonly Families[F][] {
    return this.fleet.list(family, { ...query, namespace: scopeOf(family, this.namespace) }).items;
  }

  /** The same fleet, seen from another scope. */
  in(namespace: string | undefined): Facts {
    return new Facts(this.fleet, namespace);
  }

  /** What several rules derive alike is derived once: these facts do not change under a verdict. */
  once<T>(name: string, derive: () => T): T {
    if (!this.computed.has(name)) this.computed.set(name, derive());
    return this.computed.get(name) as T;
  }

  private kind(family: Family): string {
    return kindIn(family, this.namespace).kind;
  }

  private describe(family: Family, query: Omit<Query, 'namespace'>): string {
    const [by] = Object.entries(query);
    const all = `the ${this.kind(family).replace(/y$/, 'ie')}s`;
    return by === undefined ? all : `${all} of ${by[0]} "${by[1]}"`;
  }
}
