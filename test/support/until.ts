import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again until something holds; raises where it never does, so that a test ends, and ends red. */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 15_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`did not come to hold within ${String(milliseconds)} ms`);
    await sleep(10);
  }
}
