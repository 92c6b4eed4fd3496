import { storageVersion, type Family } from '../fleet/kinds.js';
import type { Families } from '../fleet/model.js';
import { phaseOf } from '../fleet/run.js';

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
  /** Of a write to the status: whether anything of it differs, be it what no rule reads. Unknown where nobody has compared. */
  readonly statusDiffers?: boolean;
}

export interface Deletion<F extends Family = Family> extends Write<F> {
  readonly operation: 'DELETE';
  readonly oldObject: Families[F];
}

type ChangeOf<F extends Family> = Creation<F> | Update<F> | Deletion<F>;

/** One write to one object of the fleet, before it is stored. */
export type Change<F extends Family = Family> = F extends Family ? ChangeOf<F> : never;

/** Who writes what. Left out, it is a write to the whole object, through the stored version, by nobody in particular. */
type WriteOf<F extends Family> = Pick<Write<F>, 'family' | 'name' | 'namespace'> &
  Partial<Write<F>> & { readonly statusDiffers?: boolean };

/** Field by field: it is done for each review, and to spread two objects takes ten times as long. */
function whole<F extends Family>(write: WriteOf<F>): Write<F> {
  const { family, name, namespace, subresource, requestVersion = storageVersion, user = '', dryRun = false } = write;
  return { family, name, namespace, subresource, requestVersion, user, dryRun };
}

interface Objects<F extends Family> {
  readonly object?: Families[F] | undefined;
  readonly oldObject?: Families[F] | undefined;
}

/** Puts a change together; which of the objects are there says what is done. */
export function changeOf<F extends Family>(write: WriteOf<F>, { object, oldObject }: Objects<F>): Change<F> {
  if (object !== undefined && oldObject === undefined) return creationOf(write, object) as unknown as Change<F>;
  if (oldObject === undefined) throw new Error('a change needs an object');
  const { statusDiffers } = write;
  const said = statusDiffers === undefined ? {} : { statusDiffers };
  const change =
    object === undefined
      ? Object.assign(whole(write), { operation: 'DELETE', oldObject }, said)
      : Object.assign(whole(write), { operation: 'UPDATE', object, oldObject }, said);
  // The family ties the types of the objects together; the compiler cannot follow it there.
  return change as unknown as Change<F>;
}

export function creationOf<F extends Family>(write: WriteOf<F>, object: Families[F]): Creation<F> {
  return Object.assign(whole(write), { operation: 'CREATE' as const, object });
}

/** A run that is created, or set to Run. */
export type RunStart = Creation<'UpdateRun'> | Update<'UpdateRun'>;

/** Whether a change makes a run active: it is created in state Run, or set to it. */
export function isStart(change: Change): change is RunStart {
  if (change.family !== 'UpdateRun' || change.subresource !== undefined) return false;
  return change.operation === 'CREATE' ? change.object.spec.state === 'Run' : stateBecomes(change, 'Run');
}

/** Whether KubeFleet judges a run after this change: it does so when a run is initialized, and when it is started. */
export function isCreationOrStart(change: Change): change is RunStart {
  return (change.family === 'UpdateRun' && change.operation === 'CREATE') || isStart(change);
}

/** Moments that a rule can be narrowed to, in the words of the documentation. */
export const moments = {
  'state becomes Run': (change: Change) => stateBecomes(change, 'Run'),
  'state becomes Run before the run is initialized': (change: Change) =>
    stateBecomes(change, 'Run') && phaseOf(change.oldObject) === 'pending',
  'state becomes Stop': (change: Change) => stateBecomes(change, 'Stop'),
  // KubeFleet's schema lets an index be removed and then set anew.
  'snapshot index changes before the run is initialized': (change: Change) =>
    isRunUpdate(change) && indexDiffers(change) && phaseOf(change.oldObject) === 'pending',
} as const;
export type Moment = keyof typeof moments;

function isRunUpdate(change: Change): change is Update<'UpdateRun'> {
  return change.family === 'UpdateRun' && change.operation === 'UPDATE';
}

function indexDiffers({ object, oldObject }: Update<'UpdateRun'>): boolean {
  return object.spec.resourceSnapshotIndex !== oldObject.spec.resourceSnapshotIndex;
}

function stateBecomes(change: Change, state: string): change is Update<'UpdateRun'> {
  if (!isRunUpdate(change)) return false;
  return change.object.spec.state === state && change.oldObject.spec.state !== state;
}
