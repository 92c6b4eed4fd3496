/** Remembers since when a thing has been settling, so that "wait a little" does not become "wait for ever". */
export interface Settling {
  /** Seconds since the thing was first named; 0 the first time. */
  secondsOf(what: string): number;
}

export interface SettlingOptions {
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  readonly most?: number;
  readonly forgetAfterSeconds?: number;
}

/** Longer than two names of objects with what stands around them; of what is longer the beginning has to do. */
const longestWhat = 600;

/** A text of its own: a part of another would keep all of that in memory. */
function short(what: string): string {
  return what.length <= longestWhat ? what : Buffer.from(what.slice(0, longestWhat)).toString();
}

/**
 * More things than this do not settle at once in any fleet; a name takes some hundred bytes. A client that waits asks
 * again within seconds, so a thing that nobody named for ten minutes is another story when it is named again.
 */
const defaults = { most: 10_000, forgetAfterSeconds: 600 };

export function createSettling(options: SettlingOptions): Settling {
  const { now, most, forgetAfterSeconds } = { ...defaults, ...options };
  // In the order in which they were last named: the first is the one to forget.
  const known = new Map<string, { readonly since: number; readonly named: number }>();

  return {
    secondsOf(named) {
      const what = short(named);
      const time = now();
      const before = known.get(what);
      const isFresh = before !== undefined && time - before.named <= forgetAfterSeconds * 1000;
      const since = isFresh ? before.since : time;
      known.delete(what);
      known.set(what, { since, named: time });
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
      return (time - since) / 1000;
    },
  };
}
