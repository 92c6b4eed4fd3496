import { writeFileSync } from 'node:fs';
import { test } from '@jest/globals';
import { startHub } from './hub.js';

/** Not a test of the suite: what a runner was doing when it was killed. */
test('starts a hub and never ends', async () => {
  const { folder, pids } = await startHub();
  writeFileSync(process.env['STAGEGUARD_E2E_REPORT'] ?? '', JSON.stringify({ folder, pids }));
  await new Promise(() => undefined);
}, 120_000);
