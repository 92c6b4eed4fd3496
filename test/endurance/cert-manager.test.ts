import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../e2e/harness/eventually.js';
import { isAsked } from '../e2e/harness/guard.js';
import { startHub, type Hub } from '../e2e/harness/hub.js';
import { StandInNode } from '../e2e/install/stand-in-node.js';
import { helm } from '../e2e/harness/kubectl.js';
import { startWriters, writesPerSecond, type SteadyWriters } from '../e2e/harness/steady-writers.js';
import { bundlesOf, CertManager } from './harness/cert-manager.js';
import { deliver, type Files } from './harness/mounted-secret.js';
import { shownAt, type Shown } from '../e2e/harness/replica-group.js';

const chart = join(import.meta.dirname, '..', '..', 'charts', 'stageguard');

let hub: Hub;
let node: StandInNode;
let certManager: CertManager;
let writers: SteadyWriters | undefined;

beforeAll(async () => {
  hub = await startHub({ withControllers: true });
  [node, certManager] = await Promise.all([StandInNode.start(hub), CertManager.start(hub)]);
}, 180_000);

afterAll(async () => {
  await writers?.stop();
  await node.stop();
  await certManager.stop();
  const lacking = hub.forbidden();
  await hub.stop();
  expect(lacking).toEqual([]);
}, 60_000);

/** Where the pods have their Secret mounted; a folder without a log is of a pod that had to wait for its Secret. */
function mounts(): readonly string[] {
  const folders = readdirSync(hub.folder).map((name) => join(hub.folder, name));
  const mounted = folders.map((folder) => join(folder, 'etc', 'stageguard', 'tls'));
  return mounted.filter((tls, index) => existsSync(tls) && existsSync(join(folders[index] ?? '', 'log')));
}

/** What both pods show: connections to the Service go to one and the other in turn. */
async function shown(isIt: (shown: Shown) => boolean = () => true): Promise<Shown> {
  return eventually(
    'the pods show the same certificate, and a new one',
    async () => {
      const [first, ...rest] = await Promise.all([1, 2, 3, 4, 5, 6].map(() => shownAt(node.port)));
      const isSame = first !== undefined && rest.every((other) => other?.serial === first.serial);
      return isSame && isIt(first) ? first : undefined;
    },
    15,
  );
}

async function expectUnnoticed(): Promise<void> {
  expect(await writers?.failures()).toEqual([]);
}

const renew = (): Promise<Files> => certManager.renew('stageguard', 'stageguard-tls');

test('the chart comes to a served and trusted certificate without a hand', async () => {
  const values = ['image.repository=stageguard', 'certificates.mode=cert-manager', `service.port=${node.port}`];
  const set = values.flatMap((value) => ['--set', value]);
  const { code, stderr } = await helm(hub, ['install', 'stageguard', chart, '-n', 'fleet-stageguard', ...set]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  await eventually('the webhooks are in force', () => isAsked(hub), 120);
  const { issuer } = await shown();
  expect(issuer).toBe('stageguard-ca');
  const authority = (await certManager.secret('stageguard-ca'))['tls.crt']?.toString('base64');
  expect(new Set(await bundlesOf(hub))).toEqual(new Set([authority]));
}, 180_000);

test('five renewals in turn, each served within 15 s of its delivery: no write fails', async () => {
  writers = await startWriters(hub);
  for (let turn = 0; turn < 5; turn++) {
    const before = await shown();
    const files = await renew();
    for (const mounted of mounts()) deliver(mounted, files);
    await shown(({ serial }) => serial !== before.serial);
  }
  await expectUnnoticed();
}, 120_000);

test('a renewal of CA and certificate that the kubelets deliver 60 and 90 s late: no write fails', async () => {
  const before = await shown();
  const authority = await certManager.renew('stageguard-ca', 'stageguard-ca');
  const files = await renew();
  const bundle = authority['tls.crt']?.toString('base64') ?? '';
  await eventually(
    'the new CA is in every caBundle',
    async () => (await bundlesOf(hub)).every((text) => text === bundle) || undefined,
  );
  expect(await shown()).toEqual(before);
  const [first = '', ...others] = mounts();
  await sleep(60_000);
  deliver(first, files);
  await sleep(30_000);
  for (const mounted of others) deliver(mounted, files);
  await shown(({ serial }) => serial !== before.serial);
  await expectUnnoticed();
}, 180_000);

test('all the while there were fifty writes a second', async () => {
  // What a busy moment has delayed is made up for.
  await writers?.caughtUp();
  expect(writers?.rate()).toBeGreaterThan(writesPerSecond - 1);
}, 150_000);
