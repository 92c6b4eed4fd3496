import type { Change } from '../../src/engine/change.js';
import { decode } from '../../src/fleet/decode.js';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { kindIn, scopeOf, type Family, type KindOfFamily } from '../../src/fleet/kinds.js';
import type { Families } from '../../src/fleet/model.js';
import type { ChangeDraft, Draft } from './builders.js';

/** One of the two scopes every rule must hold in. */
export interface Scope {
  readonly name: string;
  readonly namespace: string | undefined;
  /** `-n team-a`, or nothing: the piece by which the commands of the two scopes differ. */
  readonly flag: string;
  readonly kind: (family: Family) => string;
  readonly plural: (family: Family) => string;
}

export function scopeOfName(name: string, namespace: string | undefined): Scope {
  return {
    name,
    namespace,
    flag: namespace === undefined ? '' : ` -n ${namespace}`,
    kind: (family) => kindIn(family, namespace).kind,
    plural: (family) => kindIn(family, namespace).plural,
  };
}

export const scopes: readonly Scope[] = [scopeOfName('cluster scope', undefined), scopeOfName('namespaced', 'team-a')];

/** The JSON of a draft as it stands in a scope. */
export function jsonIn(where: Scope, draft: Draft): Record<string, unknown> {
  const kind = kindIn(draft.family, where.namespace);
  const metadata = draft.json['metadata'] as Record<string, unknown>;
  return {
    apiVersion: `${kind.group}/v1beta1`,
    kind: kind.kind,
    ...draft.json,
    metadata: kind.namespaced ? { namespace: where.namespace, ...metadata } : metadata,
  };
}

/** The decoded, deeply frozen object of a draft. */
export function objectIn<F extends Family>(where: Scope, draft: Draft & { family: F }): Families[F] {
  const kind = kindIn(draft.family, where.namespace) as KindOfFamily & { family: F };
  return freeze(decode(kind, jsonIn(where, draft)).object);
}

export function fleetIn(
  where: Scope,
  drafts: readonly Draft[],
  knowledge: 'complete' | 'partial' = 'complete',
): IndexedFleet {
  const fleet = new IndexedFleet(knowledge);
  for (const draft of drafts) fleet.put(draft.family, objectIn(where, draft));
  return fleet;
}

export function changeIn(where: Scope, draft: ChangeDraft): Change {
  const subject = draft.object ?? draft.oldObject;
  if (subject === undefined) throw new Error('a change needs an object');
  const metadata = subject.json['metadata'] as { name: string };
  return freeze({
    family: draft.family,
    operation: draft.operation,
    name: metadata.name,
    namespace: scopeOf(draft.family, where.namespace),
    subresource: draft.subresource,
    requestVersion: draft.requestVersion ?? 'v1beta1',
    user: draft.user ?? 'alice',
    dryRun: draft.dryRun ?? false,
    ...(draft.object && { object: objectIn(where, draft.object) }),
    ...(draft.oldObject && { oldObject: objectIn(where, draft.oldObject) }),
  }) as unknown as Change;
}

/** A rule that writes to what it is given throws in the tests. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
