import { once, setMaxListeners } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseName, leaseOf } from '../../src/claims/lease.js';
import { LeaseStore } from '../../src/claims/lease-store.js';
import { Connection } from '../../src/hub/connection.js';
import type { Answer, Api, Json } from '../e2e/harness/api.js';
import { eventually } from '../e2e/harness/eventually.js';
import { expectStored, startHub, type Hub } from '../e2e/harness/hub.js';
import { pathOf, type Scope } from '../e2e/harness/paths.js';
import { startWitness, type Witness } from '../e2e/harness/run-witness.js';
import { Scheduler } from '../e2e/harness/scheduler.js';
import { bothScopes, joinMembers, placement, run, stage, strategy } from '../e2e/harness/world.js';
import { GuardReplicas } from '../e2e/harness/guard-replicas.js';

/** The API server gives up requests after this; so a claim has settled after it. */
const settleSeconds = 5;
const writers = 20;
/** In each of the two scopes. */
const rounds = 100;
const killEvery = 10;
const mixedRounds = 40;

let hub: Hub;
let guards: GuardReplicas;
let witness: Witness;
let alice: Api;
/** Takes connections, and never says a word. */
let silent: Server;

beforeAll(async () => {
  hub = await startHub({ requestSeconds: settleSeconds });
  alice = hub.api('alice');
  guards = await GuardReplicas.start(hub, 3, { claims: { settleSeconds } });
  silent = createServer((socket) => socket.on('error', () => undefined).unref()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  // Heeded long before they are needed.
  const { port } = silent.address() as AddressInfo;
  const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  expectStored(await hub.api('admin').create(webhooks, otherWebhooks(port)));
  await joinMembers(hub);
  const scheduler = new Scheduler(hub.api('hubAgent'), () => 0);
  for (const [, scope] of bothScopes) {
    const stages = [stage('canary'), stage('production')];
    expectStored(await alice.create(pathOf('UpdateStrategy', scope), strategy(scope, 'rings', stages)));
    for (const name of ['shop', 'mixed', 'single', 'twins']) {
      expectStored(await alice.create(pathOf('Placement', scope), placement(scope, name)));
    }
    await scheduler.tend(scope);
    expectStored(await create(scope, runOf(scope, 'twin', 'twins', 'Initialize')));
  }
  witness = await startWitness(
    hub,
    bothScopes.map(([, scope]) => scope),
  );
}, 180_000);

afterAll(async () => {
  const lacking = hub.forbidden();
  await witness.stop();
  await guards.stop();
  await hub.stop();
  silent.close();
  expect(lacking).toEqual([]);
});

const runOf = (scope: Scope, name: string, placementName: string, state = 'Run'): Json =>
  run(scope, name, { placementName, stagedRolloutStrategyName: 'rings', state });
const create = (scope: Scope, object: Json, query = ''): Promise<Answer> =>
  orNoAnswer(alice.create(`${pathOf('UpdateRun', scope)}${query}`, object));
const setState = (scope: Scope, name: string, state: string): Promise<Answer> =>
  orNoAnswer(alice.patch(pathOf('UpdateRun', scope, name), 'merge', { spec: { state } }));
const remove = (scope: Scope, name: string): Promise<Answer> =>
  orNoAnswer(alice.delete(pathOf('UpdateRun', scope, name)));

/** An API server that gives up requests after seconds also closes connections on a busy machine: nobody knows what came of it. */
function orNoAnswer(sent: Promise<Answer>): Promise<Answer> {
  return sent.catch(() => ({ path: '', status: 0, body: {}, warnings: [], retryAfter: undefined }));
}

/** Listened to by all writers of a race, and more. */
function widelyHeard(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const endless = widelyHeard().signal;

/**
 * As client-go does it: where it is told to come back, up to 10 times, as long as there is any use in it. In `haste` it
 * comes back sooner than it is told, and as many times more often.
 */
async function persistently(
  send: () => Promise<Answer>,
  { over = endless, haste = 1 }: { over?: AbortSignal; haste?: number } = {},
): Promise<Answer> {
  let answer = await send();
  for (let again = 0; again < 10 * haste && answer.status === 429; again++) {
    const wait = (Number(answer.retryAfter ?? 1) * 1000) / haste;
    await sleep(wait, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    answer = await send();
  }
  return answer;
}

const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases';

async function holders(): Promise<readonly string[]> {
  const { body } = await hub.api('admin').get(leases);
  const items = body['items'] as { spec: { holderIdentity?: string } }[];
  return items.map(({ spec }) => spec.holderIdentity ?? '');
}

const isStored = ({ status }: Answer): boolean => status >= 200 && status < 300;

async function storedRuns(scope: Scope, placementName: string): Promise<readonly string[]> {
  const { body } = await eventually('the runs are listed', async () => {
    const answer = await orNoAnswer(hub.api('admin').get(pathOf('UpdateRun', scope)));
    return answer.status === 200 ? answer : undefined;
  });
  const items = body['items'] as { metadata: { name: string }; spec: { placementName: string } }[];
  return items.filter(({ spec }) => spec.placementName === placementName).map(({ metadata }) => metadata.name);
}

async function removeAll(scope: Scope, placementName: string): Promise<void> {
  const names = await storedRuns(scope, placementName);
  const answers = await Promise.all(names.map((name) => remove(scope, name)));
  if (answers.some(({ status }) => status === 0)) await removeAll(scope, placementName);
}

/** Twenty runs ask for one placement at the same time. */
async function race(scope: Scope, round: number): Promise<readonly Answer[]> {
  const won = widelyHeard();
  return Promise.all(
    Array.from({ length: writers }, async (_, i) => {
      const object = runOf(scope, `r${round}-${i}`, 'shop');
      const answer = await persistently(() => create(scope, object), { over: won.signal });
      if (isStored(answer)) won.abort();
      return answer;
    }),
  );
}

/** At some moment of a round, one of the guards ends without warning. */
async function killOne(): Promise<void> {
  await sleep(Math.random() * 200);
  await guards.killOne();
}

test('of twenty runs that are created at the same time through three guards, one is stored, two hundred times', async () => {
  for (let round = 1; round <= rounds; round++) {
    const hasKill = round % killEvery === 0;
    // The guard that was killed before comes back while the others go on; two are never away at a time.
    if (hasKill) await guards.ready();
    const racing = bothScopes.map(([, scope]) => raceAndCount(scope, round));
    if (hasKill) await killOne();
    for (const { answered, found } of await Promise.all(racing)) {
      // Whoever is told that it is stored is; of a lost answer only what is found can tell.
      expect(answered).toBeLessThanOrEqual(found);
      if (hasKill) expect([0, 1]).toContain(found);
      else expect({ round, found }).toEqual({ round, found: 1 });
    }
    expect(witness.clashes).toEqual([]);
  }
  expect(witness.activations()).toBeGreaterThanOrEqual(bothScopes.length * (rounds - rounds / killEvery));
}, 1_200_000);

/** How many runs of a round were answered as stored, and how many are. */
async function raceAndCount(scope: Scope, round: number): Promise<{ answered: number; found: number }> {
  const answered = (await race(scope, round)).filter(isStored).length;
  const found = (await storedRuns(scope, 'shop')).length;
  await removeAll(scope, 'shop');
  return { answered, found };
}

test('a mix of creates, starts, resumes, stops and deletions in both scopes never leaves two runs active on a placement', async () => {
  const before = witness.activations();
  for (let round = 1; round <= mixedRounds; round++) {
    const hasKill = round % killEvery === 0;
    if (hasKill) await guards.ready();
    const mixing = bothScopes.map(([, scope]) => mix(scope, round));
    if (hasKill) await killOne();
    for (const outcomes of await Promise.all(mixing)) expect(hasKill || outcomes.some(isStored)).toBe(true);
    expect(witness.clashes).toEqual([]);
  }
  expect(witness.activations() - before).toBeGreaterThan(bothScopes.length * mixedRounds);
}, 600_000);

async function mix(scope: Scope, round: number): Promise<readonly Answer[]> {
  const idle = Array.from({ length: 6 }, (_, i) => `m${round}-idle-${i}`);
  await Promise.all(idle.map((name) => create(scope, runOf(scope, name, 'mixed', 'Initialize'))));
  const halt = new AbortController();
  const braking = brake(scope, halt.signal);
  const outcomes = await Promise.all(
    [
      ...idle.map((name) => () => setState(scope, name, 'Run')),
      ...idle.slice(0, 3).map((name) => () => setState(scope, name, 'Run')),
      ...Array.from(
        { length: writers - 9 },
        (_, i) => () => create(scope, runOf(scope, `m${round}-new-${i}`, 'mixed')),
      ),
    ].map((send) => persistently(send, { haste: 4 })),
  );
  halt.abort();
  await braking;
  await removeAll(scope, 'mixed');
  return outcomes;
}

/** Someone who stops or deletes whatever runs, so that others get their turn, and resumes what was stopped. */
async function brake(scope: Scope, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await sleep(100 + Math.random() * 300);
    for (const name of await storedRuns(scope, 'mixed')) {
      if (turn % 3 === 0) await remove(scope, name);
      else await setState(scope, name, turn % 3 === 1 ? 'Stop' : 'Run');
    }
  }
}

describe.each(bothScopes)('a run that is never stored %s', (_name, scope) => {
  const free = async (name: string): Promise<Answer> => {
    const answer = await create(scope, runOf(scope, name, 'single'));
    await removeAll(scope, 'single');
    return answer;
  };

  test('leaves the placement free at once after a dry run', async () => {
    expect((await create(scope, runOf(scope, 'dry', 'single'), '?dryRun=All')).status).toBe(201);
    expect((await free('after-dry-run')).status).toBe(201);
  });

  test('leaves the placement free at once where its name exists already', async () => {
    // The guards have long heard of it by their watches.
    const refused = await create(scope, runOf(scope, 'twin', 'twins'));
    expect(refused.status).toBe(403);
    expect(String(refused.body['message'])).toContain('a run of the name "twin" exists already');
    expect((await create(scope, runOf(scope, 'after-twin', 'twins'))).status).toBe(201);
    await removeAll(scope, 'twins');
  });
});

describe('a run that is never stored, though the guards let it through, leaves the placement free after the settle time', () => {
  const inBothScopes = (act: (scope: Scope) => Promise<void>) => Promise.all(bothScopes.map(([, scope]) => act(scope)));
  const labelled = (object: Json, fate: string): Json => ({
    ...object,
    metadata: { ...(object['metadata'] as Json), labels: { fate } },
  });
  const expectFreeInTime = async (scope: Scope, placementName: string): Promise<void> => {
    const since = Date.now();
    const next = await persistently(() => create(scope, runOf(scope, 'next', placementName)));
    expect(next.status).toBe(201);
    expect(Date.now() - since).toBeLessThan((settleSeconds + 3) * 1000);
    await removeAll(scope, placementName);
  };

  test('where another webhook refuses it', async () => {
    await inBothScopes(async (scope) => {
      const refused = await create(scope, labelled(runOf(scope, 'doomed', 'single'), 'doomed'));
      expect(refused.status).toBe(500);
      await expectFreeInTime(scope, 'single');
    });
  }, 60_000);

  test('where another of its name is stored before it', async () => {
    await inBothScopes(async (scope) => {
      const name = `late-in-${scope ?? 'cluster'}`;
      const late = create(scope, labelled(runOf(scope, name, 'twins'), 'slow'));
      await eventually('it has its claim', async () => (await holders()).includes(name) || undefined);
      expectStored(await create(scope, runOf(scope, name, 'twins', 'Initialize')));
      expect(await late).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } });
      await expectFreeInTime(scope, 'twins');
    });
  }, 60_000);
});

