import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import type { Answer, Json } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { GuardReplicas } from './harness/guard-replicas.js';
import { expectStored, startHub, type Hub } from './harness/hub.js';
import { startHubAgent, type HubAgent } from './harness/hub-agent.js';
import { kubectl } from './harness/kubectl.js';
import { paced, type Paced } from './harness/paced.js';
import { pathOf, type Scope } from './harness/paths.js';
import { tokenOf } from './harness/users.js';
import { bothScopes, joinMembers, placement, run, scheduled, stage, strategy, yamlOf } from './harness/world.js';

/* Settings that change under two replicas while people write. */

/** Long enough to be met by many a run, and short enough that clients wait for its end. */
const freezeSeconds = 8;
const planted = 'hunter2-s3cr3t';
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
let hub: Hub;
let agent: HubAgent;
let guards: GuardReplicas;

beforeAll(async () => {
  hub = await startHub();
  // Any number of runs may be active, so that each is refused for the freeze alone.
  guards = await GuardReplicas.start(hub, 2, { concurrency: 'off' });
  agent = startHubAgent(hub);
  await joinMembers(hub);
  for (const [, scope] of bothScopes) {
    const shop = placement(scope, 'shop');
    const metadata = { ...(shop['metadata'] as object), labels: { tier: 'prod' } };
    expectStored(await hub.api('alice').create(pathOf('Placement', scope), { ...shop, metadata }));
    expectStored(await hub.api('alice').create(pathOf('UpdateStrategy', scope), strategy(scope, 'rings', twoStages)));
    await scheduled(hub, scope, 'shop');
  }
}, 120_000);

afterAll(async () => {
  await agent.stop();
  await guards.stop();
  await dispatcher.close();
  const lacking = hub.forbidden();
  await hub.stop();
  expect(lacking).toEqual([]);
});

let writing: Pick<Paced<unknown>, 'stop'> | undefined;
afterEach(async () => {
  await writing?.stop();
  writing = undefined;
});

const twoStages = [stage('canary'), stage('production')];
const waitsNot = [stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] })];

interface Reviewed {
  readonly status: number;
  readonly isItsOwn?: boolean;
  readonly isAllowed?: boolean;
  /** What the settings are that it was judged by. */
  readonly settings?: string | undefined;
}

/** Asks one replica about the creation of a strategy. */
async function review(port: number, stages: readonly object[] = twoStages): Promise<Reviewed> {
  const resource = { group: 'placement.kubernetes-fleet.io', version: 'v1', resource: 'clusterstagedupdatestrategies' };
  const kind = { group: resource.group, version: 'v1', kind: 'ClusterStagedUpdateStrategy' };
  const object = strategy(undefined, 'reviewed', stages);
  const metadata = { name: 'reviewed', annotations: { password: planted } };
  const uid = randomUUID();
  const { statusCode, body } = await request(`https://127.0.0.1:${port}/validate?timeout=10s`, {
    ...{ method: 'POST', dispatcher, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        ...{ uid, kind, resource, requestKind: kind, requestResource: resource, name: 'reviewed' },
        ...{ operation: 'CREATE', dryRun: false, oldObject: null, object: { ...object, metadata } },
        userInfo: { username: 'alice', extra: { token: [planted] } },
      },
    }),
  });
  const { response } = (await body.json()) as { response?: Json & { auditAnnotations?: Record<string, string> } };
  return {
    status: statusCode,
    isItsOwn: response?.['uid'] === uid,
    isAllowed: response?.['allowed'] === true,
    settings: response?.auditAnnotations?.['settings'],
  };
}

const portOf = (number: number): number => guards.ports()[number % 2] ?? 0;
const allowedNow = async (): Promise<readonly unknown[]> =>
  (await Promise.all(guards.ports().map((port) => review(port, waitsNot)))).map(({ isAllowed }) => isAllowed);

/** Until both replicas have taken a config file up, or have found that they cannot. */
const isCurrent = (expected: 0 | 1): Promise<true> =>
  eventually(
    `both say ${String(expected)} of the config`,
    async () => (await guards.metrics('stageguard_config_current')).every((value) => value === expected) || undefined,
    10,
  );

