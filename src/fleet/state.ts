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

/** By what objects are found, beside their names. */
export interface Belonging {
  readonly placement: string;
  readonly strategy: string;
  readonly run: string;
  /** `no` asks for the runs that the hub agent has not touched: few of thousands, so none of the others is looked at. */
  readonly takenUp: 'no';
  /** `no` asks for the runs that are not over for good: a tenth of them, or less. */
  readonly over: 'no';
}

type None<K extends PropertyKey> = Readonly<Partial<Record<K, never>>>;
type By<K extends keyof Belonging> = Pick<Belonging, K> & None<Exclude<keyof Belonging, K>>;

/** All objects, or those that belong to one thing: no index answers for two. */
export type Selection = None<keyof Belonging> | { [K in keyof Belonging]: By<K> }[keyof Belonging];

/** Which objects are asked for: of a namespace (or of cluster scope), or `everywhere`, in both scopes and all namespaces. */
export type Query =
  | (Selection & { readonly namespace?: string | undefined; readonly everywhere?: never })
  | ((None<keyof Belonging> | By<'over'>) & { readonly namespace?: never; readonly everywhere: true });

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
