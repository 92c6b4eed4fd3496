import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startLive } from '../../../src/guard/serving/live-guard.js';
import type { RunningGuard } from '../../../src/guard/serving/listening-guard.js';
import type { Config } from '../../../src/config/config.js';
import { defaultConfig } from '../../../src/config/load.js';
import { kindIn } from '../../../src/fleet/kinds.js';
import {
  binding,
  cluster,
  placement,
  policySnapshot,
  resourceSnapshot,
  run as runDraft,
  stage,
  strategy,
} from '../../support/builders.js';
import { RecordingLog } from '../../support/guard.js';
import { until } from '../../support/until.js';
import { jsonIn, scopes } from '../../support/scopes.js';
import { leaseKind, ScriptedApi } from '../../support/scripted-api.js';
import { Agent, request } from 'undici';

// The pair is self-signed, and this is loopback.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
let api: ScriptedApi;
let guard: RunningGuard | undefined;
let log: RecordingLog;
let config: Config;

beforeEach(async () => {
  api = await ScriptedApi.start();
  log = new RecordingLog();
  config = defaultConfig();
});
afterEach(async () => {
  await guard?.stop();
  guard = undefined;
  await api.stop();
});

const start = async (kubeconfig: string) => {
  guard = await startLive({
    hub: { kubeconfig },
    settings: { current: () => config, isCurrent: () => true },
    host: '127.0.0.1',
    port: 0,
    metricsPort: 0,
    drain: 0,
    drainIdle: 0,
    log,
  });
  return guard.url;
};
const status = async (url: string) => {
  const { statusCode, body } = await request(url, { dispatcher });
  return { status: statusCode, body: await body.json() };
};

const [scope] = scopes as [(typeof scopes)[0]];
const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    kind: { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ClusterStagedUpdateRun' },
    resource: { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', resource: 'clusterstagedupdateruns' },
    requestKind: { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ClusterStagedUpdateRun' },
    name: 'release',
    operation: 'CREATE',
    userInfo: { username: 'alice' },
    dryRun: false,
    object: {
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterStagedUpdateRun',
      metadata: { name: 'release', uid: 'uid-1' },
      spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' },
    },
    oldObject: null,
  },
};
const uidOf = (name: string): string => `uid of ${name}`;
const judge = async (url: string, name = 'release', { spec = {}, timeout = '5s' } = {}) => {
  const { request: asked } = review;
  const object = {
    ...asked.object,
    metadata: { name, uid: uidOf(name) },
    spec: { ...asked.object.spec, ...spec },
  };
  const { body } = await request(`${url}/validate?timeout=${timeout}`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...review, request: { ...asked, name, object } }),
  });
  return ((await body.json()) as { response: Response }).response;
};
interface Response {
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string; readonly details?: object };
  readonly warnings?: readonly string[];
}

const refused = { allowed: false, status: { code: 403 } };
const sentAway = { allowed: false, status: { code: 429 } };

/** All that a run of the placement `shop` needs. */
const sound = [
  ...[placement(), strategy('rings', stage('canary')), policySnapshot(), binding('eu')],
  cluster('eu', { ring: 'canary' }),
];
const putSound = (): void => {
  for (const draft of sound) api.put(jsonIn(scope, draft));
};
const held = (): readonly string[] =>
  api.truth(leaseKind).map(({ spec }) => (spec as { holderIdentity: string }).holderIdentity);

const isKnown = () =>
  ['the fleet is known', 'the claims are known'].every((text) => log.lines.some(({ message }) => message === text));

