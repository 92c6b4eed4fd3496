import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loopbackPair } from '../e2e/harness/certificate.js';
import { eventually } from '../e2e/harness/eventually.js';
import { bundleIn } from '../e2e/harness/guard.js';
import { expectStored, startHub, type Hub } from '../e2e/harness/hub.js';
import { pathOf } from '../e2e/harness/paths.js';
import { startWriters, writesPerSecond, type SteadyWriters } from '../e2e/harness/steady-writers.js';
import { strategy } from '../e2e/harness/world.js';
import { OwnSecret, startWithOwn } from './harness/own-certificates.js';
import { filesOf, ProvidedCertificates } from './harness/provided-certificates.js';
import { logOf, ReplicaGroup, type Replica } from '../e2e/harness/replica-group.js';

let hub: Hub;
let program: string;
let secret: OwnSecret;
let own: ReplicaGroup;
let provided: ProvidedCertificates;
let writers: SteadyWriters;

/** So short that certificates, and the CA too, also turn over by themselves while the tests run. */
const ownFlags = () => ({ ...secret.flags('stageguard'), 'tls-life': '2m', 'tls-ca-life': '6m' });

beforeAll(async () => {
  hub = await startHub();
  program = await bundleIn(hub.folder);
  secret = new OwnSecret(hub, 'stageguard-tls');
  own = await startWithOwn(hub, program, secret, ownFlags());
  provided = await ProvidedCertificates.start(hub, program);
  // Each write has to pass both.
  writers = await startWriters(hub);
}, 240_000);

afterAll(async () => {
  await writers.stop();
  await Promise.all([own, provided.group].map((group) => group.stop()));
  const lacking = hub.forbidden();
  await hub.stop();
  expect(lacking).toEqual([]);
}, 60_000);

/** Nobody has noticed anything since this was last asked. */
async function expectUnnoticed(): Promise<void> {
  expect(await writers.failures()).toEqual([]);
}

/** Put before the program: its clock is an hour ahead. */
const anHourAhead = `
  const now = () => now.real() + 3600000;
  now.real = Date.now;
  globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
    static now = now;
  };`;

test('guards that start at the same moment, one of them with a clock an hour ahead, make one CA', async () => {
  const together = await ReplicaGroup.create(hub, program);
  const theirs = new OwnSecret(hub, 'clocks-tls');
  await theirs.grantRights('clocks');
  const file = join(hub.folder, 'an-hour-ahead.mjs');
  writeFileSync(file, anHourAhead);
  try {
    const start = (nodeOptions: readonly string[]) => together.start(theirs.flags('clocks'), nodeOptions);
    const [, , early] = await Promise.all([start([]), start([]), start(['--import', file])]);
    await together.ready();
    const first = await together.shown();
    expect(await theirs.certificatesIn('ca.crt')).toBe(1);
    const [, time = ''] = /"time":"([^"]+)"/.exec(logOf(early)) ?? [];
    expect(Date.parse(time) - Date.now()).toBeGreaterThan(3_000_000);
    // And none of them is in the way of a renewal.
    await theirs.remove('tls.crt');
    const { issuer } = await together.shown(({ serial }) => serial !== first.serial);
    expect(issuer).toBe(first.issuer);
    expect(await theirs.certificatesIn('ca.crt')).toBe(1);
  } finally {
    await together.stop();
  }
  await expectUnnoticed();
}, 120_000);

async function times(count: number, act: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < count; turn++) await act();
}

/** Those that were told to end; they take their time, while the tests go on. */
const left: Replica[] = [];

test('ten restarts, and no write fails', async () => {
  await times(10, async () => {
    await own.start(ownFlags());
    await own.ready();
    const leaving = own.leave();
    leaving.process.signal('SIGTERM');
    left.push(leaving);
  });
  await expectUnnoticed();
}, 400_000);

async function rotateOwn(): Promise<void> {
  const before = await own.shown();
  await secret.remove('tls.crt');
  await own.shown(({ serial }) => serial !== before.serial);
}

test('five certificates in turn, in each of two modes, each served within 15 s: no write fails', async () => {
  await Promise.all([times(5, rotateOwn), times(5, () => provided.rotate())]);
  await expectUnnoticed();
}, 180_000);

