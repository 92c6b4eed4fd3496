import { createHash } from 'node:crypto';
import { fieldOf, parseJson } from '../fleet/json.js';
import { isObjectName } from '../fleet/kinds.js';
import type { ObjectKey } from '../fleet/state.js';
import type { FoundClaims } from './known-claims.js';
import type { Claim } from './protocol.js';

/** Tells the Leases of claims from all others of the namespace. */
export const claimLabel = 'stageguard.io/claims=placement';

const [labelKey = '', labelValue = ''] = claimLabel.split('=');
const annotation = 'stageguard.io/claim';

/** Whoever holds a Lease that cannot be read. It may be anyone, so it counts as a run that nobody has seen yet. */
export const unreadable: Claim = { uid: '', name: '', rollout: { stagedRolloutStrategyName: '' } };

/** The same for a placement at all times and in all replicas. Names of placements may be longer than those of Leases. */
export function leaseName({ name, namespace }: ObjectKey): string {
  const scoped = JSON.stringify([namespace ?? null, name]);
  return `placement-${createHash('sha256').update(scoped).digest('hex').slice(0, 40)}`;
}

/**
 * What a write must name to replace a Lease: this one, in this version. The uid has to be there. Where a Lease is gone, the
 * API server takes a PUT that names only its resourceVersion for the wish to create it, and nothing is compared.
 */
export interface LeaseIdentity {
  readonly uid: string;
  readonly resourceVersion: string;
}

const separator = '@';

/** The identity of a Lease as one word; undefined for JSON that has none. */
export function leaseVersion(json: unknown): string | undefined {
  const metadata = fieldOf(json, 'metadata');
  const uid = fieldOf(metadata, 'uid');
  const resourceVersion = fieldOf(metadata, 'resourceVersion');
  const isWhole = typeof uid === 'string' && typeof resourceVersion === 'string';
  return isWhole ? `${uid}${separator}${resourceVersion}` : undefined;
}

export function identityIn(version: string): LeaseIdentity {
  const [uid = '', resourceVersion = ''] = version.split(separator);
  return { uid, resourceVersion };
}

/** Whether someone has deleted it, and a finalizer keeps it for the moment. */
export function isBeingDeleted(json: unknown): boolean {
  return fieldOf(fieldOf(json, 'metadata'), 'deletionTimestamp') !== undefined;
}

export interface LeaseContent {
  readonly placement: ObjectKey;
  readonly claims: readonly Claim[];
  /** The version to replace; undefined for a new Lease. */
  readonly version: string | undefined;
  readonly settleSeconds: number;
  readonly now: Date;
}

/** The Lease that says who holds a placement. Only the annotation counts; the rest is for whoever looks at it. */
export function leaseOf({ placement, claims, version, settleSeconds, now }: LeaseContent): object {
  const { name, namespace } = placement;
  // The API server wants microseconds in a time of a Lease.
  const time = now.toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: leaseName(placement),
      labels: { [labelKey]: labelValue, 'app.kubernetes.io/managed-by': 'stageguard' },
      annotations: { [annotation]: JSON.stringify({ placement: { name, namespace }, runs: claims }) },
      ...(version !== undefined && identityIn(version)),
    },
    spec: {
      holderIdentity: claims.map((claim) => claim.name).join(','),
      leaseDurationSeconds: settleSeconds,
      acquireTime: time,
      renewTime: time,
    },
  };
}

/** What a Lease says. One that was edited by hand may say anything. */
export function readLease(json: unknown): FoundClaims {
  const text = fieldOf(fieldOf(fieldOf(json, 'metadata'), 'annotations'), annotation);
  const content = typeof text === 'string' ? parseJson(text) : undefined;
  const runs = fieldOf(content, 'runs');
  // The guard never writes an empty list: whoever emptied it may have done so while a run was on its way.
  const claims = Array.isArray(runs) && runs.length > 0 ? runs.map(readClaim) : [undefined];
  return {
    placement: readPlacement(fieldOf(content, 'placement'), fieldOf(fieldOf(json, 'metadata'), 'name')),
    claims: claims.map((claim) => claim ?? unreadable),
  };
}

/** A placement is believed only where the name of the Lease confirms it. */
function readPlacement(json: unknown, lease: unknown): ObjectKey | undefined {
  const name = fieldOf(json, 'name');
  const namespace = fieldOf(json, 'namespace');
  if (typeof name !== 'string' || (namespace !== undefined && typeof namespace !== 'string')) return undefined;
  const placement = { name, ...(namespace !== undefined && { namespace }) };
  return leaseName(placement) === lease ? placement : undefined;
}

function readClaim(json: unknown): Claim | undefined {
  const uid = fieldOf(json, 'uid');
  const name = fieldOf(json, 'name');
  const rollout = fieldOf(json, 'rollout');
  const strategy = fieldOf(rollout, 'stagedRolloutStrategyName');
  const index = fieldOf(rollout, 'resourceSnapshotIndex');
  if (typeof uid !== 'string' || uid === '' || typeof name !== 'string' || !isObjectName(name)) return undefined;
  return {
    uid,
    name,
    rollout: {
      stagedRolloutStrategyName: typeof strategy === 'string' ? strategy : '',
      ...(typeof index === 'string' && index !== '' && { resourceSnapshotIndex: index }),
    },
  };
}
