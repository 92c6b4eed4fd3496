import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { startHub } from './hub.js';

/** Not a test of the suite: what a runner, or one of its workers, was doing when it was killed. */
test('starts a hub and never ends', async () => {
  const { folder, pids } = await startHub();
  const report = join(process.env['STAGEGUARD_E2E_REPORT'] ?? '', String(process.pid));
  writeFileSync(report, JSON.stringify({ worker: process.pid, folder, pids }));
  // Whole at once, for whoever is waiting for it.
  renameSync(report, `${report}.json`);
  await new Promise(() => undefined);
}, 120_000);
