import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from './eventually.js';

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

test('a suite that is killed half-way leaves neither a process nor a folder behind', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'stageguard-killed-'));
  const report = join(scratch, 'report.json');
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const runner = spawn(process.execPath, ['--experimental-vm-modules', jest, '--selectProjects', 'e2e'], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, STAGEGUARD_E2E_MATCH: '<rootDir>/test/e2e/half-way.ts', STAGEGUARD_E2E_REPORT: report },
  });
  try {
    await eventually('a hub is started', () => existsSync(report) || undefined, 100);
    const { folder, pids } = JSON.parse(readFileSync(report, 'utf8')) as { folder: string; pids: number[] };
    expect([pids.length, pids.every(isAlive), existsSync(folder)]).toEqual([2, true, true]);
    runner.kill('SIGKILL');
    await eventually('all is gone', () => (!pids.some(isAlive) && !existsSync(folder)) || undefined, 10);
  } finally {
    runner.kill('SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
  }
}, 120_000);
