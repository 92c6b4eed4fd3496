/** Without `?timeout=` the API server waits 10 s, its own default. */
const defaultMilliseconds = 10_000;

/** An answer has to travel; what is left of the time after this share is not the guard's to spend. */
const usableShare = 0.9;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The moment, by a clock that does not jump, at which a review must be answered, from the `timeout` that the API server puts into the URL (`10s`). */
export function deadlineOf(timeout: unknown, now: number): number {
  // Timers take whole milliseconds only.
  return now + Math.floor(millisecondsOf(timeout) * usableShare);
}

function millisecondsOf(timeout: unknown): number {
  const parts = typeof timeout === 'string' && /^(\d+(\.\d+)?(ms|s|m))+$/.test(timeout) ? timeout : '';
  const sum = [...parts.matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)].reduce(
    (total, [, number, unit]) => total + Number(number) * (units[unit ?? ''] ?? 0),
    0,
  );
  return sum > 0 && sum <= 30_000 ? sum : defaultMilliseconds;
}

/** Waits for an answer until the deadline and raises `late()` then. */
export async function before<T>(answer: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(late());
      },
      Math.max(0, milliseconds),
    );
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
