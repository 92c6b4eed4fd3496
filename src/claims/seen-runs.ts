import type { UpdateRun } from '../fleet/model.js';

/** Forty bytes each; a hub that stores more runs than this between two claims of a placement only waits longer. */
const most = 100_000;

/** Which runs this replica has ever seen stored, by uid: the API server gives a uid to one object only. */
export class SeenRuns {
  // In the order in which they were first seen: the first is the one to forget.
  private readonly uids = new Set<string>();

  see({ metadata: { uid } }: UpdateRun): void {
    if (uid === undefined || this.uids.has(uid)) return;
    this.uids.add(uid);
    const [oldest] = this.uids;
    if (this.uids.size > most && oldest !== undefined) this.uids.delete(oldest);
  }

  has(uid: string): boolean {
    return this.uids.has(uid);
  }
}
