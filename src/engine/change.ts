import type { Family } from '../fleet/kinds.js';
import type { Families } from '../fleet/model.js';

export const operations = ['CREATE', 'UPDATE', 'DELETE'] as const;
export type Operation = (typeof operations)[number];

interface Write<F extends Family> {
  readonly family: F;
  readonly name: string;
  /** Undefined for objects of cluster scope. */
  readonly namespace: string | undefined;
  /** Set for writes to the status subresource. */
  readonly subresource: 'status' | undefined;
  /** The API version that the writer used; the objects themselves may have been converted. */
  readonly requestVersion: string;
  readonly user: string;
  readonly dryRun: boolean;
}

export interface Creation<F extends Family = Family> extends Write<F> {
  readonly operation: 'CREATE';
  readonly object: Families[F];
}

export interface Update<F extends Family = Family> extends Write<F> {
  readonly operation: 'UPDATE';
  readonly object: Families[F];
  readonly oldObject: Families[F];
}

export interface Deletion<F extends Family = Family> extends Write<F> {
  readonly operation: 'DELETE';
  readonly oldObject: Families[F];
}

type ChangeOf<F extends Family> = Creation<F> | Update<F> | Deletion<F>;

/** One write to one object of the fleet, before it is stored. */
export type Change<F extends Family = Family> = F extends Family ? ChangeOf<F> : never;

/** Moments that a rule can be narrowed to, in the words of the documentation. */
export const moments = {
  'state becomes Run': (change: Change) => stateBecomes(change, 'Run'),
  'state becomes Stop': (change: Change) => stateBecomes(change, 'Stop'),
} as const;
export type Moment = keyof typeof moments;

function stateBecomes(change: Change, state: string): boolean {
  if (change.family !== 'UpdateRun' || change.operation !== 'UPDATE') return false;
  return change.object.spec.state === state && change.oldObject.spec.state !== state;
}
