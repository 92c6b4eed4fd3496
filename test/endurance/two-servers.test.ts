import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Json } from '../e2e/harness/api.js';
import { eventually } from '../e2e/harness/eventually.js';
import { isAsked } from '../e2e/harness/guard.js';
import { GuardReplicas } from '../e2e/harness/guard-replicas.js';
import { expectStored, startHub, type Hub } from '../e2e/harness/hub.js';
import { pathOf, type Scope } from '../e2e/harness/paths.js';
import { startWitness, type Witness } from '../e2e/harness/run-witness.js';
import { Scheduler } from '../e2e/harness/scheduler.js';
import { useHub } from '../e2e/harness/use-hub.js';
import { bothScopes, joinMembers, placement, run, stage, strategy } from '../e2e/harness/world.js';
import { useDesk } from '../e2e/install/use-desk.js';
import { Writers } from '../e2e/install/writers.js';
import { startSecondServer, type SecondServer } from './harness/second-server.js';

/** The API servers give up requests after this; so a claim has settled after it. */
const settleSeconds = 5;
/** In each of the two scopes. `STAGEGUARD_ROUNDS` is for the long form. */
const rounds = Number(process.env['STAGEGUARD_ROUNDS'] ?? 3);
const writers = 12;
const lag = 1_000;

const never = (): boolean => false;
const message = ({ body }: Answer): string => String(body['message']);
const newRun = (scope: Scope, name: string, placementName: string, state = 'Run'): Json =>
  run(scope, name, { placementName, stagedRolloutStrategyName: 'rings', state });

