import type { ObjectKey } from '../fleet/state.js';
import type { Claim } from './protocol.js';

/** Who holds one placement, as this replica knows it. */
export interface View {
  readonly claims: readonly Claim[];
  /** What a write must name; undefined where nothing is stored. */
  readonly version: string | undefined;
  /** Seconds since this replica first saw this version, by a clock that does not jump. */
  readonly age: number;
}

export interface StoredClaim {
  readonly placement: ObjectKey;
  readonly view: View;
}

/** Where claims are kept: one record a placement, written only on the condition that nobody has written since. */
export interface ClaimStore {
  /** What is known without asking; may be old. */
  view(placement: ObjectKey): View;
  /** Asks where the claims are kept. */
  read(placement: ObjectKey, signal: AbortSignal): Promise<View>;
  /** Creates the record, or replaces the version that is named; false where someone else was faster. */
  write(placement: ObjectKey, next: Omit<View, 'age'>, signal: AbortSignal): Promise<boolean>;
  /** Removes the record if it still has this version; false where it has not. */
  remove(placement: ObjectKey, version: string, signal: AbortSignal): Promise<boolean>;
  /** All placements that are held, as far as they are known. */
  list(): readonly StoredClaim[];
}
