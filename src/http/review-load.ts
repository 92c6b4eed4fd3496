import { defaultLimits as settable } from '../config/schema.js';

export interface BodyLimits {
  readonly bodyBytes: number;
  /** Reviews that may be judged at once, and bytes that may be here; more are answered 503, so that failurePolicy decides. */
  readonly inFlight: number;
  readonly inFlightBytes: number;
}

/** Parsed JSON takes some five times the memory of its text: eight of the largest bodies come to 280 MiB at worst. */
export const defaultLimits: BodyLimits = { ...settable, inFlightBytes: 8 * settable.bodyBytes };

/** What one request has of the load; given back when it is answered, whatever the answer. */
export interface Share {
  /** More of its body has come; false where that is too much. */
  grow(bytes: number): boolean;
  /** All of it is here; false where too many others are being judged. */
  begin(): boolean;
  leave(): void;
}

interface Entry {
  bytes: number;
  readonly drop: () => void;
}

/**
 * Counts what has arrived: the bytes of all bodies, and the reviews that are here as a whole. A connection that sends next
 * to nothing counts next to nothing. Where bytes run out, what has been arriving for longest goes, since whatever an API
 * server sends is here in a moment.
 */
export class Load {
  private judged = 0;
  private bytes = 0;
  private readonly arriving = new Set<Entry>();

  constructor(private readonly limits: () => Pick<BodyLimits, 'inFlight' | 'inFlightBytes'>) {}

  enter(drop: () => void): Share {
    const entry: Entry = { bytes: 0, drop };
    let isJudged = false;
    this.arriving.add(entry);
    return {
      grow: (bytes) => {
        entry.bytes += bytes;
        this.bytes += bytes;
        return this.makeRoomFor(entry);
      },
      begin: () => {
        isJudged = this.arriving.delete(entry) && this.judged < this.limits().inFlight;
        if (isJudged) this.judged += 1;
        return isJudged;
      },
      leave: () => {
        if (isJudged) this.judged -= 1;
        isJudged = false;
        this.giveBack(entry);
      },
    };
  }

  private makeRoomFor(entry: Entry): boolean {
    for (const other of this.arriving) {
      if (this.bytes <= this.limits().inFlightBytes) return true;
      if (other === entry) continue;
      this.giveBack(other);
      other.drop();
    }
    return this.bytes <= this.limits().inFlightBytes;
  }

  private giveBack(entry: Entry): void {
    this.arriving.delete(entry);
    this.bytes -= entry.bytes;
    entry.bytes = 0;
  }
}
