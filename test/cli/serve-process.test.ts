import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';
import { until } from '../support/until.js';

const root = join(import.meta.dirname, '..', '..');
let folder: string;
let program: string;
let guard: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
  program = join(folder, 'stageguard.mjs');
  const build = spawn(process.execPath, [join(root, 'tools', 'build.mjs'), program], { stdio: 'inherit' });
  expect(await once(build, 'exit')).toEqual([0, null]);
});
afterEach(() => void guard?.kill('SIGKILL'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const flags = ['serve', '--fleet', join(root, 'examples', 'fleet'), '--port=0', '--metrics-port=0'];

/** A guard as a process of its own, once it listens; the answer settles when it has ended. */
async function started(options: readonly string[] = [], stderr: 'inherit' | 'pipe' = 'inherit') {
  const child = spawn(process.execPath, [program, ...flags, ...options], { stdio: ['ignore', 'pipe', stderr] });
  guard = child;
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  await until(() => text.includes('stageguard listens on'));
  return { child, ended, url: text.trim().split(' ').at(-1) ?? '' };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a guard with exit code 0', async (signal) => {
  const { child, ended } = await started();
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a second %s ends it at once', async (signal, code) => {
  const { child, ended } = await started(['--drain=600s']);
  child.kill('SIGTERM');
  // A signal that comes before the first is heard of would be the same one.
  const again = setInterval(() => child.kill(signal), 100);
  expect(await ended).toEqual([code, null]);
  clearInterval(again);
});

test('a guard whose log nobody reads any more ends as if it were told to', async () => {
  const { child, ended, url } = await started([], 'pipe');
  child.stderr?.destroy();
  // Whatever is answered without a verdict is logged.
  await request(url).get('/validate').trustLocalhost();
  expect(await ended).toEqual([0, null]);
});

test('`npm start | head` leaves no guard behind', async () => {
  const args = [join(root, 'tools', 'start.mjs'), '--port=0', '--metrics-port=0'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  guard = child;
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  // It waits for the guard that it started, and ends as that does.
  expect(await ended).toEqual([0, null]);
}, 60_000);