test('a provided pair that is expired, mismatched, half written or deleted is not taken, and no write fails', async () => {
  const [good, other] = [await provided.pair(), await provided.pair()];
  await provided.spoil(filesOf(await provided.pair(Date.now() - 1000)));
  await provided.spoil(filesOf({ cert: good.cert, key: other.key }));
  await provided.spoil(filesOf({ cert: good.cert.slice(0, 300), key: good.key }));
  await provided.spoil({});
  await provided.rotate();
  await expectUnnoticed();
}, 120_000);

test('a whole change of CA, and no write fails', async () => {
  const old = await own.shown();
  await secret.remove('ca.key');
  const next = await own.shown(({ issuer }) => issuer !== old.issuer);
  expect(next.serial).not.toBe(old.serial);
  // The old one is still trusted: a replica may have been cut off.
  expect(await secret.certificatesIn('ca.crt')).toBeGreaterThan(1);
  await expectUnnoticed();
}, 60_000);

test('a Secret that is deleted by hand is written again, and no write fails', async () => {
  await own.shown();
  await secret.delete();
  await eventually('the Secret is there again', () => secret.isThere(), 15);
  await own.shown();
  await expectUnnoticed();
}, 60_000);

test('a guard that is killed takes along what it has in hand, and nothing else', async () => {
  const api = hub.api('alice');
  const names = Array.from({ length: 40 }, (_, index) => `in-hand-${index}`);
  const leaving = own.leave();
  // It does not answer any more, and nobody knows yet.
  leaving.process.signal('SIGSTOP');
  let underWay = names.length;
  const sent = names.map(async (name) => {
    const answer = await api.create(pathOf('UpdateStrategy', undefined), strategy(undefined, name));
    underWay--;
    return answer;
  });
  await sleep(1000);
  const inHand = underWay;
  leaving.process.signal('SIGKILL');
  const answers = await Promise.all(sent);
  const stored = await Promise.all(names.map((name) => api.get(pathOf('UpdateStrategy', undefined, name))));
  expect(stored.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 201 ? 200 : 404)));
  const failed = answers.filter(({ status }) => status !== 201);
  expect(failed.filter(({ body }) => !String(body['message']).includes('failed calling webhook'))).toEqual([]);
  expect([inHand > 0, failed.length <= inHand]).toEqual([true, true]);
  await eventually('nobody is sent there any more', () => own.isForgotten(leaving));
  const noticed = Date.now();
  const writes = await writers.failures();
  expect(writes.filter(({ from, why }) => from > noticed || !why.includes('failed calling webhook'))).toEqual([]);
  await own.start(ownFlags());
  await own.ready();
  await expectUnnoticed();
}, 90_000);

test('a caBundle that is replaced by hand is put right within 15 s', async () => {
  const admin = hub.api('admin');
  const caBundle = Buffer.from((await loopbackPair()).cert).toString('base64');
  for (const plural of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}/stageguard`;
    const { webhooks } = expectStored(await admin.get(path)) as unknown as { webhooks: readonly unknown[] };
    const patch = webhooks.map((_, index) => ({
      op: 'replace',
      path: `/webhooks/${index}/clientConfig/caBundle`,
      value: caBundle,
    }));
    expectStored(await admin.patch(path, 'json', patch));
  }
  const good = strategy(undefined, 'good');
  await eventually(
    'writes go through again',
    async () => {
      const { status } = await hub.api('alice').create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, good);
      return status === 201 || undefined;
    },
    15,
  );
  await eventually('the metric says so', async () => {
    const counts = await own.metrics('stageguard_webhooks_without_trust');
    return counts.every((count) => count === 0) || undefined;
  });
  await writers.failures();
  await rotateOwn();
  await expectUnnoticed();
}, 60_000);

test('all guards that were told to end have done so, and no write has failed', async () => {
  for (const { process: guard } of left) {
    expect(await eventually('it has ended', () => guard.died(), 130)).toContain('ended with 0:');
  }
  await expectUnnoticed();
}, 150_000);

test('all the while there were fifty writes a second', async () => {
  // What a busy moment has delayed is made up for.
  await writers.caughtUp();
  expect(writers.rate()).toBeGreaterThan(writesPerSecond - 1);
}, 150_000);
