import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Background } from '../../src/background.js';
import type { FoundClaims } from '../../src/claims/known-claims.js';
import { leaseName, readLease } from '../../src/claims/lease.js';
import type { Answer, Api, Json } from '../e2e/harness/api.js';
import { eventually } from '../e2e/harness/eventually.js';
import { startHubAgent, type HubAgent } from '../e2e/harness/hub-agent.js';
import { conditionNow } from '../e2e/harness/hub-objects.js';
import { isAsked } from '../e2e/harness/guard.js';
import { GuardReplicas } from '../e2e/harness/guard-replicas.js';
import { expectStored, startHub, type Hub } from '../e2e/harness/hub.js';
import { pathOf, type Scope } from '../e2e/harness/paths.js';
import { startWitness } from '../e2e/harness/run-witness.js';
import { Scheduler } from '../e2e/harness/scheduler.js';
import {
  bothScopes,
  conditionOf,
  joinMembers,
  placement,
  run,
  scheduled,
  stage,
  strategy,
} from '../e2e/harness/world.js';
import { backUp, guardPaths, pathsOf, putBack, shuffled, wipe, type Kept } from './harness/backup.js';

/** The order in which objects come back; `STAGEGUARD_SEED` is for the long form. */
const seed = Number(process.env['STAGEGUARD_SEED'] ?? 1);

/** The API server gives up requests after this; so a claim has settled after it. */
const settleSeconds = 5;

const leases = '/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases';
const message = ({ status, body }: Answer): string => `${status} ${String(body['message'])}`;
const scopes: readonly Scope[] = bothScopes.map(([, scope]) => scope);

const runOf = (scope: Scope, name: string, placementName: string, strategyName = 'gated'): Json =>
  run(scope, name, { placementName, stagedRolloutStrategyName: strategyName });

async function leaseFor(hub: Hub, scope: Scope, name: string): Promise<FoundClaims> {
  const key = { name, ...(scope !== undefined && { namespace: scope }) };
  return readLease((await hub.api('admin').get(`${leases}/${leaseName(key)}`)).body);
}

async function holderOf(hub: Hub, scope: Scope, name: string): Promise<string | undefined> {
  return (await leaseFor(hub, scope, name)).claims[0]?.name;
}

/** As client-go does it: whoever is told to come back does so. */
async function persistently(send: () => Promise<Answer>): Promise<Answer> {
  for (let again = 0; ; again++) {
    const answer = await send();
    if (answer.status !== 429 || again > 40) return answer;
    await sleep(500);
  }
}

/** The scheduler alone: it finds placements that come back, while nobody touches runs. */
class Scheduling extends Background {
  private readonly scheduler: Scheduler;

  constructor(hub: Hub) {
    super();
    this.scheduler = new Scheduler(hub.api('hubAgent'), () => 0);
  }

  protected async turn(): Promise<number> {
    // What is being deleted meanwhile is there the next time, or it is not.
    for (const scope of scopes) await this.scheduler.tend(scope).catch(() => undefined);
    return 100;
  }
}

