import { setTimeout as sleep } from 'node:timers/promises';

/** Sends at a steady rate, by the clock: who is answered late keeps nobody from sending, and what a busy moment has delayed is made up for. */
export interface Paced<T> {
  /** What came of all that was sent since it was last asked, once the last of it is answered. */
  results(): Promise<readonly T[]>;
  /** Waits a while for what a busy moment has delayed. */
  caughtUp(): Promise<void>;
  /** Sent a second, from the start until now. */
  rate(): number;
  stop(): Promise<void>;
}

/** Many times what is under way on a machine with nothing else to do; more would only wait for each other. */
const mostUnderWay = 25;

/** One at a time, at most two hundred a second: what is made up for must not be a flood. */
const tickMilliseconds = 5;

/** For what a busy moment has delayed. */
const patienceMilliseconds = 120_000;

export function paced<T>(perSecond: number, send: (number: number) => Promise<T>): Paced<T> {
  const came: T[] = [];
  const underWay = new Set<Promise<void>>();
  const begin = performance.now();
  let sent = 0;
  const due = (): number => ((performance.now() - begin) / 1000) * perSecond;
  const clock = setInterval(() => {
    if (sent >= due() || underWay.size >= mostUnderWay) return;
    const sending: Promise<void> = send(sent).then((result) => {
      underWay.delete(sending);
      came.push(result);
    });
    underWay.add(sending);
    sent += 1;
  }, tickMilliseconds);
  // A test that fails on the way stops nothing, and must not keep the suite from its end.
  clock.unref();
  return {
    async results() {
      await Promise.all(underWay);
      return came.splice(0);
    },
    async caughtUp() {
      const end = performance.now() + patienceMilliseconds;
      while (sent + 5 < due() && performance.now() < end) await sleep(100);
    },
    rate: () => (sent / (performance.now() - begin)) * 1000,
    async stop() {
      clearInterval(clock);
      await Promise.all(underWay);
    },
  };
}
