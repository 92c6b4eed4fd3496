import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { certificatesIn, clockTolerance, type TlsPair } from '../../../src/certificates/certificate.js';
import { issuePair, makeAuthority, selfSignedPair } from '../../../src/certificates/issue.js';
import { readKept, secretOf } from '../../../src/certificates/secret.js';
import { HubError, type HubCalls } from '../../../src/hub/hub.js';
import { listenGuard, type ListenOptions, type RunningGuard } from '../../../src/guard/serving/listening-guard.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import { createMetrics } from '../../../src/http/metrics.js';
import { isTrustedAt } from '../../../src/http/caller-trust.js';
import { clientPair } from '../../support/client-pair.js';
import { nothingFound, RecordingLog, runReview } from '../../support/guard.js';
import { run } from '../../support/captured-io.js';
import { until } from '../../support/until.js';

const hour = 60 * 60 * 1000;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function folderWith({ cert, key }: TlsPair): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  await Promise.all([writeFile(join(folder, 'tls.crt'), cert), writeFile(join(folder, 'tls.key'), key)]);
  return folder;
}

interface Started {
  readonly guard: RunningGuard;
  readonly log: RecordingLog;
  readonly ask: (path: string, body?: unknown) => Promise<{ status: number; text: string }>;
  /** The value of a metric; undefined where it has none. */
  readonly metric: (line: string) => Promise<number | undefined>;
}

async function start(options: Partial<ListenOptions>): Promise<Started> {
  const [log, metrics] = [new RecordingLog(), createMetrics()];
  const guard = await listenGuard(
    {
      judge: () => nothingFound,
      policy: () => defaultPolicy,
      now: () => Date.now(),
      missing: () => [],
      log,
      metrics,
    },
    { host: '127.0.0.1', port: 0, metricsPort: 0, ...options },
  );
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  cleanUps.push(
    () => agent.destroy(),
    () => guard.stop(),
  );
  return {
    guard,
    log,
    async ask(path, body) {
      const headers = { 'content-type': 'application/json' };
      const posted = body === undefined ? {} : { method: 'POST' as const, body: JSON.stringify(body) };
      const answer = await request(guard.url + path, { dispatcher: agent, headers, ...posted });
      return { status: answer.statusCode, text: await answer.body.text() };
    },
    async metric(line) {
      const text = await metrics.registry.metrics();
      const found = text.split('\n').find((one) => one.startsWith(`${line} `));
      return found === undefined ? undefined : Number(found.slice(line.length + 1));
    },
  };
}

