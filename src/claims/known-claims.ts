import type { ObjectKey } from '../fleet/state.js';
import type { Claim } from './protocol.js';
import type { StoredClaim, View } from './store.js';

/** One record as it was found. */
export interface FoundClaims {
  /** Undefined where the record does not say which placement it is about. */
  readonly placement: ObjectKey | undefined;
  readonly claims: readonly Claim[];
}

interface Known extends FoundClaims {
  readonly version: string | undefined;
  readonly since: number;
}

const nothing: Omit<View, 'age'> = { claims: [], version: undefined };

/** What one replica knows of all claims, and since when. */
export class KnownClaims {
  private readonly known = new Map<string, Known>();

  /** `now`: milliseconds of a clock that does not jump. */
  constructor(private readonly now: () => number) {}

  see(id: string, version: string, found: FoundClaims): View {
    const before = this.known.get(id);
    // A record that does not say it any more is still about the same placement.
    const placement = found.placement ?? before?.placement;
    if (before?.version !== version) this.known.set(id, { ...found, placement, version, since: this.now() });
    return this.view(id);
  }

  /**
   * Someone removed the record. Whoever held it may still be on the way to being stored, so the claim is remembered until
   * it has settled; `forgetOlderThan` ends that.
   */
  seeRemoved(id: string): View {
    const known = this.known.get(id);
    if (known !== undefined) this.known.set(id, { ...known, version: undefined });
    return this.view(id);
  }

  view(id: string): View {
    const known = this.known.get(id);
    if (known === undefined) return { ...nothing, age: 0 };
    return { claims: known.claims, version: known.version, age: (this.now() - known.since) / 1000 };
  }

  ids(): readonly string[] {
    return [...this.known.keys()];
  }

  list(): readonly StoredClaim[] {
    return [...this.known].flatMap(([id, { placement, version }]) =>
      placement === undefined || version === undefined ? [] : [{ placement, view: this.view(id) }],
    );
  }

  /** Removed records are remembered no longer than they can matter. */
  forgetOlderThan(seconds: number): void {
    for (const [id, { version }] of this.known) {
      if (version === undefined && this.view(id).age >= seconds) this.known.delete(id);
    }
  }
}
