/** Starts jobs in their order, so many at a time; each has a promise of its own. */
export function pooled<T>(jobs: readonly (() => Promise<T>)[], atATime: number): readonly Promise<T>[] {
  const running: Promise<unknown>[] = [];
  return jobs.map((job, index) => {
    const place = index < atATime ? Promise.resolve() : running[index - atATime];
    const outcome = Promise.resolve(place).then(job);
    running[index] = outcome.catch(() => undefined);
    return outcome;
  });
}
