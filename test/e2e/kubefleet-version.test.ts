import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { kindIn } from '../../src/fleet/kinds.js';
import { within } from './fixes/ground.js';
import type { Json } from './harness/api.js';
import { loopbackPair } from './harness/certificate.js';
import { installRights, installWebhooks, renderChart } from './harness/chart.js';
import { eventually } from './harness/eventually.js';
import { bundleIn } from './harness/guard.js';
import { startGuardProcess } from './harness/guard-process.js';
import { expectStored, freePorts, type Hub } from './harness/hub.js';
import { startHubAgent, type HubAgent } from './harness/hub-agent.js';
import { kubectl, type Ran } from './harness/kubectl.js';
import type { Leashed } from './harness/leash.js';
import type { Scope } from './harness/paths.js';
import { useHub } from './harness/use-hub.js';
import {
  bothScopes,
  conditionOf,
  joinMembers,
  placement,
  run,
  scheduled,
  stage,
  strategy,
  yamlOf,
} from './harness/world.js';

// A guard that may not look is among those that are tried.
const hub = useHub({ losesRights: true });
let agent: HubAgent | undefined;
let guard: Leashed | undefined;
let site: Site | undefined;

/** Where every guard of this file is found, one after the other. */
interface Site {
  readonly program: string;
  readonly tls: string;
  readonly certificate: string;
  readonly ports: readonly [port: number, metricsPort: number];
}

beforeAll(async () => {
  site = await prepare(hub());
  agent = startHubAgent(hub());
  await joinMembers(hub());
}, 90_000);
afterEach(async () => {
  await guard?.stop(5000);
  guard = undefined;
});
afterAll(() => agent?.stop());

async function prepare(on: Hub): Promise<Site> {
  const program = await bundleIn(on.folder);
  const pair = await loopbackPair();
  const tls = mkdtempSync(join(on.folder, 'tls-'));
  writeFileSync(join(tls, 'tls.crt'), pair.cert);
  writeFileSync(join(tls, 'tls.key'), pair.key);
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const chart = await renderChart(on, { url: `https://127.0.0.1:${String(port)}`, certificate: pair.cert });
  await installRights(on, chart);
  await installWebhooks(on, chart);
  return { program, tls, certificate: pair.cert, ports: [port, metricsPort] };
}

/** Starts the guard of the hub, and waits until it has looked for the version; returns what it says of it. */
async function serve(config: object = {}): Promise<Json> {
  if (site === undefined) throw new Error('the hub is not prepared');
  const { program, tls, ports, certificate } = site;
  const folder = mkdtempSync(join(hub().folder, 'guard-'));
  const [file, log] = [join(folder, 'config.yaml'), join(folder, 'guard.log')];
  writeFileSync(file, JSON.stringify(config));
  const flags = { config: file, 'tls-dir': tls, drain: '0s', 'drain-idle': '0s' };
  guard = startGuardProcess(hub(), { program, ports, log, flags });
  const dispatcher = new Agent({ connect: { ca: certificate } });
  await eventually('the guard is ready', async () => {
    const answer = await request(`https://127.0.0.1:${String(ports[0])}/readyz`, { dispatcher }).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200 || undefined;
  });
  await dispatcher.close();
  return eventually('the guard has looked', () => {
    const lines = readFileSync(log, 'utf8').split('\n');
    const line = lines.find((each) => each.includes('"because"') && each.includes('KubeFleet'));
    return Promise.resolve(line === undefined ? undefined : (JSON.parse(line) as Json));
  });
}

