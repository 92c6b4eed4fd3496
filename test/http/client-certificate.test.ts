import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import type { TlsPair } from '../../src/certificates/certificate.js';
import { makeAuthority, selfSignedPair } from '../../src/certificates/issue.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { createApp } from '../../src/http/app.js';
import { refusalOfCaller } from '../../src/http/client-certificate.js';
import { createMetrics } from '../../src/http/metrics.js';
import { listenHttps, type Listening } from '../../src/http/server.js';
import { silentLog } from '../../src/log.js';
import { clientPair } from '../support/client-pair.js';
import { nothingFound, runReview } from '../support/guard.js';

const hour = 60 * 60 * 1000;
const lifetime = () => ({ now: Date.now(), notAfter: Date.now() + hour });

let pair: TlsPair;
let ca: TlsPair;
let otherCa: TlsPair;
let server: Listening;
const agents: Agent[] = [];

beforeAll(async () => {
  [pair, ca, otherCa] = await Promise.all([selfSignedPair(), makeAuthority(lifetime()), makeAuthority(lifetime())]);
  const app = createApp({
    judge: () => nothingFound,
    policy: () => defaultPolicy,
    now: () => Date.now(),
    readiness: () => ({ ready: true, missing: [] }),
    refusalOf: ({ socket }) => refusalOfCaller(socket, ['kube-apiserver']),
    log: silentLog,
    metrics: createMetrics(),
  });
  server = await listenHttps(app, pair, { host: '127.0.0.1', port: 0, clientCa: ca.cert });
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await server.drain({ hardMilliseconds: 0 });
});

/** Three times, on new connections: sessions may be taken up again. */
async function statuses(path: string, client?: TlsPair): Promise<readonly number[]> {
  const agent = new Agent({ connect: { ca: pair.cert, ...client }, pipelining: 0, keepAliveTimeout: 1 });
  agents.push(agent);
  const seen: number[] = [];
  for (let time = 0; time < 3; time++) {
    const isReview = path === '/validate' || path === '/mutate';
    const answer = await request(`https://127.0.0.1:${String(server.port)}${path}`, {
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      ...(isReview && { method: 'POST', body: JSON.stringify(runReview()) }),
    });
    await answer.body.dump();
    seen.push(answer.statusCode);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return seen;
}

describe('with CAs of clients', () => {
  test('the API server gets its verdict', async () => {
    const client = await clientPair(ca, 'kube-apiserver');
    expect(await statuses('/validate', client)).toEqual([200, 200, 200]);
    expect(await statuses('/mutate', client)).toEqual([200, 200, 200]);
  });

  test.each<[string, () => Promise<TlsPair> | undefined]>([
    ['no certificate', () => undefined],
    ['a certificate of another CA', () => clientPair(otherCa, 'kube-apiserver')],
    ['a certificate that has expired', () => clientPair(ca, 'kube-apiserver', { notAfter: Date.now() - hour })],
    ['a certificate of another name', () => clientPair(ca, 'somebody')],
    [
      'a certificate with the name in a name of another kind',
      () => clientPair(ca, 'somebody', { uri: 'spiffe://example/ns/a/DNS:kube-apiserver' }),
    ],
  ])('%s gets 401, and no verdict', async (_name, make) => {
    const client = await make();
    expect(await statuses('/validate', client)).toEqual([401, 401, 401]);
    expect(await statuses('/mutate', client)).toEqual([401, 401, 401]);
  });

  test('kubelets, which have none, are answered', async () => {
    expect(await statuses('/healthz')).toEqual([200, 200, 200]);
    expect(await statuses('/readyz')).toEqual([200, 200, 200]);
  });

  test('a new pair, or new CAs of clients, change nothing else', async () => {
    server.setPair({ ...pair });
    expect(await statuses('/validate')).toEqual([401, 401, 401]);
    expect(await statuses('/validate', await clientPair(ca, 'kube-apiserver'))).toEqual([200, 200, 200]);
    server.setClientCa(otherCa.cert);
    expect(await statuses('/validate', await clientPair(otherCa, 'kube-apiserver'))).toEqual([200, 200, 200]);
    expect(await statuses('/validate', await clientPair(ca, 'kube-apiserver'))).toEqual([401, 401, 401]);
    server.setClientCa(ca.cert);
  });
});
