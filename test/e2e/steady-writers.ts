import { setTimeout as sleep } from 'node:timers/promises';
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
  count(): number;
  /** What failed so far; emptied by asking. */
  failures(): readonly FailedWrite[];
  stop(): Promise<void>;
}

const writers = 5;
/** Each ten times a second: fifty writes a second in all, where the machine allows it. */
const pauseMilliseconds = 100;

export async function startWriters(hub: Hub): Promise<SteadyWriters> {
  const api = hub.api('alice');
  const failed: FailedWrite[] = [];
  let count = 0;
  let isStopping = false;
  const write = async (name: string): Promise<void> => {
    for (let number = 1; !isStopping; number++) {
      const spec = { stages: [stage('all', { maxConcurrency: `${(number % 99) + 1}%` })] };
      const from = Date.now();
      try {
        const { status, body } = await api.patch(pathOf('UpdateStrategy', undefined, name), 'merge', { spec });
        if (status !== 200) failed.push({ from, to: Date.now(), why: `${status}: ${String(body['message'])}` });
      } catch (error) {
        failed.push({ from, to: Date.now(), why: String(error) });
      }
      count += 1;
      await sleep(pauseMilliseconds);
    }
  };
  const names = Array.from({ length: writers }, (_, index) => `steady-${index}`);
  for (const name of names) {
    expectStored(await api.create(pathOf('UpdateStrategy', undefined), strategy(undefined, name, [stage('all')])));
  }
  const running = names.map(write);
  return {
    count: () => count,
    failures: () => failed.splice(0),
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}