/** The hub agent as it is installed; nothing runs it here. */
async function installAgent(image: string): Promise<void> {
  const app = { app: 'hub-agent' };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hub-agent', namespace: 'fleet-system' },
    spec: {
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'hub-agent', image }] } },
    },
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet-system' } };
  const stdin = yamlOf(namespace, deployment);
  expect(await kubectl(hub(), 'admin', ['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

const inBothScopes = async (work: (scope: Scope) => Promise<void>): Promise<void> => {
  for (const [, scope] of bothScopes) await work(scope);
};

/** A strategy of which the second stage waits a day, and has no cluster. */
const withEmptyStage = [
  stage('canary'),
  stage('empty', { afterStageTasks: [{ type: 'TimedWait', waitTime: '24h' }] }),
  stage('production'),
];

async function put(scope: Scope, name: string, stages: readonly object[]): Promise<void> {
  const stdin = yamlOf(placement(scope, name), strategy(scope, name, stages));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
  await scheduled(hub(), scope, name);
}

/** What kubectl prints when the run is created; nothing is stored. */
async function warnedOf(scope: Scope, name: string): Promise<string> {
  const stdin = yamlOf(run(scope, name, { placementName: name, stagedRolloutStrategyName: name }));
  const ran = await kubectl(hub(), 'alice', ['create', '--dry-run=server', '-f', '-'], { stdin });
  expect(ran.code).toBe(0);
  return ran.stderr;
}

test('journey: by the image of the hub agent, an empty stage of v0.3.1 holds its waits', async () => {
  await installAgent('ghcr.io/kubefleet-dev/kubefleet/hub-agent:v0.3.1');
  const found = await serve();
  expect(found).toMatchObject({ version: 'v0.3.1', by: 'image' });
  await inBothScopes(async (scope) => {
    await put(scope, 'held', withEmptyStage);
    const warnings = await warnedOf(scope, 'held');
    expect(warnings).toContain('its approvals and waits hold all the same');
    expect(warnings).toContain('empty 0 (wait 24h)');
  });
}, 90_000);

test('journey: without the right to look, the definitions tell, and the guard works', async () => {
  const found = await serve({ hubAgent: { deployment: 'fleet-system/another' } });
  expect(found).toMatchObject({ version: 'main', by: 'definitions' });
  expect(found['because']).toContain('Deployment fleet-system/another may not be read');
  await inBothScopes(async (scope) => {
    await put(scope, 'skipped', withEmptyStage);
    const warnings = await warnedOf(scope, 'skipped');
    expect(warnings).toContain('KubeFleet skips its approvals and waits');
    expect(warnings).toContain('empty 0 (skipped)');
  });
}, 90_000);

/** Starts a run that was initialized before one of its clusters left for no stage. */
async function startLate(scope: Scope, name: string): Promise<Ran> {
  const { plural } = kindIn('UpdateRun', scope);
  const patch = ['--type=merge', '-p', '{"spec":{"state":"Run"}}'];
  return kubectl(hub(), 'alice', ['patch', plural, name, ...within(scope), ...patch]);
}

async function label(ring: string): Promise<void> {
  const path = '/apis/cluster.kubernetes-fleet.io/v1beta1/memberclusters/us-1';
  expectStored(
    await hub()
      .api('admin')
      .patch(path, 'merge', { metadata: { labels: { ring } } }),
  );
}

test('journey: what is in flux is refused on a known version, and a warning on a newer one', async () => {
  await serve();
  await inBothScopes(async (scope) => {
    await put(scope, 'late', [stage('canary'), stage('production')]);
    const spec = { placementName: 'late', stagedRolloutStrategyName: 'late', state: 'Initialize' };
    const stdin = yamlOf(run(scope, 'late', spec));
    expect(await kubectl(hub(), 'alice', ['create', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
    await conditionOf(hub(), 'UpdateRun', scope, ['late', 'Initialized']);
  });
  await label('nowhere');
  await inBothScopes(async (scope) => {
    const refused = await startLate(scope, 'late');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('[run-plan-unchanged]');
  });
  await guard?.stop(5000);
  await installAgent('ghcr.io/kubefleet-dev/kubefleet/hub-agent:v0.9.0');
  expect(await serve()).toMatchObject({ version: 'v0.9.0', level: 'warn' });
  await inBothScopes(async (scope) => {
    const warned = await startLate(scope, 'late');
    expect(warned).toMatchObject({ code: 0 });
    expect(warned.stderr).toContain('KubeFleet v0.9.0 is newer than this guard knows');
  });
}, 120_000);
