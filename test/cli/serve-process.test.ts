import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

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

/** A guard as a process of its own, once it listens; the answer settles when it has ended. */
async function started(...options: readonly string[]) {
  const flags = ['serve', '--fleet', join(root, 'examples', 'fleet'), '--port=0', '--metrics-port=0', ...options];
  const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  guard = child;
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('stageguard listens on')) break;
  }
  return { child, ended };
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
  const { child, ended } = await started('--drain=600s');
  child.kill('SIGTERM');
  // A signal that comes before the first is heard of would be the same one.
  const again = setInterval(() => child.kill(signal), 100);
  expect(await ended).toEqual([code, null]);
  clearInterval(again);
});
