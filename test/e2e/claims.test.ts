import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Api, Json } from './api.js';
import { expectStored, startHub, type Hub } from './hub.js';
import { pathOf, type Scope } from './paths.js';
import { startReplicas, type Replicas } from './replicas.js';
import { startWitness, type Witness } from './run-witness.js';
import { Scheduler } from './scheduler.js';
import { bothScopes, joinMembers, placement, run, stage, strategy } from './world.js';

/** The API server gives up requests after this; so a claim has settled after it. */
const settleSeconds = 5;
const writers = 20;
const rounds = 200;
const killEvery = 10;
const mixedRounds = 40;

let hub: Hub;
let replicas: Replicas;
let witness: Witness;
let alice: Api;

beforeAll(async () => {
  hub = await startHub({ requestSeconds: settleSeconds });
  alice = hub.api('alice');
  replicas = await startReplicas(hub, 3, { claims: { settleSeconds } });
  await joinMembers(hub);
  const scheduler = new Scheduler(hub.api('hubAgent'), () => 0);
  for (const [, scope] of bothScopes) {
    const stages = [stage('canary'), stage('production')];
    expectStored(await alice.create(pathOf('UpdateStrategy', scope), strategy(scope, 'rings', stages)));
    for (const name of ['shop', 'mixed', 'single']) {
      expectStored(await alice.create(pathOf('Placement', scope), placement(scope, name)));
    }
    await scheduler.tend(scope);
  }
  witness = await startWitness(
    hub,
    bothScopes.map(([, scope]) => scope),
  );
}, 180_000);

afterAll(async () => {
  await witness.stop();
  await replicas.stop();
  await hub.stop();
});

const runOf = (scope: Scope, name: string, placementName: string, state = 'Run'): Json =>
  run(scope, name, { placementName, stagedRolloutStrategyName: 'rings', state });
const create = (scope: Scope, object: Json, query = ''): Promise<Answer> =>
  alice.create(`${pathOf('UpdateRun', scope)}${query}`, object);
const setState = (scope: Scope, name: string, state: string): Promise<Answer> =>
  alice.patch(pathOf('UpdateRun', scope, name), 'merge', { spec: { state } });

/** As client-go does it: where it is told to come back, up to 10 times, as long as there is any use in it. */
async function persistently(send: () => Promise<Answer>, isOver: () => boolean): Promise<Answer> {
  let answer = await send();
  for (let again = 0; again < 10 && answer.status === 429 && !isOver(); again++) {
    await sleep(Number(answer.retryAfter ?? 1) * 1000);
    if (!isOver()) answer = await send();
  }
  return answer;
}

const isStored = ({ status }: Answer): boolean => status < 300;

async function storedRuns(scope: Scope, placementName: string): Promise<readonly string[]> {
  const { body } = await hub.api('admin').get(pathOf('UpdateRun', scope));
  const items = body['items'] as { metadata: { name: string }; spec: { placementName: string } }[];
  return items.filter(({ spec }) => spec.placementName === placementName).map(({ metadata }) => metadata.name);
}

async function removeAll(scope: Scope, placementName: string): Promise<void> {
  const names = await storedRuns(scope, placementName);
  await Promise.all(names.map((name) => alice.delete(pathOf('UpdateRun', scope, name))));
}

/** Twenty runs ask for one placement at the same time. */
async function race(scope: Scope, round: number): Promise<readonly Answer[]> {
  let hasWinner = false;
  return Promise.all(
    Array.from({ length: writers }, async (_, i) => {
      const object = runOf(scope, `r${round}-${i}`, 'shop');
      const answer = await persistently(
        () => create(scope, object),
        () => hasWinner,
      );
      hasWinner ||= isStored(answer);
      return answer;
    }),
  );
}

/** At some moment of a round, one of the guards ends without warning. */
async function killOne(): Promise<void> {
  await sleep(Math.random() * 200);
  replicas.kill(Math.floor(Math.random() * 3));
}

test('of twenty runs that are created at the same time through three guards, one is stored, two hundred times', async () => {
  for (let round = 1; round <= rounds; round++) {
    const scope = bothScopes[round % 2]?.[1];
    const hasKill = round % killEvery === 0;
    const racing = race(scope, round);
    if (hasKill) await killOne();
    const stored = (await racing).filter(isStored).length;
    const found = (await storedRuns(scope, 'shop')).length;
    if (hasKill) expect([0, 1]).toContain(found);
    else expect({ round, stored, found }).toEqual({ round, stored: 1, found: 1 });
    expect(witness.clashes).toEqual([]);
    await removeAll(scope, 'shop');
    if (hasKill) await replicas.ready();
  }
  expect(witness.activations()).toBeGreaterThanOrEqual(rounds - rounds / killEvery);
}, 1_200_000);

