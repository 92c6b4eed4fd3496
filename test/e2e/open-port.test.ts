import { randomUUID } from 'node:crypto';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { makeAuthority } from '../../src/certificates/issue.js';
import { clientPair } from '../support/client-pair.js';
import { ground, runOf } from './fixes/ground.js';
import type { Site } from './fixes/case.js';
import type { Answer } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { expectStored, freePorts } from './harness/hub.js';
import { pathOf } from './harness/paths.js';
import { useGuardedHub, type GuardedHub } from './harness/use-guarded-hub.js';
import { joinMembers, strategy } from './harness/world.js';

/* Whoever reaches the port of the guard, and has no rights on the hub at all. */

const settleSeconds = 6;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const siteOf = ({ hub, agent }: GuardedHub, name: string): Site => ({ hub, agent, scope: undefined, name });
const runs = pathOf('UpdateRun', undefined);
const create = (site: Site, name: string): Promise<Answer> => site.hub.api('alice').create(runs, runOf(site, {}, name));

/** A review of a creation that nobody asked the API server for; the answer is the HTTP status, and whether it is admitted. */
async function forge({ guard }: GuardedHub, site: Site, uid: string): Promise<readonly [number, unknown]> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const object = runOf(site, {}, 'ghost');
  const resource = { group: 'placement.kubernetes-fleet.io', version: 'v1', resource: 'clusterstagedupdateruns' };
  const kind = { ...resource, kind: 'ClusterStagedUpdateRun', resource: undefined };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      ...{ kind, resource, requestKind: kind, requestResource: resource },
      ...{ name: 'ghost', operation: 'CREATE', userInfo: { username: 'kubernetes-admin' }, dryRun: false },
      object: { ...object, metadata: { name: 'ghost', uid } },
      oldObject: null,
    },
  };
  const { statusCode, body } = await request(`${guard.url}/validate?timeout=10s`, {
    ...{ method: 'POST', dispatcher, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(review),
  });
  const { response } = (await body.json()) as { readonly response?: { readonly allowed: boolean } };
  await dispatcher.close();
  return [statusCode, response?.allowed];
}

describe('a guard that answers anyone', () => {
  const it = useGuardedHub({ requestSeconds: 5, config: { claims: { settleSeconds } } });
  beforeAll(() => joinMembers(it().hub));

  /** Connections that are opened again and again while someone writes. */
  function hold(count: number, sent: string | undefined): void {
    const { port } = new URL(it().guard.url);
    for (let index = 0; index < count; index++) {
      const socket =
        sent === undefined
          ? connectPlain(Number(port), '127.0.0.1')
          : connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
      socket.on('error', () => undefined);
      if (sent !== undefined) socket.write(sent);
      cleanUps.push(() => socket.destroy());
    }
  }

  test('goes on answering the API server under 210 bodies of one byte and 2,000 idle connections', async () => {
    const head =
      'POST /validate HTTP/1.1\r\nHost: guard\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{';
    const path = pathOf('UpdateStrategy', undefined);
    for (let round = 0; round < 5; round++) {
      hold(42, head);
      hold(400, undefined);
      for (let count = 0; count < 4; count++) {
        const name = `witness-${String(round)}-${String(count)}`;
        expectStored(await it().hub.api('alice').create(path, strategy(undefined, name)));
      }
      // It is asked, too: what is wrong is refused.
      const bad = await it()
        .hub.api('alice')
        .create(path, strategy(undefined, `bad-${String(round)}`, []));
      expect(bad.status).toBe(403);
    }
  }, 60_000);

  test('gives a placement free after the settle time, however often a creation is forged', async () => {
    const site = siteOf(it(), 'besieged');
    await ground(site);
    const uid = randomUUID();
    await eventually('the forged creation is admitted', async () => {
      const [, allowed] = await forge(it(), site, uid);
      return allowed === true || undefined;
    });
    const over = new AbortController();
    cleanUps.push(() => {
      over.abort();
    });
    const siege = (async () => {
      while (!over.signal.aborted) {
        await forge(it(), site, uid);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    const first = await create(site, 'honest');
    expect([first.status, first.body['message']]).toEqual([429, expect.stringContaining('"ghost"')]);
    await eventually('the placement is free', async () => (await create(site, 'honest')).status === 201 || undefined);
    over.abort();
    await siege;
  }, 90_000);
});

const [port = 0] = await freePorts(1);
const lifetime = { now: Date.now(), notAfter: Date.now() + 3_600_000 };
const clients = await makeAuthority(lifetime);
const shown = await clientPair(clients, 'kube-apiserver');

describe('a guard that answers only the API server', () => {
  const it = useGuardedHub({
    webhookClient: { at: `127.0.0.1:${String(port)}`, ...shown },
    port,
    clientCa: clients.cert,
  });
  beforeAll(() => joinMembers(it().hub));

  test('answers it, and a review that someone has forged has no effect', async () => {
    const site = siteOf(it(), 'calm');
    await ground(site);
    expect(await forge(it(), site, randomUUID())).toEqual([401, undefined]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases';
    expect((await it().hub.api('admin').get(leases)).body['items']).toEqual([]);
    expectStored(await create(site, 'honest'));
    expect((await create(site, 'another')).status).toBe(403);
  }, 60_000);
});