describe('a guard beside a hub', () => {
  test('is ready once it knows the fleet, and judges by it', async () => {
    const url = await start(api.kubeconfig());
    await until(isKnown);
    expect((await status(`${url}/readyz`)).status).toBe(200);
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 403 } });
    putSound();
    expect(await judge(url)).toMatchObject({ allowed: true });
  });

  test('listens and is not ready while no hub answers; asked all the same, it says "later" and never "not found"', async () => {
    const kubeconfig = api.kubeconfig();
    await api.stop();
    const url = await start(kubeconfig);
    expect((await status(`${url}/healthz`)).status).toBe(200);
    expect(await status(`${url}/readyz`)).toMatchObject({
      status: 503,
      body: { missing: ['an answer of the API server', 'the list of Leases'] },
    });
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 429 } });
    api = await ScriptedApi.start();
  });

  test('judges by the version of KubeFleet that the hub shows, unless the settings name one', async () => {
    putSound();
    api.put(
      jsonIn(scope, strategy('rings', stage('canary'), stage('empty', { beforeStageTasks: [{ type: 'Approval' }] }))),
    );
    const containers = [{ name: 'hub-agent', image: 'hub-agent:v0.3.1' }];
    const path = '/apis/apps/v1/namespaces/fleet-system/deployments/hub-agent';
    api.pages.set(path, { spec: { template: { spec: { containers } } } });
    const url = await start(api.kubeconfig());
    await until(() => isKnown() && log.lines.some(({ fields }) => fields['version'] === 'v0.3.1'));
    const warnings = async (): Promise<string> => ((await judge(url)).warnings ?? []).join('\n');
    expect(await warnings()).toContain('its approvals and waits hold all the same');
    config = { ...config, kubefleet: { version: 'main' } };
    expect(await warnings()).toContain('KubeFleet skips its approvals and waits');
  });

  test('claims for runs that were active before it', async () => {
    for (const each of scopes) for (const draft of [placement(), runDraft('earlier')]) api.put(jsonIn(each, draft));
    await start(api.kubeconfig());
    await until(() => held().join() === 'earlier,earlier');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('claims by the settings as they are now', async () => {
    putSound();
    const url = await start(api.kubeconfig());
    await until(isKnown);
    const duration = () =>
      (api.truth(leaseKind)[0]?.['spec'] as { leaseDurationSeconds?: number }).leaseDurationSeconds;
    const forget = (): void => {
      for (const { metadata } of api.truth(leaseKind) as unknown as readonly { metadata: Record<string, string> }[]) {
        api.remove(leaseKind, metadata['name'] ?? '', metadata['namespace']);
      }
    };
    expect(await judge(url)).toMatchObject({ allowed: true });
    expect(duration()).toBe(60);
    expect(await judge(url, 'second')).toMatchObject({ allowed: false, status: { code: 429 } });
    config = { ...config, claims: { settleSeconds: 90, whenUnavailable: 'retry' } };
    // A claim that is there is kept as it is, whoever asks again; a new one is by the new settings.
    forget();
    expect(await judge(url)).toMatchObject({ allowed: true });
    expect(duration()).toBe(90);
    config = { ...config, concurrency: 'off' };
    expect(await judge(url, 'second')).toMatchObject({ allowed: true });
    config = { ...config, concurrency: 'exclusive' };
    const refuse = { is: 'status', status: 403 } as const;
    forget();
    api.faults.post.push(refuse);
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 429 } });
    config = { ...config, claims: { settleSeconds: 90, whenUnavailable: 'admit' } };
    api.faults.post.push(refuse);
    expect(await judge(url)).toMatchObject({ allowed: true });
  });

  test('stays ready when the hub is lost later', async () => {
    const url = await start(api.kubeconfig());
    await until(isKnown);
    await api.stop();
    expect((await status(`${url}/readyz`)).status).toBe(200);
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 429 } });
    api = await ScriptedApi.start();
  });
});