describe('of two API servers on one etcd, one hears late of what is written through the other', () => {
  let hub: Hub;
  let second: SecondServer;
  let guards: GuardReplicas;
  let witness: Witness;

  beforeAll(async () => {
    hub = await startHub({ requestSeconds: settleSeconds });
    second = await startSecondServer(hub, settleSeconds);
    await joinMembers(hub);
    const scheduler = new Scheduler(hub.api('hubAgent'), () => 0);
    for (const [, scope] of bothScopes) {
      const stages = [stage('canary'), stage('production')];
      expectStored(await hub.api('alice').create(pathOf('UpdateStrategy', scope), strategy(scope, 'rings', stages)));
      for (const name of ['shop', 'single']) {
        expectStored(await hub.api('alice').create(pathOf('Placement', scope), placement(scope, name)));
      }
      await scheduler.tend(scope);
    }
    // One guard looks at the hub through each of them, and each of them asks either.
    guards = await GuardReplicas.start(hub, 2, { claims: { settleSeconds } }, [hub, second.hub]);
    await eventually('the second API server asks them too', () => isAsked(second.hub));
    witness = await startWitness(
      hub,
      bothScopes.map(([, scope]) => scope),
    );
  }, 120_000);
  afterEach(() => {
    second.etcd.milliseconds = 0;
  });
  afterAll(async () => {
    await witness.stop();
    await guards.stop();
    await second.stop();
    const lacking = hub.forbidden();
    await hub.stop();
    expect(lacking).toEqual([]);
  });

  const through = (turn: number): Hub => (turn % 2 === 0 ? hub : second.hub);

  /** As client-go does it, though sooner and more often than it is told, until somebody has won. */
  async function persistently(send: () => Promise<Answer>, isOver: () => boolean): Promise<Answer> {
    for (;;) {
      const answer = await send();
      if (answer.status !== 429 || isOver()) return answer;
      await sleep(300);
    }
  }

  async function race(scope: Scope, round: number): Promise<readonly Answer[]> {
    let isWon = false;
    return Promise.all(
      Array.from({ length: writers }, async (_, i) => {
        const object = newRun(scope, `r${round}-${i}`, 'shop');
        const api = through(i).api('alice');
        const answer = await persistently(
          () => api.create(pathOf('UpdateRun', scope), object),
          () => isWon,
        );
        isWon ||= answer.status === 201;
        return answer;
      }),
    );
  }

  /** Through either, whatever it has heard. */
  async function removeAll(scope: Scope, round: number, placementName = 'shop'): Promise<void> {
    const { items } = expectStored(await hub.api('admin').get(pathOf('UpdateRun', scope))) as unknown as {
      items: { metadata: { name: string }; spec: { placementName: string } }[];
    };
    const names = items.filter(({ spec }) => spec.placementName === placementName).map(({ metadata }) => metadata.name);
    for (const name of names) {
      expectStored(
        await through(round)
          .api('alice')
          .delete(pathOf('UpdateRun', scope, name)),
      );
    }
  }

  test('of runs that are created through both at the same time, one is stored, however late the news', async () => {
    for (let round = 1; round <= rounds; round++) {
      second.etcd.milliseconds = [0, lag / 10, lag][round % 3] ?? 0;
      const results = await Promise.all(
        bothScopes.map(async ([, scope]) => {
          const answers = await race(scope, round);
          await removeAll(scope, round);
          return answers.map(({ status }) => status).sort();
        }),
      );
      for (const statuses of results) expect(statuses.filter((status) => status === 201)).toEqual([201]);
      expect(witness.clashes).toEqual([]);
    }
    expect(second.etcd.delayed).toBeGreaterThan(0);
  }, 600_000);

  const inBothScopes = (act: (scope: Scope) => Promise<void>): Promise<unknown> =>
    Promise.all(bothScopes.map(([, scope]) => act(scope)));

  test('starts of stored runs through both: one goes on, the others are told which', async () => {
    second.etcd.milliseconds = lag;
    await inBothScopes(async (scope) => {
      const names = ['one', 'two', 'three', 'four'];
      for (const [turn, name] of names.entries()) {
        const object = newRun(scope, name, 'shop', 'Initialize');
        expectStored(await through(turn).api('alice').create(pathOf('UpdateRun', scope), object));
      }
      const start = (turn: number, name: string): Promise<Answer> =>
        through(turn)
          .api('alice')
          .patch(pathOf('UpdateRun', scope, name), 'merge', { spec: { state: 'Run' } });
      const answers = await Promise.all(names.map((name, turn) => start(turn, name)));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      const later = await Promise.all(names.map((name, turn) => persistently(() => start(turn + 1, name), never)));
      const told = later.filter(({ status }) => status === 403).map(message);
      expect({ told: told.length, stored: later.filter(({ status }) => status === 200).length }).toEqual({
        told: names.length - 1,
        stored: 1,
      });
      for (const text of told) expect(text).toContain('is in use by run');
      await removeAll(scope, 0);
    });
    expect(witness.clashes).toEqual([]);
  }, 120_000);

  test('what was written through one counts at once for a start through the other, and what is gone is gone', async () => {
    second.etcd.milliseconds = lag;
    await inBothScopes(async (scope) => {
      const late = strategy(scope, 'late', [stage('canary'), stage('production')]);
      expectStored(await hub.api('alice').create(pathOf('UpdateStrategy', scope), late));
      const object = run(scope, 'of-late', { placementName: 'single', stagedRolloutStrategyName: 'late' });
      const create = (turn: number): Promise<Answer> =>
        persistently(() => through(turn).api('alice').create(pathOf('UpdateRun', scope), object), never);
      for (const turn of [1, 0]) {
        expectStored(await create(turn));
        expectStored(
          await through(turn)
            .api('alice')
            .delete(pathOf('UpdateRun', scope, 'of-late')),
        );
      }
      expectStored(await hub.api('alice').delete(pathOf('UpdateStrategy', scope, 'late')));
      for (const turn of [1, 0]) expect(await create(turn)).toMatchObject({ status: 403 });
      expect(message(await create(1))).toContain('run-strategy-exists');
    });
  }, 120_000);

  test('one that is stopped between the admission and the store, for longer than the settle time, stores nothing then', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).unref()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    expectStored(await hub.api('admin').create(webhooks, slowWebhook((silent.address() as AddressInfo).port)));
    const object = newRun(undefined, 'paused', 'single');
    const slow = { ...object, metadata: { name: 'paused', labels: { fate: 'slow' } } };
    const create = (): Promise<Answer> => second.hub.api('alice').create(pathOf('UpdateRun', undefined), slow);
    await eventually('the other webhook is asked too', async () => {
      const began = performance.now();
      await second.hub.api('alice').create(`${pathOf('UpdateRun', undefined)}?dryRun=All`, slow);
      return performance.now() - began > 1000 || undefined;
    });
    const paused = create().catch(() => undefined);
    await eventually('it has its claim', async () => (await holders(hub)).includes('paused') || undefined);
    second.pause();
    const since = performance.now();
    // A guard that looks at the hub through the one that is stopped cannot tell; so many at a time that some ask the other.
    let told: readonly string[] = [];
    const isFree = eventually('another run gets the placement', async () => {
      const names = Array.from({ length: 6 }, (_, i) => `next-${i}`);
      const answers = await Promise.all(
        names.map((name) => hub.api('alice').create(pathOf('UpdateRun', undefined), newRun(undefined, name, 'single'))),
      );
      told = answers.map((each) => `${each.status} ${message(each)}`);
      return answers.some(({ status }) => status === 201) || undefined;
    });
    await isFree.catch((cause: unknown) => {
      throw new Error(told.join('\n'), { cause });
    });
    expect(performance.now() - since).toBeGreaterThan((settleSeconds - 1) * 1000);
    second.resume();
    const answer = await paused;
    expect(answer?.status).not.toBe(201);
    expect((await hub.api('admin').get(pathOf('UpdateRun', undefined, 'paused'))).status).toBe(404);
    expect(witness.clashes).toEqual([]);
    await removeAll(undefined, 0, 'single');
    silent.close();
  }, 120_000);
});

