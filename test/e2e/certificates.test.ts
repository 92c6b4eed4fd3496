import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accessForCertificates } from '../../src/sources/live/rbac.js';
import type { Json } from './api.js';
import { loopbackPair } from './certificate.js';
import { installRights, installWebhooks, renderChart } from './chart.js';
import { eventually } from './eventually.js';
import { bundleIn, isAsked } from './guard.js';
import { expectStored, freePorts, startHub, type Hub } from './hub.js';
import { startLeashed, type Leashed } from './leash.js';
import { startServiceProxy, type ServiceProxy } from './service-proxy.js';
import { startWriters, type FailedWrite, type SteadyWriters } from './steady-writers.js';
import { users } from './users.js';

const secret = { namespace: 'fleet-stageguard', name: 'stageguard-tls' };
const secretPath = `/api/v1/namespaces/${secret.namespace}/secrets/${secret.name}`;

interface Replica {
  readonly port: number;
  readonly process: Leashed;
}

let hub: Hub;
let program: string;
let proxy: ServiceProxy;
let writers: SteadyWriters;
const replicas: Replica[] = [];

async function startReplica(): Promise<Replica> {
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const flags = {
    kubeconfig: hub.kubeconfig('guard'),
    host: '127.0.0.1',
    port: String(port),
    'metrics-port': String(metricsPort),
    'tls-secret': `${secret.namespace}/${secret.name}`,
    'tls-names': '127.0.0.1',
    'tls-life': '60s',
    'tls-ca-life': '5m',
    'webhook-configuration': 'stageguard',
    drain: '3s',
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const log = join(mkdtempSync(join(hub.folder, 'replica-')), 'guard.log');
  const replica = { port, process: startLeashed(process.execPath, [program, 'serve', ...args], { log }) };
  replicas.push(replica);
  proxy.add(port);
  return replica;
}

/** The serial of the certificate that a guard shows, and who signed it. */
function shownAt(port: number): Promise<{ serial: string; issuer: string } | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { serialNumber, issuer } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ serial: serialNumber, issuer: String(issuer.CN) });
    });
    socket.on('error', () => {
      resolve(undefined);
    });
  });
}

async function sameAtAll(differs: (shown: { serial: string; issuer: string }) => boolean, seconds: number) {
  return eventually(
    'all replicas show the same new certificate',
    async () => {
      const [first, ...rest] = await Promise.all(replicas.map(({ port }) => shownAt(port)));
      const isSame = first !== undefined && rest.every((other) => other?.serial === first.serial);
      return isSame && differs(first) ? first : undefined;
    },
    seconds,
  );
}

const dataOf = (body: Json): Readonly<Record<string, string>> => body['data'] as Record<string, string>;

async function keptCertificates(key: string): Promise<number> {
  const { body } = await hub.api('admin').get(secretPath);
  return (
    Buffer.from(dataOf(body)[key] ?? '', 'base64')
      .toString()
      .split('BEGIN CERTIFICATE').length - 1
  );
}

const remove = async (key: string): Promise<void> => {
  const patch = [{ op: 'remove', path: `/data/${key}` }];
  expectStored(await hub.api('admin').patch(secretPath, 'json', patch));
};

/** What the guard needs beyond the rights that every guard has. */
async function grantCertificateRights(): Promise<void> {
  const admin = hub.api('admin');
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  for (const { namespace, rules } of accessForCertificates({ configuration: 'stageguard', secret })) {
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const [role, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
    const metadata = { name: 'certificates-of-test', ...(namespace !== undefined && { namespace }) };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    expectStored(
      await admin.create(`${rbac}${within}/${role.toLowerCase()}s`, { apiVersion, kind: role, metadata, rules }),
    );
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: users.guard.name }];
    const roleRef = { kind: role, apiGroup: 'rbac.authorization.k8s.io', name: metadata.name };
    const body = { apiVersion, kind: binding, metadata, roleRef, subjects };
    expectStored(await admin.create(`${rbac}${within}/${binding.toLowerCase()}s`, body));
  }
}