function connectedTo(url: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

/** The serial of the certificate that is shown to a new connection. */
async function shownAt(url: string): Promise<string> {
  const socket = await connectedTo(url);
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const authority = () => makeAuthority({ now: Date.now(), notAfter: Date.now() + 9 * hour });

describe('a guard that is told to end', () => {
  test('is not ready any more, goes on answering while somebody is connected, and ends', async () => {
    const { guard, ask } = await start({ drainIdle: 60_000 });
    expect((await ask('/readyz')).status).toBe(200);
    const held = await connectedTo(guard.url);
    const ended = guard.stop();
    const { status, text } = await ask('/readyz');
    expect([status, text]).toEqual([503, expect.stringContaining('draining')]);
    expect((await ask('/validate', runReview())).status).toBe(200);
    held.destroy();
    await ended;
    await expect(ask('/healthz')).rejects.toThrow();
  });

  test('goes on for as long as it is told, whoever is there', async () => {
    const { guard } = await start({ drain: 300 });
    const begin = performance.now();
    await guard.stop();
    expect(performance.now() - begin).toBeGreaterThan(290);
  });

  test('is not ready while it is found out whether it goes for good', async () => {
    const { guard, ask } = await start({});
    let tell: (isForGood: boolean) => void = () => undefined;
    const ended = guard.stop({ isForGood: new Promise((resolve) => (tell = resolve)) });
    expect((await ask('/readyz')).status).toBe(503);
    tell(true);
    await ended;
  });

  test.each([
    ['who may still ask', {}, {}, false],
    ['but not when it goes for good', {}, { isForGood: Promise.resolve(true) }, true],
    ['but not while its webhooks are out of force', { isArmed: () => false }, {}, true],
    ['also while nobody knows whether they are in force', { isArmed: () => undefined }, {}, false],
  ])('waits for clients to close their connections, %s', async (_, options, how, isAtOnce) => {
    const { guard, ask } = await start({ drainIdle: 60_000, ...options });
    await ask('/readyz');
    let hasEnded = false;
    const ended = guard.stop(how).then(() => {
      hasEnded = true;
    });
    if (!isAtOnce) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(hasEnded).toBe(false);
      // Whatever is asked now is the last on its connection.
      await ask('/readyz');
    }
    await ended;
  });
});

/** A port that nobody listens on; raises where somebody does after all. */
async function freePort(port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

test('a guard whose metrics have no place leaves nothing behind', async () => {
  const { guard } = await start({});
  const port = await freePort();
  const metricsPort = Number(new URL(guard.url).port);
  await expect(start({ port, metricsPort })).rejects.toThrow('something else listens there already');
  await freePort(port);
});

describe('a guard that answers to known clients only', () => {
  test('asks for a certificate of the CAs and names that it was given', async () => {
    const [ca, otherCa] = [await authority(), await authority()];
    const folder = await folderWith(await selfSignedPair());
    await writeFile(join(folder, 'clients.crt'), ca.cert);
    const { guard } = await start({ clientCa: join(folder, 'clients.crt'), clientNames: ['kube-apiserver'] });
    const statusFor = async (path: string, client: Partial<TlsPair>): Promise<number> => {
      const agent = new Agent({ connect: { rejectUnauthorized: false, ...client } });
      cleanUps.push(() => agent.destroy());
      const review = path === '/validate' && { method: 'POST' as const, body: JSON.stringify(runReview()) };
      const headers = { 'content-type': 'application/json' };
      const { statusCode, body } = await request(guard.url + path, { dispatcher: agent, headers, ...review });
      await body.dump();
      return statusCode;
    };
    expect(await statusFor('/validate', await clientPair(ca, 'kube-apiserver'))).toBe(200);
    expect(await statusFor('/validate', await clientPair(ca, 'somebody'))).toBe(401);
    expect(await statusFor('/validate', await clientPair(otherCa, 'kube-apiserver'))).toBe(401);
    expect(await statusFor('/validate', {})).toBe(401);
    expect(await statusFor('/readyz', {})).toBe(200);
  });
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe('a guard that is told no address', () => {
  test.each([['127.0.0.1'], ...(hasIPv6 ? [['[::1]']] : [])])('answers on %s', async (address) => {
    const { guard } = await start({ host: undefined });
    const { hostname, port } = new URL(guard.url);
    expect(hostname).toBe(hasIPv6 ? '[::]' : '0.0.0.0');
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    cleanUps.push(() => agent.destroy());
    const { statusCode } = await request(`https://${address}:${port}/readyz`, { dispatcher: agent });
    expect(statusCode).toBe(200);
  });

  test.each(['127.0.0.1', ...(hasIPv6 ? ['::1'] : []), undefined])(
    'finds out whether its caBundle fits, at %s',
    async (host) => {
      const pair = await selfSignedPair();
      const { guard } = await start({ host, tlsDir: await folderWith(pair) });
      const [fitting, other] = [pair, await selfSignedPair()].map(({ cert }) => Buffer.from(cert).toString('base64'));
      expect(await isTrustedAt(guard.url, fitting ?? '', 'localhost')).toBe(true);
      expect(await isTrustedAt(guard.url, other ?? '', 'localhost')).toBe(false);
      expect(await isTrustedAt(guard.url, fitting ?? '', 'elsewhere')).toBe(false);
    },
  );
});

describe('a guard with a folder', () => {
  test('is ready once its certificate is valid, where the clock of its maker is ahead', async () => {
    const made = Date.now() + clockTolerance + 2000;
    const pair = await issuePair(await authority(), ['127.0.0.1'], { now: made, notAfter: made + hour });
    const { ask } = await start({ tlsDir: await folderWith(pair) });
    expect((await ask('/readyz')).status).toBe(503);
    await until(async () => (await ask('/readyz')).status === 200);
  });

  test('waits for a renewal where its certificate has expired, and is ready when it comes', async () => {
    const ca = await authority();
    const lifetime = (notAfter: number) => ({ now: Date.now(), notAfter });
    const tlsDir = await folderWith(await issuePair(ca, ['127.0.0.1'], lifetime(Date.now() - 1000)));
    const { ask, metric } = await start({ tlsDir });
    const { status, text } = await ask('/readyz');
    expect([status, text]).toEqual([503, expect.stringContaining('a certificate that is valid now')]);
    expect(await metric('stageguard_tls_reload_failures_total')).toBe(1);
    const good = await issuePair(ca, ['127.0.0.1'], lifetime(Date.now() + hour));
    await Promise.all([
      writeFile(join(tlsDir, 'tls.key'), good.key),
      writeFile(join(tlsDir, 'tls.crt'), good.cert),
      writeFile(join(tlsDir, 'ca.crt'), ca.cert),
    ]);
    await until(async () => (await ask('/readyz')).status === 200);
    await until(async () => (await metric('stageguard_certificate_expiry_seconds{certificate="ca"}')) !== undefined);
    const ends = [good, ca].map(({ cert }) => (certificatesIn(cert)[0]?.notAfter ?? 0) / 1000);
    expect(await metric('stageguard_certificate_expiry_seconds{certificate="serving"}')).toBe(ends[0]);
    expect(await metric('stageguard_certificate_expiry_seconds{certificate="ca"}')).toBe(ends[1]);
  });

  test.each<[string, (folder: string, good: TlsPair, ca: TlsPair) => Promise<unknown>]>([
    [
      'expired',
      async (folder, _good, ca) => {
        const old = await issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter: Date.now() - 1000 });
        await Promise.all([writeFile(join(folder, 'tls.key'), old.key), writeFile(join(folder, 'tls.crt'), old.cert)]);
      },
    ],
    ['mismatched', async (folder) => writeFile(join(folder, 'tls.key'), (await selfSignedPair()).key)],
    ['half written', (folder, good) => writeFile(join(folder, 'tls.crt'), good.cert.slice(0, 300))],
    ['deleted', (folder) => Promise.all([rm(join(folder, 'tls.crt')), rm(join(folder, 'tls.key'))])],
  ])('goes on showing the pair before when the next is %s, and the metric tells', async (_name, spoil) => {
    const ca = await authority();
    const good = await issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter: Date.now() + hour });
    const tlsDir = await folderWith(good);
    const { guard, ask, metric } = await start({ tlsDir });
    const before = await shownAt(guard.url);
    expect(await metric('stageguard_tls_reload_failures_total')).toBe(0);
    await spoil(tlsDir, good, ca);
    await until(async () => ((await metric('stageguard_tls_reload_failures_total')) ?? 0) > 0);
    expect(await shownAt(guard.url)).toBe(before);
    expect((await ask('/readyz')).status).toBe(200);
    expect(await metric('stageguard_certificate_expiry_seconds{certificate="serving"}')).toBe(
      (certificatesIn(good.cert)[0]?.notAfter ?? 0) / 1000,
    );
    const next = await issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter: Date.now() + hour });
    await Promise.all([writeFile(join(tlsDir, 'tls.key'), next.key), writeFile(join(tlsDir, 'tls.crt'), next.cert)]);
    await until(async () => (await shownAt(guard.url)) !== before);
  });

  test('tells how many webhooks do not trust it', async () => {
    const [ca, other] = await Promise.all([authority(), authority()]);
    const tlsDir = await folderWith(
      await issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter: Date.now() + hour }),
    );
    const webhookOf = ({ cert }: TlsPair, where: object = {}) => ({
      clientConfig: { caBundle: Buffer.from(cert).toString('base64'), ...where },
    });
    const here = webhookOf(ca, { url: 'https://127.0.0.1:8443/validate' });
    const elsewhere = webhookOf(ca, { service: { name: 'guard', namespace: 'fleet-stageguard' } });
    const api: HubCalls = {
      call: ({ path }) =>
        Promise.resolve({
          webhooks: path.includes('/mutating') ? [webhookOf(ca), here, elsewhere] : [webhookOf(other), {}],
        }),
    };
    const { ask, metric } = await start({ tlsDir, api, webhookConfiguration: 'stageguard' });
    await until(async () => (await metric('stageguard_webhooks_without_trust')) === 3);
    expect(await metric('stageguard_certificate_expiry_seconds{certificate="bundle"}')).toBeDefined();
    // If all replicas left together, nobody would see why every write fails.
    expect((await ask('/readyz')).status).toBe(200);
  });

  test('tells whether its webhooks are in force', async () => {
    const ca = await authority();
    const tlsDir = await folderWith(
      await issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter: Date.now() + hour }),
    );
    const caBundle = Buffer.from(ca.cert).toString('base64');
    const notFound = new HubError(404, 'not found');
    const api: HubCalls = {
      call: ({ path }) =>
        path.includes('/mutating')
          ? Promise.reject(notFound)
          : Promise.resolve({ webhooks: [{ clientConfig: { caBundle } }] }),
    };
    let isArmed: boolean | undefined;
    const { metric } = await start({ tlsDir, api, webhookConfiguration: 'stageguard', isArmed: () => isArmed });
    const validating = 'stageguard_webhooks_in_force{configuration="validating"}';
    await until(async () => (await metric('stageguard_webhooks_without_trust')) === 0);
    expect(await metric(validating)).toBeUndefined();
    isArmed = true;
    expect(await metric(validating)).toBe(1);
    expect(await metric('stageguard_webhooks_in_force{configuration="mutating"}')).toBe(0);
    isArmed = false;
    expect(await metric(validating)).toBe(0);
  });

  test('says nothing of trust where it cannot know', async () => {
    const api: HubCalls = { call: () => Promise.reject(new Error('forbidden')) };
    const tlsDir = await folderWith(await selfSignedPair());
    const { metric } = await start({ tlsDir, api, webhookConfiguration: 'stageguard' });
    await until(async () => (await metric('stageguard_certificate_failures_total')) === 1);
    expect(await metric('stageguard_webhooks_without_trust')).toBeNaN();
  });
});