/** Nobody answers it, and the API server goes on without: what passes it is on the way for a while. */
function slowWebhook(port: number): Json {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'slow' },
    webhooks: [
      {
        name: 'slow.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        timeoutSeconds: 2,
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        objectSelector: { matchLabels: { fate: 'slow' } },
        rules: [
          {
            apiGroups: ['placement.kubernetes-fleet.io'],
            apiVersions: ['*'],
            operations: ['CREATE'],
            resources: ['clusterstagedupdateruns'],
          },
        ],
      },
    ],
  };
}

async function holders(hub: Hub): Promise<readonly string[]> {
  const { body } = await hub.api('admin').get('/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases');
  return (body['items'] as { spec: { holderIdentity?: string } }[]).map(({ spec }) => spec.holderIdentity ?? '');
}

describe('the configurations reach one API server late', () => {
  const hub = useHub({ withControllers: true, losesRights: true });
  const desk = useDesk(hub);
  test('no write fails through it: while the guard is installed, has a new CA, and is uninstalled', async () => {
    const second = await startSecondServer(hub(), 60);
    second.etcd.late = /webhookconfigurations|validatingadmissionpolic/;
    second.etcd.milliseconds = 2 * lag;
    const writers = new Writers(second.hub);
    try {
      await installAndRemove(writers);
    } finally {
      // Before the hub.
      await writers.stop();
      await second.stop();
    }
  }, 180_000);

  async function installAndRemove(writers: Writers): Promise<void> {
    const { done, more, whenGone } = desk();
    const install = 'helm install stageguard charts/stageguard --namespace fleet-stageguard --create-namespace --wait';
    await done(`${install} --set image.repository=registry.example.com/stageguard`);
    await more('refused');
    await eventually('the other one asks too', () => writers.refused > 5 || undefined);
    const letThrough = writers.letThrough;
    const bundle = (): Promise<string> =>
      done("kubectl get validatingwebhookconfiguration stageguard -o jsonpath='{.webhooks[0].clientConfig.caBundle}'");
    const before = await bundle();
    await done(
      `kubectl -n fleet-stageguard patch secret stageguard-tls --type=json --patch='[{"op":"remove","path":"/data/ca.key"}]'`,
    );
    await eventually('there is a new CA', async () => (await bundle()) !== before || undefined);
    // Shown by the guards when it has been in all bundles for a while.
    await sleep(8_000);
    expect({ faults: writers.faults, letThrough: writers.letThrough }).toEqual({ faults: [], letThrough });
    await done('helm uninstall stageguard --namespace fleet-stageguard');
    await whenGone();
    expect(writers.faults).toEqual([]);
    expect(desk().writers.faults).toEqual([]);
  }
});
