import type { ObjectKey } from '../fleet/state.js';
import { KnownClaims } from './known-claims.js';
import type { ClaimStore, StoredClaim, View } from './store.js';

/** Claims of a guard that is alone: nobody else could write them. */
export class MemoryStore implements ClaimStore {
  private readonly known: KnownClaims;
  private written = 0;

  constructor(now: () => number) {
    this.known = new KnownClaims(now);
  }

  view(placement: ObjectKey): View {
    return this.known.view(idOf(placement));
  }

  read(placement: ObjectKey): Promise<View> {
    return Promise.resolve(this.view(placement));
  }

  write(placement: ObjectKey, { claims, version }: Omit<View, 'age'>): Promise<boolean> {
    if (this.view(placement).version !== version) return Promise.resolve(false);
    this.written += 1;
    this.known.see(idOf(placement), String(this.written), { placement, claims });
    return Promise.resolve(true);
  }

  remove(placement: ObjectKey, version: string): Promise<boolean> {
    if (this.view(placement).version !== version) return Promise.resolve(false);
    this.known.seeRemoved(idOf(placement));
    return Promise.resolve(true);
  }

  list(): readonly StoredClaim[] {
    return this.known.list();
  }
}

function idOf({ name, namespace }: ObjectKey): string {
  return `${namespace ?? ''}/${name}`;
}
