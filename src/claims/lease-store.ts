import { fieldOf } from '../fleet/json.js';
import type { ObjectKey } from '../fleet/state.js';
import { statusOf, type HubCalls } from '../hub/hub.js';
import { KnownClaims } from './known-claims.js';
import { identityIn, isBeingDeleted, leaseName, leaseOf, leaseVersion, readLease } from './lease.js';
import type { ClaimStore, StoredClaim, View } from './store.js';

export interface LeaseStoreParts {
  readonly api: HubCalls;
  /** The guard's own namespace. */
  readonly namespace: string;
  /** As it is set now. */
  readonly settleSeconds: () => number;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
}

/** Claims as Leases. What a watch tells goes to `sink`. */
export class LeaseStore implements ClaimStore {
  private readonly known: KnownClaims;

  constructor(private readonly parts: LeaseStoreParts) {
    this.known = new KnownClaims(parts.now);
  }

  /** Where the Leases are. */
  get path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(this.parts.namespace)}/leases`;
  }

  view(placement: ObjectKey): View {
    return this.known.view(leaseName(placement));
  }

  async read(placement: ObjectKey, signal: AbortSignal): Promise<View> {
    const id = leaseName(placement);
    try {
      return this.see(id, await this.parts.api.call({ path: `${this.path}/${id}`, signal }));
    } catch (error) {
      if (statusOf(error) === 404) return this.known.seeRemoved(id);
      throw error;
    }
  }

  async write(placement: ObjectKey, next: Omit<View, 'age'>, signal: AbortSignal): Promise<boolean> {
    const { api } = this.parts;
    const id = leaseName(placement);
    const isNew = next.version === undefined;
    const settleSeconds = this.parts.settleSeconds();
    const body = leaseOf({ placement, ...next, settleSeconds, now: new Date() });
    const path = isNew ? this.path : `${this.path}/${id}`;
    try {
      const answer = await api.call({ path, method: isNew ? 'POST' : 'PUT', body, signal });
      // A PUT takes off what kept a deleted Lease. Then it is gone, whatever the answer says, and holds nothing.
      if (isBeingDeleted(answer)) return false;
      this.see(id, answer);
      return true;
    } catch (error) {
      // A new one that exists, one that was written or deleted since. That a namespace is missing is no such thing.
      if (statusOf(error) === 409 || (!isNew && statusOf(error) === 404)) return false;
      throw error;
    }
  }

  async remove(placement: ObjectKey, version: string, signal: AbortSignal): Promise<boolean> {
    const id = leaseName(placement);
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: identityIn(version) };
    try {
      await this.parts.api.call({ path: `${this.path}/${id}`, method: 'DELETE', body, signal });
      this.known.seeRemoved(id);
      return true;
    } catch (error) {
      if (statusOf(error) === 409 || statusOf(error) === 404) return false;
      throw error;
    }
  }

  list(): readonly StoredClaim[] {
    this.known.forgetOlderThan(this.parts.settleSeconds());
    return this.known.list();
  }

  /** What a watch of the Leases tells. */
  readonly sink = {
    put: (json: unknown): void => {
      const name = fieldOf(fieldOf(json, 'metadata'), 'name');
      if (typeof name === 'string') this.see(name, json);
    },
    remove: ({ name }: ObjectKey): void => {
      this.known.seeRemoved(name);
    },
    /** Only these exist; keys are `namespace/name`. */
    keepOnly: (keys: ReadonlySet<string>): void => {
      for (const id of this.known.ids()) if (!keys.has(`${this.parts.namespace}/${id}`)) this.known.seeRemoved(id);
    },
  };

  private see(id: string, json: unknown): View {
    const version = leaseVersion(json);
    if (version === undefined) throw new Error('the API server sent a Lease without uid or version');
    return this.known.see(id, version, readLease(json));
  }
}
