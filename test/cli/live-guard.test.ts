import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startLive } from '../../src/cli/live-guard.js';
import type { RunningGuard } from '../../src/cli/listening-guard.js';
import type { Config } from '../../src/config/config.js';
import { defaultConfig } from '../../src/config/load.js';
import { binding, cluster, placement, policySnapshot, run, stage, strategy } from '../support/builders.js';
import { RecordingLog } from '../support/guard.js';
import { until } from '../support/until.js';
import { jsonIn, scopes } from '../support/scopes.js';
import { leaseKind, ScriptedApi } from '../support/scripted-api.js';
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
const judge = async (url: string, name = 'release') => {
  const { request: asked } = review;
  const object = { ...asked.object, metadata: { name, uid: `uid of ${name}` } };
  const { body } = await request(`${url}/validate?timeout=5s`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...review, request: { ...asked, name, object } }),
  });
  return ((await body.json()) as { response: { allowed: boolean; status?: { code: number } } }).response;
};

const isKnown = () =>
  ['the fleet is known', 'the claims are known'].every((text) => log.lines.some(({ message }) => message === text));

describe('a guard beside a hub', () => {
  test('is ready once it knows the fleet, and judges by it', async () => {
    const url = await start(api.kubeconfig());
    await until(isKnown);
    expect((await status(`${url}/readyz`)).status).toBe(200);
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 403 } });
    const sound = [placement(), strategy('rings', stage('canary')), policySnapshot(), binding('eu')];
    for (const draft of [...sound, cluster('eu', { ring: 'canary' })]) api.put(jsonIn(scope, draft));
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

  test('claims for runs that were active before it', async () => {
    const held = () => api.truth(leaseKind).map(({ spec }) => (spec as { holderIdentity: string }).holderIdentity);
    for (const each of scopes) for (const draft of [placement(), run('earlier')]) api.put(jsonIn(each, draft));
    await start(api.kubeconfig());
    await until(() => held().join() === 'earlier,earlier');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('claims by the settings as they are now', async () => {
    const sound = [placement(), strategy('rings', stage('canary')), policySnapshot(), binding('eu')];
    for (const draft of [...sound, cluster('eu', { ring: 'canary' })]) api.put(jsonIn(scope, draft));
    const url = await start(api.kubeconfig());
    await until(isKnown);
    const duration = () =>
      (api.truth(leaseKind)[0]?.['spec'] as { leaseDurationSeconds?: number }).leaseDurationSeconds;
    expect(await judge(url)).toMatchObject({ allowed: true });
    expect(duration()).toBe(60);
    expect(await judge(url, 'second')).toMatchObject({ allowed: false, status: { code: 429 } });
    config = { ...config, claims: { settleSeconds: 90, whenUnavailable: 'retry' } };
    expect(await judge(url)).toMatchObject({ allowed: true });
    expect(duration()).toBe(90);
    config = { ...config, concurrency: 'off' };
    expect(await judge(url, 'second')).toMatchObject({ allowed: true });
    config = { ...config, concurrency: 'exclusive' };
    const refuse = { is: 'status', status: 403 } as const;
    api.faults.put.push(refuse);
    expect(await judge(url)).toMatchObject({ allowed: false, status: { code: 429 } });
    config = { ...config, claims: { settleSeconds: 90, whenUnavailable: 'admit' } };
    api.faults.put.push(refuse);
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