test('good and broken files in turns lose no review, and a mode counts on all replicas within ten seconds', async () => {
  const reviews = paced(100, (number) => review(portOf(number)).catch((): Reviewed => ({ status: 0 })));
  writing = reviews;
  expect(await allowedNow()).toEqual([false, false]);
  for (const [mode, isAllowed] of [
    ['warn', true],
    ['deny', false],
  ] as const) {
    guards.configure('rules: {strategy-wait-time: wran');
    await isCurrent(0);
    // What was in use stays in use.
    expect(await allowedNow()).toEqual([!isAllowed, !isAllowed]);
    guards.configure(`{concurrency: "off", rules: {strategy-wait-time: ${mode}}}`);
    const isTaken = async (): Promise<true | undefined> =>
      (await allowedNow()).every((value) => value === isAllowed) || undefined;
    await eventually(`the mode ${mode} counts everywhere`, isTaken, 10);
    await isCurrent(1);
  }
  await reviews.caughtUp();
  expect(reviews.rate()).toBeGreaterThan(99);
  await reviews.stop();
  const came = await reviews.results();
  expect(came.filter(({ status, isItsOwn, isAllowed }) => status !== 200 || !isItsOwn || !isAllowed)).toEqual([]);
  const kinds = new Set(came.map(({ settings }) => settings));
  process.stderr.write(`settings in service: ${came.length} reviews by ${kinds.size} settings\n`);
  expect(kinds.size).toBeGreaterThanOrEqual(2);
}, 120_000);

interface Started {
  readonly scope: Scope;
  readonly from: number;
  readonly to: number;
  readonly answer: Answer;
}

const told = ({ scope, answer, ...times }: Started): string =>
  JSON.stringify({ scope, ...times, status: answer.status, message: answer.body['message'] });

test('a freeze begins and ends under writers, for the namespaces and labels that it names, and kubectl waits for its end', async () => {
  const whole = (time: number): string => new Date(time).toISOString().slice(0, 19);
  // By then both replicas know of it, and have not begun to read the file again.
  const from = Math.ceil(Date.now() / 1000 + 10) * 1000;
  const until = from + freezeSeconds * 1000;
  const freeze = [
    { name: 'sale', from: whole(from), until: whole(until), namespaces: ['team-a'], placementLabels: { tier: 'prod' } },
    { name: 'elsewhere', from: whole(from), until: whole(until), placementLabels: { tier: 'test' } },
  ];
  const [before] = await Promise.all(guards.ports().map((port) => review(port)));
  guards.configure(JSON.stringify({ concurrency: 'off', freeze }));
  await eventually('both know of the freeze', async () => {
    const now = await Promise.all(guards.ports().map((port) => review(port)));
    return now.every(({ settings }) => settings !== before?.settings) || undefined;
  });
  expect(Date.now()).toBeLessThan(from);
  const named = (scope: Scope, name: string): Json =>
    run(scope, name, { placementName: 'shop', stagedRolloutStrategyName: 'rings' });
  const starts = paced(10, async (number): Promise<Started> => {
    const [, scope] = bothScopes[number % 2] as (typeof bothScopes)[number];
    const sent = Date.now();
    const answer = await hub.api('alice').create(pathOf('UpdateRun', scope), named(scope, `run-${String(number)}`));
    return { scope, from: sent, to: Date.now(), answer };
  });
  writing = starts;
  await eventually('the freeze has begun', () => Date.now() > from + 1000 || undefined);
  const patient = await kubectl(hub, 'alice', ['create', '-f', '-'], { stdin: yamlOf(named('team-a', 'patient')) });
  const createdAt = Date.now();
  await eventually('the freeze has been over for a while', () => Date.now() > until + 2000 || undefined);
  await starts.stop();
  const all = await starts.results();
  const isRefused = ({ answer: { status, body, retryAfter } }: Started): boolean =>
    status === 429 && String(body['message']).includes('[run-frozen]') && Number(retryAfter) <= freezeSeconds;
  const within = all.filter(({ scope, from: sent, to }) => scope !== undefined && sent >= from && to < until);
  const outside = all.filter(({ scope, from: sent, to }) => scope === undefined || to < from || sent >= until);
  expect(within.filter((one) => !isRefused(one)).map(told)).toEqual([]);
  expect(outside.filter(({ answer }) => answer.status !== 201).map(told)).toEqual([]);
  for (const side of [within, outside.filter(({ to }) => to < from), outside.filter(({ from: sent }) => sent > until)])
    expect(side.length).toBeGreaterThan(0);
  expect(patient).toMatchObject({ code: 0, stdout: expect.stringContaining('created') });
  expect(createdAt).toBeGreaterThanOrEqual(until);
}, 120_000);

test('nothing of that told a secret to the log', () => {
  const log = guards.logs();
  expect(log).toContain('"decided"');
  for (const secret of [planted, tokenOf('guard'), tokenOf('alice')]) expect(log).not.toContain(secret);
});
