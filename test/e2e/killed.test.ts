import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './harness/eventually.js';
import { pooled } from './harness/pooled.js';

const root = join(import.meta.dirname, '..', '..');

/** A process that has ended but that nobody has asked about yet counts as gone. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** What a test has started, and the process in which it runs. */
interface Started {
  readonly worker: number;
  readonly folder: string;
  readonly pids: readonly number[];
}

interface Suite {
  readonly runner: ChildProcess;
  readonly started: Started;
}

/** Runs a suite until it has started a hub, hands it over, and sees that nothing of it is left in the end. */
async function half(flags: readonly string[], kill: (suite: Suite) => void): Promise<void> {
  const report = mkdtempSync(join(tmpdir(), 'stageguard-killed-'));
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = ['--experimental-vm-modules', jest, '--selectProjects', 'e2e', ...flags];
  const env = {
    ...process.env,
    STAGEGUARD_E2E_MATCH: '<rootDir>/test/e2e/harness/half-way.ts',
    STAGEGUARD_E2E_REPORT: report,
  };
  const runner = spawn(process.execPath, args, { cwd: root, stdio: 'ignore', env });
  try {
    const file = await eventually(
      'a hub is started',
      () => readdirSync(report).find((name) => name.endsWith('.json')),
      100,
    );
    const started = JSON.parse(readFileSync(join(report, file), 'utf8')) as Started;
    const { folder, pids, worker } = started;
    expect([pids.length, [...pids, worker].every(isAlive), existsSync(folder)]).toEqual([2, true, true]);
    kill({ runner, started });
    const isGone = (): boolean => ![...pids, worker].some(isAlive) && !existsSync(folder);
    await eventually('all is gone', () => isGone() || undefined, 30);
  } finally {
    runner.kill('SIGKILL');
    rmSync(report, { recursive: true, force: true });
  }
}

/** Jest runs a single file by itself, unless workers have a limit that it must watch. */
const inWorker = ['--workerIdleMemoryLimit=2GB'];

const cases: readonly [string, readonly string[], (suite: Suite) => void][] = [
  ['Jest, which runs the tests itself', ['--runInBand'], ({ runner }) => void runner.kill('SIGKILL')],
  ['Jest, but not its worker', inWorker, ({ runner }) => void runner.kill('SIGKILL')],
  ['a worker of Jest', inWorker, ({ started }) => void process.kill(started.worker, 'SIGKILL')],
];

describe('a suite leaves neither a process nor a folder behind where somebody kills', () => {
  // Most of the time goes into waiting for hubs.
  let outcomes: readonly Promise<void>[] = [];
  beforeAll(() => {
    const jobs = cases.map(
      ([, flags, kill]) =>
        () =>
          half(flags, (suite) => {
            expect(suite.started.worker === suite.runner.pid).toBe(flags !== inWorker);
            kill(suite);
          }),
    );
    outcomes = pooled(jobs, cases.length);
  });

  test.each(cases.map(([name], index): [string, number] => [name, index]))(
    '%s',
    (_name, index) => outcomes[index],
    150_000,
  );
});