describe('a snapshot of etcd is put back', () => {
  let hub: Hub;
  let agent: HubAgent;
  let guards: GuardReplicas | undefined;
  let alice: Api;
  let backup = '';

  beforeAll(async () => {
    hub = await startHub({ requestSeconds: settleSeconds });
    alice = hub.api('alice');
    await joinMembers(hub);
    agent = startHubAgent(hub);
    guards = await GuardReplicas.start(hub, 2, { claims: { settleSeconds } });
    for (const scope of scopes) {
      const gate = stage('canary', { afterStageTasks: [{ type: 'Approval' }] });
      const gated = strategy(scope, 'gated', [gate, stage('production')]);
      expectStored(await alice.create(pathOf('UpdateStrategy', scope), gated));
      expectStored(await alice.create(pathOf('Placement', scope), placement(scope, 'shop')));
      await scheduled(hub, scope, 'shop');
      expectStored(await alice.create(pathOf('UpdateRun', scope), runOf(scope, 'before', 'shop')));
      await conditionOf(hub, 'UpdateRun', scope, ['before', 'Initialized']);
    }
    await agent.stop();
    backup = join(mkdtempSync(join(hub.folder, 'backup-')), 'etcd');
    await hub.interrupt((data) => {
      cpSync(data, backup, { recursive: true });
    });
    agent = startHubAgent(hub);
  }, 180_000);
  afterAll(async () => {
    await agent.stop();
    await guards?.stop();
    // An API server that has just started may forbid for a moment what it allows, until it has read who may do what.
    await hub.stop();
  }, 60_000);

  /** The run of before ends, another takes its place, and there is a placement that the backup does not know. */
  async function goOn(scope: Scope): Promise<void> {
    expectStored(await alice.delete(pathOf('UpdateRun', scope, 'before')));
    await eventually('it is gone', async () => {
      const { status } = await alice.get(pathOf('UpdateRun', scope, 'before'));
      return status === 404 || undefined;
    });
    expectStored(await persistently(() => alice.create(pathOf('UpdateRun', scope), runOf(scope, 'after', 'shop'))));
    expectStored(await alice.create(pathOf('Placement', scope), placement(scope, 'later')));
    await scheduled(hub, scope, 'later');
    await conditionOf(hub, 'UpdateRun', scope, ['after', 'Initialized']);
  }

  async function putSnapshotBack(): Promise<void> {
    await agent.stop();
    await hub.interrupt((data) => {
      rmSync(data, { recursive: true });
      cpSync(backup, data, { recursive: true });
    });
  }

  /** What holds before anybody has done anything, and while the hub agent is not there. */
  async function expectAsBefore(scope: Scope): Promise<void> {
    const second = await persistently(() => alice.create(pathOf('UpdateRun', scope), runOf(scope, 'second', 'shop')));
    expect(message(second)).toMatch(/^403 .*is in use by run "before"/s);
    const lost = await persistently(() => alice.create(pathOf('UpdateRun', scope), runOf(scope, 'lost', 'later')));
    expect(message(lost)).toMatch(/^403 .*run-placement-exists/s);
    expect(await holderOf(hub, scope, 'shop')).toBe('before');
    // Judged by what watches have told: a guard that lived through it must have noticed that the hub has gone back.
    await eventually('its placement cannot be taken from under it', async () => {
      // What rests on other objects is a warning on a dry run.
      const { warnings } = await alice.delete(`${pathOf('Placement', scope, 'shop')}?dryRun=All`);
      return warnings.some((text) => text.includes('placement-in-use') && text.includes('before')) || undefined;
    });
  }

  /** The hub agent goes on with the run of before; when that is over, the placement is free. */
  async function expectGoesOn(scope: Scope): Promise<void> {
    const path = pathOf('ApprovalRequest', scope, 'before-after-canary/status');
    await eventually('the gate is asked for', async () => {
      const status = { conditions: [conditionNow('Approved')] };
      const answer = await alice.patch(path, 'merge', { status });
      return answer.status === 200 || undefined;
    });
    await conditionOf(hub, 'UpdateRun', scope, ['before', 'Succeeded']);
    expectStored(await persistently(() => alice.create(pathOf('UpdateRun', scope), runOf(scope, 'next', 'shop'))));
    expect(await holderOf(hub, scope, 'shop')).toBe('next');
  }

  test.each<[string, boolean]>([
    ['while guards are at work', true],
    ['while no guard is there', false],
  ])(
    '%s: claims and verdicts are those of the hub as it is now',
    async (_name, lives) => {
      for (const scope of scopes) await goOn(scope);
      if (!lives) guards?.endAll();
      await putSnapshotBack();
      if (!lives) await guards?.startAgain(2);
      const witness = await startWitness(hub, scopes);
      await Promise.all(scopes.map(expectAsBefore));
      agent = startHubAgent(hub);
      await Promise.all(scopes.map(expectGoesOn));
      await witness.stop();
      expect(witness.clashes).toEqual([]);
      // The next one needs the run of before again.
      await putSnapshotBack();
      agent = startHubAgent(hub);
      await guards?.ready();
    },
    240_000,
  );
});