describe('a guard that makes its own certificate', () => {
  test('listens at once, and is ready once it shows one that its webhooks trust', async () => {
    const notFound = new HubError(404, 'not found');
    const stored = new Map<string, unknown>();
    const configuration = { metadata: { name: 'stageguard' }, webhooks: [{ name: 'a', clientConfig: { url: 'x' } }] };
    stored.set('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/stageguard', configuration);
    const api: HubCalls = {
      call: ({ path, method = 'GET', body }) => {
        if (method === 'POST') stored.set(`${path}/stageguard-tls`, body);
        else if (method === 'PUT') stored.set(path, body);
        return stored.has(path) || method === 'POST' ? Promise.resolve(stored.get(path)) : Promise.reject(notFound);
      },
    };
    const tlsSecret = { namespace: 'fleet-stageguard', name: 'stageguard-tls' };
    const lives = { tlsLife: hour, tlsCaLife: 9 * hour };
    const more = { tlsSecret, tlsNames: ['127.0.0.1'], ...lives, webhookConfiguration: 'stageguard' };
    const { ask, metric } = await start({ api, ...more });
    const first = await ask('/readyz');
    expect([first.status, first.text]).toEqual([
      503,
      expect.stringContaining('a certificate that the API server trusts'),
    ]);
    await until(async () => (await ask('/readyz')).status === 200, 30_000);
    const kept = readKept(stored.get('/api/v1/namespaces/fleet-stageguard/secrets/stageguard-tls'));
    expect(await metric('stageguard_certificate_expiry_seconds{certificate="serving"}')).toBe(
      (kept.pair?.certificate.notAfter ?? 0) / 1000,
    );
    expect(await metric('stageguard_webhooks_without_trust')).toBe(0);
    expect(secretOf(tlsSecret, kept)).toEqual(stored.get('/api/v1/namespaces/fleet-stageguard/secrets/stageguard-tls'));
  }, 40_000);
});

