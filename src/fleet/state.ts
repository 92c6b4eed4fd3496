import type { Family } from './kinds.js';
import type { Families } from './model.js';

/** The name of an object and its namespace; no namespace means cluster scope. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** An answer about one object: it is there, it is known not to be there, or nobody can say now. */
export type Answer<T> =
  { readonly is: 'known'; readonly value: T } | { readonly is: 'absent' } | { readonly is: 'unknown' };

/** Which objects of a namespace (or of cluster scope) are asked for: all, or those that belong to something. */
export interface Query {
  readonly namespace?: string | undefined;
  /** All of a family, in cluster scope and in every namespace; stands alone or with `over`. */
  readonly everywhere?: true;
  readonly placement?: string;
  readonly strategy?: string;
  readonly run?: string;
  /** `no` asks for the runs that the hub agent has not touched: few of thousands, so none of the others is looked at. */
  readonly takenUp?: 'no';
  /** `no` asks for the runs that are not over for good: a tenth of them, or less. */
  readonly over?: 'no';
}

/** Objects in the order of their namespaces and names; `complete` is false where there may be more than these. */
export interface ListAnswer<T> {
  readonly items: readonly T[];
  readonly complete: boolean;
}

/** What is known of the hub. Every source of knowledge comes down to this. */
export interface FleetState {
  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]>;
  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]>;
}