/** Nobody listens where the first one asks, so that it refuses; the second one waits for an answer, and goes on without. */
function otherWebhooks(silentPort: number): Json {
  const webhook = (fate: string, more: Json): Json => ({
    name: `${fate}.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    objectSelector: { matchLabels: { fate } },
    rules: [
      {
        apiGroups: ['placement.kubernetes-fleet.io'],
        apiVersions: ['*'],
        operations: ['CREATE'],
        resources: ['clusterstagedupdateruns', 'stagedupdateruns'],
      },
    ],
    ...more,
  });
  const silent = { url: `https://127.0.0.1:${silentPort}/` };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'others' },
    webhooks: [
      webhook('doomed', { failurePolicy: 'Fail', clientConfig: { url: 'https://127.0.0.1:1/' } }),
      webhook('slow', { failurePolicy: 'Ignore', timeoutSeconds: 2, clientConfig: silent }),
    ],
  };
}

test('runs that are active without a claim are adopted, and Leases come back', async () => {
  const admin = hub.api('admin');
  expectStored(await create(undefined, runOf(undefined, 'adopted', 'single')));
  expect(await holders()).toContain('adopted');
  const { body } = await admin.get(leases);
  for (const { metadata } of body['items'] as { metadata: { name: string } }[]) {
    await admin.delete(`${leases}/${metadata.name}`);
  }
  for (let waited = 0; waited < 100 && !(await holders()).includes('adopted'); waited++) await sleep(100);
  expect(await holders()).toEqual(['adopted']);
  await removeAll(undefined, 'single');
}, 60_000);

describe('only a real API server can show that', () => {
  const place = { name: 'nowhere' };
  const claims = [{ uid: 'u', name: 'r', rollout: { stagedRolloutStrategyName: 'rings' } }];
  let api: Connection;
  beforeAll(() => {
    api = new Connection({ kubeconfig: hub.kubeconfig('guard') });
  });
  afterAll(() => api.close());
  const newStore = (): LeaseStore => {
    const now = () => performance.now();
    return new LeaseStore({ api, namespace: 'fleet-stageguard', settleSeconds: () => settleSeconds, now });
  };
  const write = (store: LeaseStore, version: string | undefined) => store.write(place, { claims, version }, endless);

  test('a Lease that is gone is not replaced', async () => {
    const store = newStore();
    expect(await write(store, undefined)).toBe(true);
    const { version = '' } = store.view(place);
    expect(await write(store, undefined)).toBe(false);
    expect(await store.remove(place, version, endless)).toBe(true);
    expect(await write(store, version)).toBe(false);
    expect((await store.read(place, endless)).version).toBeUndefined();
  });

  test('a Lease that is being deleted takes no claim', async () => {
    const stores = [newStore(), newStore()];
    const admin = hub.api('admin');
    const path = `${leases}/${leaseName(place)}`;
    /** Both have read a Lease that someone has deleted and that a finalizer keeps. */
    const readDoomed = async (): Promise<string | undefined> => {
      expect(await write(newStore(), undefined)).toBe(true);
      expectStored(await admin.patch(path, 'merge', { metadata: { finalizers: ['example.com/keeps-it'] } }));
      await admin.delete(path);
      const [view] = await Promise.all(stores.map((store) => store.read(place, endless)));
      return view?.version;
    };
    const lease = { placement: place, claims, version: await readDoomed(), settleSeconds, now: new Date() };
    expect(await admin.replace(path, leaseOf(lease))).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp: expect.any(String) } },
    });
    expect((await admin.get(path)).status).toBe(404);
    const version = await readDoomed();
    expect(await Promise.all(stores.map((store) => write(store, version)))).toEqual([false, false]);
    expect((await admin.get(path)).status).toBe(404);
    expect((await Promise.all(stores.map((store) => write(store, undefined)))).sort()).toEqual([false, true]);
    await admin.delete(path);
  });
});
