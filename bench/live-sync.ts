import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { residentOf } from './edge/contestants.js';

/** What it took a guard to know a fleet, in a process held to the limit of the chart. */
export interface SyncCost {
  readonly seconds: number;
  /** MB, by the count of the kernel. */
  readonly peak: number;
  readonly steady: number;
}

/** MB that the chart lets a guard have, and how many of them it lets the heap have. */
export function limitsOfChart(): { readonly memory: number; readonly heap: number } {
  const values = parse(readFileSync(resolve('charts/stageguard/values.yaml'), 'utf8')) as {
    resources: { limits: { memory: string } };
  };
  const template = readFileSync(resolve('charts/stageguard/templates/deployment.yaml'), 'utf8');
  const memory = Number(/^(\d+)Mi$/.exec(values.resources.limits.memory)?.[1]);
  const percentage = Number(/--max-old-space-size-percentage=(\d+)/.exec(template)?.[1]);
  return { memory, heap: (memory * percentage) / 100 };
}

/** When the garbage of the first sync is gone. */
const settledMilliseconds = 15_000;

/** Starts a guard, and waits until it is ready and has come to rest. */
export async function syncOnce(program: string, kubeconfig: string): Promise<SyncCost> {
  const { memory, heap } = limitsOfChart();
  const started = performance.now();
  const flags = ['--kubeconfig', kubeconfig, '--host', '127.0.0.1', '--port', '0', '--metrics-port', '0'];
  // Node 20 knows no share, so that it is told what the share comes to.
  const args = [`--max-old-space-size=${String(heap)}`, program, 'serve', ...flags];
  const guard = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [url = ''] = /https:\S+/.exec(String(await firstOutput(guard))) ?? [];
    while (!(await isReady(url))) {
      checkWithin(guard, memory);
      await sleep(100);
    }
    const seconds = (performance.now() - started) / 1000;
    await sleep(settledMilliseconds);
    checkWithin(guard, memory);
    return { seconds, peak: residentOf(guard, 'VmHWM'), steady: residentOf(guard) };
  } finally {
    guard.kill('SIGKILL');
  }
}

/** A container would have been killed. */
function checkWithin(guard: ChildProcess, memory: number): void {
  if (guard.exitCode !== null || guard.signalCode !== null) throw new Error('the guard has ended');
  const peak = residentOf(guard, 'VmHWM');
  if (peak > memory) throw new Error(`the guard took ${String(peak)} MB, and may have ${String(memory)}`);
}

function firstOutput({ stdout }: ChildProcess): Promise<unknown> {
  return new Promise((done) => stdout?.once('data', done));
}

function isReady(url: string): Promise<boolean> {
  return new Promise((done) => {
    const asked = request(`${url}/readyz`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    asked.on('error', () => {
      done(false);
    });
    asked.end();
  });
}
