import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { defaultConfig } from '../src/config/load.js';
import type { RunningGuard } from '../src/guard/serving/listening-guard.js';
import { startLive } from '../src/guard/serving/live-guard.js';
import { binding, cluster, placement, policySnapshot, stage, strategy } from './support/builders.js';
import { RecordingLog } from './support/guard.js';
import { jsonIn, scopes } from './support/scopes.js';
import { ScriptedApi } from './support/scripted-api.js';
import { until } from './support/until.js';

const root = join(import.meta.dirname, '..');
// The pair is self-signed, and this is loopback.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
const log = new RecordingLog();
let api: ScriptedApi;
let guard: RunningGuard;

beforeEach(async () => {
  api = await ScriptedApi.start();
  const [scope] = scopes as [(typeof scopes)[0]];
  const needed = [placement(), strategy('rings', stage('canary')), policySnapshot(), binding('eu')];
  for (const draft of [...needed, cluster('eu', { ring: 'canary' })]) api.put(jsonIn(scope, draft));
  guard = await startLive({
    hub: { kubeconfig: api.kubeconfig() },
    settings: { current: defaultConfig, isCurrent: () => true },
    ...{ host: '127.0.0.1', port: 0, metricsPort: 0, drain: 0, drainIdle: 0, log },
  });
  const isKnown = (what: string): boolean => log.lines.some(({ message }) => message === `the ${what} known`);
  await until(() => isKnown('fleet is') && isKnown('claims are'));
});
afterEach(async () => {
  await guard.stop();
  await api.stop();
  await dispatcher.close();
});

async function createRun(): Promise<unknown> {
  const kind = { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ClusterStagedUpdateRun' };
  const object = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'release', uid: 'uid-1' },
    spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' },
  };
  const { body } = await request(`${guard.url}/validate?timeout=10s`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        ...{ uid: 'u-1', kind, requestKind: kind, name: 'release', operation: 'CREATE', object, oldObject: null },
        resource: { group: kind.group, version: kind.version, resource: 'clusterstagedupdateruns' },
        ...{ userInfo: { username: 'alice' }, dryRun: false },
      },
    }),
  });
  return body.json();
}

/** The files of ours of which something ran while this was done, as the engine itself counts. */
async function filesRunBy(act: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  const ours = ran.map(({ url }) => url).filter((url) => url.includes(join(root, 'src')));
  return new Set(ours.map((url) => url.slice(url.indexOf(root) + root.length + 1)));
}

/** Where a review is judged: what runs there is told of. Elsewhere files may come and go beside the walk. */
const judges = /^src\/guard\/[^/]+$/;

const pathsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, path = '']) => path)),
];

test('the walk of a run create in CONTRIBUTING.md is the one that is walked', async () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [section = ''] = page.slice(page.indexOf('## The walk of a review') + 1).split('\n## ');
  const [walk = '', beside = ''] = section.split('\nBeside the walk');
  const told = pathsIn(walk);
  const ran = await filesRunBy(async () => {
    expect(await createRun()).toMatchObject({ response: { allowed: true } });
  });
  const untold = [...ran].filter((path) => judges.test(path) && ![...told, ...pathsIn(beside)].includes(path));
  expect(told.filter((path) => !ran.has(path))).toEqual([]);
  expect(untold.sort()).toEqual([]);
  expect(told.length).toBeGreaterThan(10);
  expect(told.length).toBeLessThanOrEqual(20);
});
