/** Starts jobs in their order, so many at a time; each has a promise of its own. */
export function pooled<T>(jobs: readonly (() => Promise<T>)[], atATime: number): readonly Promise<T>[] {
  let free = atATime;
  const waiting: (() => void)[] = [];
  const outcomes = jobs.map(async (job) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  });
  // Each is looked at in its turn; until then a failure is nobody's fault.
  for (const outcome of outcomes) outcome.catch(() => undefined);
  return outcomes;
}
