import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.js';
import { expectStored, type Hub } from './hub.js';
import { pathOf } from './paths.js';
import { stage, strategy } from './world.js';

/** A write that did not go through. Times are milliseconds since 1970. */
export interface FailedWrite {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Clients that write all the time, through a webhook with failurePolicy Fail. */
export interface SteadyWriters {
  /** What failed of all that was sent since it was last asked, once the last of it is answered. */
  failures(): Promise<readonly FailedWrite[]>;
  /** Waits a while for what a busy moment has delayed. */
  caughtUp(): Promise<void>;
  /** Writes a second, from the start until now. */
  rate(): number;
  stop(): Promise<void>;
}

/** By the clock: who is answered late keeps nobody from writing, and what a busy moment has delayed is made up for. */
export const writesPerSecond = 50;

/** Many times what is under way on a machine with nothing else to do; more would only wait for each other. */
const mostUnderWay = 25;

/** One write at a time, at most a hundred a second: what is made up for must not be a flood. */
const tickMilliseconds = 10;

/** For what a busy moment has delayed. */
const patienceMilliseconds = 120_000;

/** So many that each is written once a second, and two writes of one object do not meet. */
const objects = 50;

export async function startWriters(hub: Hub): Promise<SteadyWriters> {
  const api = hub.api('alice');
  const names = Array.from({ length: objects }, (_, index) => `steady-${index}`);
  await Promise.all(
    names.map(async (name) => {
      expectStored(await api.create(pathOf('UpdateStrategy', undefined), strategy(undefined, name, [stage('all')])));
    }),
  );
  const failed: FailedWrite[] = [];
  const underWay = new Set<Promise<void>>();
  const begin = performance.now();
  let sent = 0;
  const due = (): number => ((performance.now() - begin) / 1000) * writesPerSecond;
  const clock = setInterval(() => {
    if (sent >= due() || underWay.size >= mostUnderWay) return;
    const writing: Promise<void> = write(api, names[sent % objects] ?? '', sent).then((failure) => {
      underWay.delete(writing);
      if (failure !== undefined) failed.push(failure);
    });
    underWay.add(writing);
    sent += 1;
  }, tickMilliseconds);
  return {
    async failures() {
      await Promise.all(underWay);
      return failed.splice(0);
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

async function write(api: Api, name: string, number: number): Promise<FailedWrite | undefined> {
  const spec = { stages: [stage('all', { maxConcurrency: `${(number % 99) + 1}%` })] };
  const from = Date.now();
  try {
    const { status, body } = await api.patch(pathOf('UpdateStrategy', undefined, name), 'merge', { spec });
    return status === 200 ? undefined : { from, to: Date.now(), why: `${status}: ${String(body['message'])}` };
  } catch (error) {
    return { from, to: Date.now(), why: String(error) };
  }
}