describe.each(bothScopes)('a mix of creates, starts, resumes, stops and deletions %s', (_name, scope) => {
  test('never leaves two runs active on a placement', async () => {
    const before = witness.activations();
    for (let round = 1; round <= mixedRounds; round++) {
      const idle = Array.from({ length: 6 }, (_, i) => `m${round}-idle-${i}`);
      await Promise.all(idle.map((name) => create(scope, runOf(scope, name, 'mixed', 'Initialize'))));
      const halt = new AbortController();
      const hasKill = round % killEvery === 0;
      const helpers = [brake(scope, halt.signal), ...(hasKill ? [killOne()] : [])];
      const outcomes = await Promise.all(
        [
          ...idle.map((name) => () => setState(scope, name, 'Run')),
          ...idle.slice(0, 3).map((name) => () => setState(scope, name, 'Run')),
          ...Array.from({ length: 8 }, (_, i) => () => create(scope, runOf(scope, `m${round}-new-${i}`, 'mixed'))),
        ].map((send) => persistently(send, () => false)),
      );
      halt.abort();
      await Promise.all(helpers);
      expect(hasKill || outcomes.some(isStored)).toBe(true);
      expect(witness.clashes).toEqual([]);
      await removeAll(scope, 'mixed');
      await replicas.ready();
    }
    expect(witness.activations() - before).toBeGreaterThan(mixedRounds);
  }, 600_000);

  /** Someone who stops or deletes whatever runs, so that others get their turn, and resumes what was stopped. */
  async function brake(where: Scope, signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      await sleep(100 + Math.random() * 300);
      for (const name of await storedRuns(where, 'mixed')) {
        if (turn % 3 === 0) await alice.delete(pathOf('UpdateRun', where, name));
        else await setState(where, name, turn % 3 === 1 ? 'Stop' : 'Run');
      }
    }
  }
});

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
    expectStored(await create(scope, runOf(scope, 'twin', 'single', 'Initialize')));
    // The guards hear of it by their watches.
    await sleep(500);
    const refused = await create(scope, runOf(scope, 'twin', 'single'));
    expect(refused.status).toBe(403);
    expect(String(refused.body['message'])).toContain('a run of the name "twin" exists already');
    expect((await free('after-twin')).status).toBe(201);
  });

  test('leaves the placement free after the settle time where another webhook refuses it', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const admin = hub.api('admin');
    expectStored(await admin.create(path, refusingWebhook));
    const doomed = { ...runOf(scope, 'doomed', 'single') };
    const metadata = { ...(doomed['metadata'] as Json), labels: { doomed: 'true' } };
    // The API server takes a moment to heed a new webhook; until then the run is stored.
    let refused = await create(scope, { ...doomed, metadata });
    for (let again = 0; again < 50 && isStored(refused); again++) {
      await removeAll(scope, 'single');
      await sleep(200);
      refused = await create(scope, { ...doomed, metadata });
    }
    const since = Date.now();
    expect(refused.status).toBe(500);
    const next = await persistently(
      () => create(scope, runOf(scope, 'next', 'single')),
      () => false,
    );
    expect(next.status).toBe(201);
    expect(Date.now() - since).toBeLessThan((settleSeconds + 3) * 1000);
    await removeAll(scope, 'single');
    await admin.delete(`${path}/refuses-the-doomed`);
  }, 60_000);
});

/** Nobody listens where it asks, so that it refuses all it is asked about. */
const refusingWebhook = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'refuses-the-doomed' },
  webhooks: [
    {
      name: 'doomed.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      objectSelector: { matchLabels: { doomed: 'true' } },
      rules: [
        {
          apiGroups: ['placement.kubernetes-fleet.io'],
          apiVersions: ['*'],
          operations: ['CREATE'],
          resources: ['clusterstagedupdateruns', 'stagedupdateruns'],
        },
      ],
    },
  ],
};

test('runs that are active without a claim are adopted, and Leases come back', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases';
  const admin = hub.api('admin');
  const held = async (): Promise<readonly string[]> => {
    const { body } = await admin.get(leases);
    const items = body['items'] as { spec: { holderIdentity?: string } }[];
    return items.map(({ spec }) => spec.holderIdentity ?? '');
  };
  expectStored(await create(undefined, runOf(undefined, 'adopted', 'single')));
  expect(await held()).toContain('adopted');
  const { body } = await admin.get(leases);
  for (const { metadata } of body['items'] as { metadata: { name: string } }[]) {
    await admin.delete(`${leases}/${metadata.name}`);
  }
  for (let waited = 0; waited < 100 && !(await held()).includes('adopted'); waited++) await sleep(100);
  expect(await held()).toEqual(['adopted']);
  await removeAll(undefined, 'single');
}, 60_000);
