import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until there is an answer; raises where there is none in time. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  seconds = 60,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(100);
  }
}
