import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { startStandalone } from '../../../src/guard/serving/standalone-guard.js';
import { fixedSettings } from '../../../src/config/config.js';
import { defaultConfig } from '../../../src/config/load.js';
import { silentLog } from '../../../src/log.js';
import { run } from '../../support/captured-io.js';
import { until } from '../../support/until.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function serving(fleet: string): Promise<string> {
  const settings = fixedSettings(defaultConfig());
  const guard = await startStandalone({ fleet, settings, port: 0, metricsPort: 0, log: silentLog });
  cleanUps.push(() => guard.stop());
  return guard.url;
}

test('a guard on the example fleet refuses what is bad and admits what is good', async () => {
  const url = await serving('examples/fleet');
  expect((await run(['try', 'examples/bad/run-placement-free.yaml', '--server', url])).code).toBe(1);
  expect((await run(['try', 'examples/good/strategy-rings.yaml', '--server', url])).code).toBe(0);
});

test('a guard judges by what its files say now', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const strategy =
    'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: rings}\n';
  await writeFile(join(folder, 'a.yaml'), `${strategy}spec: {stages: [{name: all, labelSelector: {}}]}\n`);
  const url = await serving(folder);
  const placement =
    'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: shop}\n';
  const input = `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: r}\nspec: {placementName: shop, stagedRolloutStrategyName: rings, state: Run}\n`;
  const said = async (): Promise<string> => (await run(['try', '-', '--server', url], { input })).err;
  expect(await said()).toContain('[run-placement-exists]');
  await writeFile(
    join(folder, 'b.yaml'),
    `${placement}spec: {resourceSelectors: [], strategy: {type: RollingUpdate}}\n`,
  );
  await until(async () => !(await said()).includes('[run-placement-exists]'));
  expect(await said()).toContain('[run-placement-external]');
}, 20_000);

test('serve ends with 2 and a plain word where it cannot start', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => blocker.close());
  const { port } = blocker.address() as { port: number };
  const taken = await run(['serve', '--fleet', 'examples/fleet', '--port', String(port)]);
  expect([taken.code, taken.err]).toEqual([2, expect.stringContaining(`cannot listen on 127.0.0.1:${String(port)}`)]);
  const nowhere = await run(['serve', '--fleet', 'nowhere']);
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('nowhere')]);
  const port0 = await run(['serve', '--fleet', 'examples/fleet', '--port', 'x']);
  expect([port0.code, port0.err]).toEqual([2, expect.stringContaining('It must be a number from 0 to 65535.')]);
  const homeless = await run(['serve']);
  expect([homeless.code, homeless.err]).toEqual([2, expect.stringContaining('--fleet PATH')]);
});