test.each([
  ['--tls-dir a --tls-secret b/c', 'give either --tls-dir or --tls-secret'],
  ['--tls-secret b/c', '--tls-secret needs --tls-names'],
  ['--tls-secret b', 'It must be NAMESPACE/NAME.'],
  ['--tls-names a', '--tls-names goes with --tls-secret only'],
  ['--tls-secret b/c --tls-names a_b', '--tls-names takes DNS names and IP addresses'],
  ['--tls-secret b/c --tls-names a,', 'It must be names, joined by commas.'],
  ['--tls-life 10', 'It must be a time such as 30s'],
  ['--tls-life 200d', '--tls-ca-life must be at least three times --tls-life'],
  ['--client-names a', '--client-names goes with --client-ca only'],
  ['--fleet examples/fleet --tls-secret b/c --tls-names a', '--tls-secret needs a hub'],
  ['--fleet examples/fleet --webhook-configuration a', '--webhook-configuration does not go with --fleet'],
  ['--fleet examples/fleet --tls-dir nowhere', 'cannot use the TLS pair in nowhere'],
  ['--fleet examples/fleet --client-ca nowhere', 'cannot use the CAs of clients in nowhere'],
  ['--fleet examples/fleet --client-ca package.json', 'there is no certificate in it'],
])('serve %s ends with 2 and a plain word', async (line, expected) => {
  const { code, err } = await run(['serve', ...line.split(' ')]);
  expect([code, err]).toEqual([2, expect.stringContaining(expected)]);
});