describe('a guard that claims', () => {
  const run = (name: string, more: NonNullable<Parameters<typeof runDraft>[1]> = {}) =>
    jsonIn(scope, runDraft(name, { ...more, metadata: { uid: uidOf(name) } }));
  const over = { status: { conditions: [{ type: 'Succeeded', status: 'True' }] } };
  const startSound = async (): Promise<string> => {
    putSound();
    const url = await start(api.kubeconfig());
    await until(isKnown);
    return url;
  };
  /** Longer than the caretaker rests, so that it sweeps anew only where it is told of something. */
  const quiet = () => sleep(1200);

  test('keeps a placement for its run by a clock that does not jump, and tells others when to come back', async () => {
    const url = await startSound();
    expect(await judge(url)).toMatchObject({ allowed: true });
    const now = Date.now.bind(Date);
    const jumping = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      const answer = await judge(url, 'second');
      expect(answer).toMatchObject({ ...sentAway, status: { code: 429, details: { retryAfterSeconds: 8 } } });
    } finally {
      jumping.mockRestore();
    }
  });

  test('asks the API server itself how it stands with the holder', async () => {
    const url = await startSound();
    expect(await judge(url)).toMatchObject({ allowed: true });
    api.holdWatches();
    api.put(run('release'));
    expect(await judge(url, 'second')).toMatchObject(refused);
    api.put(run('release', over));
    expect(await judge(url, 'second')).toMatchObject({ allowed: true });
  });

  test('remembers which runs a watch has told of: what was stored and is gone keeps nobody waiting', async () => {
    const url = await startSound();
    expect(await judge(url)).toMatchObject({ allowed: true });
    api.put(run('release'));
    api.put(run('told-later', { spec: { placementName: 'b' } }));
    await until(() => held().includes('told-later'));
    api.remove(kindIn('UpdateRun', undefined), 'release');
    expect(await judge(url, 'second')).toMatchObject({ allowed: true });
  });

  test('puts claims in order as soon as it hears of runs, Leases and placements', async () => {
    await startSound();
    await quiet();
    api.put(run('release'));
    await until(() => held().join() === 'release', 5000);
    await quiet();
    const [lease] = api.truth(leaseKind);
    api.remove(leaseKind, lease?.metadata.name ?? '', lease?.metadata.namespace);
    expect(held()).toEqual([]);
    await until(() => held().join() === 'release', 5000);
    await quiet();
    api.put(run('release', over));
    api.remove(kindIn('Placement', undefined), 'shop');
    await until(() => held().length === 0, 5000);
  });

  test('claims for no run of a namespace where the rule is off', async () => {
    config = { ...config, namespaces: { 'team-a': { rules: { 'run-placement-free': 'off' } } } };
    for (const each of scopes) for (const draft of [placement(), runDraft('earlier')]) api.put(jsonIn(each, draft));
    await start(api.kubeconfig());
    await until(() => held().includes('earlier'));
    api.put(run('told-later', { spec: { placementName: 'b' } }));
    await until(() => held().includes('told-later'));
    expect(held()).toEqual(['earlier', 'told-later']);
  });

  test('is ready without the Leases only where nothing is claimed', async () => {
    api.unserved.add('Lease');
    const url = await start(api.kubeconfig());
    await until(() => log.lines.some(({ message }) => message === 'the fleet is known'));
    expect(await status(`${url}/readyz`)).toMatchObject({ status: 503, body: { missing: ['the list of Leases'] } });
    config = { ...config, concurrency: 'off' };
    expect((await status(`${url}/readyz`)).status).toBe(200);
  });

  test('lets runs that do the same share a placement, where the settings say so', async () => {
    config = { ...config, concurrency: 'compatible' };
    for (const index of [3, 4]) api.put(jsonIn(scope, resourceSnapshot(index)));
    const url = await startSound();
    const third = { spec: { resourceSnapshotIndex: '3' } };
    const fourth = { spec: { resourceSnapshotIndex: '4' } };
    for (const name of ['release', 'second']) expect(await judge(url, name, third)).toMatchObject({ allowed: true });
    expect(held()).toEqual(['release,second']);
    expect(await judge(url, 'other', fourth)).toMatchObject(sentAway);
    for (const name of ['release', 'second']) api.put(run(name, third));
    expect(await judge(url, 'joins', third)).toMatchObject({ allowed: true });
    expect(await judge(url, 'other', fourth)).toMatchObject(refused);
    config = { ...config, concurrency: 'exclusive' };
    expect(await judge(url, 'joins-too-late', third)).toMatchObject(refused);
  });

  test('sends a run away in time where the Lease is not written in time', async () => {
    const url = await startSound();
    api.faults.post.push({ is: 'stall' });
    // Where the time is over before the guard has a verdict, the answer is HTTP 503 and no review.
    const answer = await judge(url, 'release', { timeout: '1s' });
    expect(answer).toMatchObject(sentAway);
    expect(answer.status?.message).toContain('placement "shop" could not be reserved for this run');
  });

  test('starts runs without an API server only where both settings say so', async () => {
    const url = await startSound();
    await api.stop();
    const admit = { settleSeconds: 60, whenUnavailable: 'admit' } as const;
    const warn = { default: 'warn', rules: {} } as const;
    for (const settings of [{}, { claims: admit }, { undetermined: warn }]) {
      config = { ...defaultConfig(), ...settings };
      expect(await judge(url)).toMatchObject(sentAway);
    }
    config = { ...defaultConfig(), claims: admit, undetermined: warn };
    const answer = await judge(url);
    expect(answer).toMatchObject({ allowed: true });
    expect(answer.warnings?.join('\n')).toContain('placement "shop" could not be reserved for this run');
    api = await ScriptedApi.start();
  });
});