function withoutBundle(object: Json): Json {
  const webhooks = object['webhooks'] as { clientConfig: { url: string } }[] | undefined;
  if (webhooks === undefined) return object;
  return { ...object, webhooks: webhooks.map((it) => ({ ...it, clientConfig: { url: it.clientConfig.url } })) };
}

beforeAll(async () => {
  hub = await startHub();
  program = await bundleIn(hub.folder);
  proxy = await startServiceProxy();
  const url = `https://127.0.0.1:${proxy.port}`;
  const chart = await renderChart(hub, { url, certificate: (await loopbackPair()).cert });
  await installRights(hub, chart);
  await grantCertificateRights();
  await Promise.all([startReplica(), startReplica()]);
  await eventually('both replicas are ready', () => (proxy.ready() === 2 ? true : undefined), 60);
  await installWebhooks(hub, chart.map(withoutBundle));
  await eventually('the guard is asked, by a bundle of its own', () => isAsked(hub), 60);
  writers = await startWriters(hub);
}, 180_000);

afterAll(async () => {
  await writers.stop();
  await Promise.all(replicas.map(({ process: guard }) => guard.stop()));
  await proxy.stop();
  const lacking = hub.forbidden();
  await hub.stop();
  expect(lacking).toEqual([]);
}, 60_000);

test('two replicas that were started at the same moment made one CA', async () => {
  await sameAtAll(() => true, 15);
  expect(await keptCertificates('ca.crt')).toBe(1);
}, 30_000);

test('five certificates in turn, each served within 15 s, and no write fails', async () => {
  const before = writers.count();
  for (let turn = 0; turn < 5; turn++) {
    const old = await sameAtAll(() => true, 15);
    await remove('tls.crt');
    await sameAtAll(({ serial }) => serial !== old.serial, 15);
    await sleep(1000);
  }
  expect(writers.failures()).toEqual([]);
  expect(writers.count() - before).toBeGreaterThan(50);
}, 120_000);

test('a whole change of CA, and no write fails', async () => {
  const old = await sameAtAll(() => true, 15);
  await remove('ca.key');
  const next = await sameAtAll(({ issuer }) => issuer !== old.issuer, 15);
  expect(next.serial).not.toBe(old.serial);
  // The old one is still trusted: a replica may have been cut off.
  expect(await keptCertificates('ca.crt')).toBe(2);
  await sleep(3000);
  expect(writers.failures()).toEqual([]);
}, 60_000);

test('ten restarts, and no write fails', async () => {
  const before = writers.count();
  for (let turn = 0; turn < 10; turn++) {
    await startReplica();
    await eventually('three are ready', () => (proxy.ready() === 3 ? true : undefined), 60);
    const leaving = replicas.shift();
    leaving?.process.signal('SIGTERM');
    const death = await eventually('the old one has ended', () => leaving?.process.died(), 30);
    expect(death).toContain('ended with 0:');
  }
  // Writes that are under way are still to be counted here.
  await sleep(2000);
  expect(writers.failures()).toEqual([]);
  expect(writers.count() - before).toBeGreaterThan(100);
}, 400_000);

test('a guard that is killed takes along what it had in hand, and nothing else', async () => {
  const killedAt = Date.now();
  await replicas.shift()?.process.stop();
  await eventually('the other goes on alone', () => (proxy.ready() === 1 ? true : undefined), 30);
  await sleep(2000);
  // What was under way at that moment, or was sent there before the Service had noticed.
  const isExcused = ({ from, to }: FailedWrite): boolean => to >= killedAt && from < killedAt + 4000;
  expect(writers.failures().filter((failure) => !isExcused(failure))).toEqual([]);
  const before = writers.count();
  await sleep(3000);
  expect(writers.failures()).toEqual([]);
  expect(writers.count()).toBeGreaterThan(before);
}, 60_000);
