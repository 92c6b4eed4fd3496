import type { Api } from './api.js';
import { expectStored, type Hub } from './hub.js';
import { paced, type Paced } from './paced.js';
import { pathOf } from './paths.js';
import { stage, strategy } from './world.js';

/** A write that did not go through. Times are milliseconds since 1970. */
export interface FailedWrite {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Clients that write all the time, through a webhook with failurePolicy Fail. */
export interface SteadyWriters extends Pick<Paced<unknown>, 'caughtUp' | 'rate' | 'stop'> {
  /** What failed of all that was sent since it was last asked, once the last of it is answered. */
  failures(): Promise<readonly FailedWrite[]>;
}

export const writesPerSecond = 50;

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
  const writing = paced(writesPerSecond, (number) => write(api, names[number % objects] ?? '', number));
  return { ...writing, failures: async () => (await writing.results()).filter((failure) => failure !== undefined) };
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