describe('objects are put back one by one, without status, in any order', () => {
  /** Placements in each scope, each with a strategy, a run that has ended, and one that is active. */
  const names = Array.from({ length: 3 }, (_, index) => `p${index}`);
  const runPaths = pathsOf(['UpdateRun'], scopes);
  const isRun = ({ path }: Kept): boolean => runPaths.includes(path);
  let hub: Hub;
  let guards: GuardReplicas;
  let scheduling: Background;
  let backup: readonly Kept[] = [];

  beforeAll(async () => {
    hub = await startHub({ requestSeconds: settleSeconds });
    await joinMembers(hub);
    scheduling = new Scheduling(hub);
    scheduling.start();
    guards = await GuardReplicas.start(hub, 2, { claims: { settleSeconds } });
    await Promise.all(scopes.flatMap((scope) => names.map((name) => furnish(scope, name))));
    const families = pathsOf(['UpdateStrategy', 'Placement'], scopes);
    backup = await backUp(hub, [...guardPaths.configurations, ...guardPaths.leases, ...families, ...runPaths]);
    const perPlacement = 1 + 1 + 2 + 1;
    expect(backup.length).toBe(4 + names.length * scopes.length * perPlacement);
  }, 180_000);
  afterAll(async () => {
    await scheduling.stop();
    await guards.stop();
    const lacking = hub.forbidden();
    await hub.stop();
    expect(lacking).toEqual([]);
  });

  async function furnish(scope: Scope, name: string): Promise<void> {
    const alice = hub.api('alice');
    const stages = [stage('canary'), stage('production')];
    expectStored(await alice.create(pathOf('UpdateStrategy', scope), strategy(scope, name, stages)));
    expectStored(await alice.create(pathOf('Placement', scope), placement(scope, name)));
    const start = (run: string): Promise<Answer> =>
      persistently(() => alice.create(pathOf('UpdateRun', scope), runOf(scope, run, name, name)));
    expectStored(await start(`${name}-ended`));
    const status = { conditions: [conditionNow('Initialized'), conditionNow('Succeeded')] };
    const path = pathOf('UpdateRun', scope, `${name}-ended/status`);
    expectStored(await hub.api('hubAgent').patch(path, 'merge', { status }));
    expectStored(await start(`${name}-active`));
  }

  /** Nothing is left of it, and the guards have nothing in mind. */
  async function loseAll(): Promise<void> {
    const first = (one: Kept): number => Number(!guardPaths.configurations.includes(one.path)) + Number(!isRun(one));
    await wipe(
      hub,
      backup.toSorted((a, b) => first(a) - first(b)),
    );
    const left = pathsOf(['PolicySnapshot', 'Binding'], scopes);
    await wipe(hub, await backUp(hub, left));
    guards.endAll();
  }

  /** As often as it brings anything, as whoever restores does. Returns what stays out in the end, and why. */
  async function restore(all: readonly Kept[], between: () => Promise<void>): Promise<readonly string[]> {
    let failed = await putBack(hub, all);
    await between();
    for (let pass = 0; pass < 30 && failed.some(([one, answer]) => !isTaken(one, answer)); pass++) {
      await sleep(500);
      failed = await putBack(
        hub,
        failed.map(([one]) => one),
      );
    }
    return failed.map(([one, answer]) => `${one.name}: ${message(answer)}`);
  }

  const isTaken = (one: Kept, answer: Answer): boolean =>
    isRun(one) && /^403 .*is in use by run/s.test(message(answer));

  /** The uids of the runs of a placement that are active. */
  async function activeRuns(scope: Scope, name: string): Promise<readonly string[]> {
    const { items } = expectStored(await hub.api('admin').get(pathOf('UpdateRun', scope))) as unknown as {
      items: { metadata: { uid: string }; spec: { placementName: string; state: string } }[];
    };
    return items
      .filter(({ spec }) => spec.placementName === name && spec.state === 'Run')
      .map(({ metadata }) => metadata.uid);
  }

  const isConfiguration = ({ path }: Kept): boolean => guardPaths.configurations.includes(path);
  const notConfigured = (): readonly Kept[] => backup.filter((one) => !isConfiguration(one));

  /** Each placement is held by a run that is there; where the guards have judged all, by the only one. */
  async function expectHeld(most: number): Promise<void> {
    const expectOne = async (scope: Scope, name: string): Promise<void> => {
      const active = await activeRuns(scope, name);
      expect(active.length).toBeGreaterThanOrEqual(1);
      expect(active.length).toBeLessThanOrEqual(most);
      await eventually(`${name} is held by one of ${active.join()}`, async () => {
        const { claims } = await leaseFor(hub, scope, name);
        return claims.every(({ uid }) => active.includes(uid)) || undefined;
      });
      const more = runOf(scope, `${name}-more`, name, name);
      const answer = await persistently(() => hub.api('alice').create(pathOf('UpdateRun', scope), more));
      expect(message(answer)).toMatch(/^403 .*is in use by run/s);
    };
    await Promise.all(scopes.flatMap((scope) => names.map((name) => expectOne(scope, name))));
  }

  test('with the guard at work before them: one run of each placement comes back, whichever is first', async () => {
    await loseAll();
    await guards.startAgain(2);
    await putBack(hub, backup.filter(isConfiguration));
    await eventually('the guards are asked', () => isAsked(hub));
    const left = await restore(shuffled(notConfigured(), seed), () => Promise.resolve());
    expect(left.length).toBe(names.length * scopes.length);
    expect(left.filter((text) => !text.includes('is in use by run'))).toEqual([]);
    await expectHeld(1);
  }, 120_000);

  test('with the guard at work, its configurations among them: what was put back unjudged is adopted', async () => {
    await loseAll();
    await guards.startAgain(2);
    const left = await restore(shuffled(backup, seed + 1), () => Promise.resolve());
    expect(left.filter((text) => !text.includes('is in use by run'))).toEqual([]);
    await expectHeld(2);
  }, 120_000);

  test('without a guard: once its webhooks are back nothing is let through, and it takes over what is there', async () => {
    await loseAll();
    const left = await restore(shuffled(backup, seed + 2), async () => {
      const good = strategy(undefined, 'good', [stage('canary')]);
      await eventually('nothing is let through', async () => {
        const answer = await hub.api('alice').create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, good);
        return /^500 .*failed calling webhook/s.test(message(answer)) || undefined;
      });
      await guards.startAgain(2);
    });
    expect(left.filter((text) => !text.includes('is in use by run'))).toEqual([]);
    await expectHeld(2);
  }, 120_000);

  test('with the runs put back in state Initialize, nothing starts by itself, and the one that is wanted can', async () => {
    await loseAll();
    await guards.startAgain(2);
    await putBack(hub, backup.filter(isConfiguration));
    await eventually('the guards are asked', () => isAsked(hub));
    const idle = notConfigured().map((one) =>
      isRun(one)
        ? { ...one, object: { ...one.object, spec: { ...(one.object['spec'] as Json), state: 'Initialize' } } }
        : one,
    );
    expect(await restore(shuffled(idle, seed + 3), () => Promise.resolve())).toEqual([]);
    const expectStarted = async (scope: Scope, name: string): Promise<void> => {
      expect(await activeRuns(scope, name)).toEqual([]);
      const path = pathOf('UpdateRun', scope, `${name}-active`);
      const start = (): Promise<Answer> => hub.api('alice').patch(path, 'merge', { spec: { state: 'Run' } });
      expectStored(await persistently(start));
    };
    await Promise.all(scopes.flatMap((scope) => names.map((name) => expectStarted(scope, name))));
    await expectHeld(1);
  }, 120_000);
});
