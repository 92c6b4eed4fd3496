import { beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { alerts } from '../../../src/cli/generate/monitoring/alerts.js';
import { metricDefinitions } from '../../../src/http/metric-definitions.js';
import { eventually } from '../harness/eventually.js';
import { expectStored } from '../harness/hub.js';
import { kubectl, paste } from '../harness/kubectl.js';
import { pathOf } from '../harness/paths.js';
import { useGuardedHub } from '../harness/use-guarded-hub.js';
import { bothScopes, joinMembers, placement, run, scheduled, stage, strategy, yamlOf } from '../harness/world.js';
import { commandsOf } from '../install/documents.js';
import { objectsOf, rendered } from '../install/rendered.js';
import { labelled } from './alert-cases.js';
import { promtool, testRules, type Series } from './promtool.js';

const it = useGuardedHub({ watchesWebhooks: true, before: joinMembers });
let scrape = '';

/** A run that starts in each scope, a strategy that is refused, and a request that is no review. */
beforeAll(async () => {
  const { hub, guard } = it();
  const stages = [stage('canary'), stage('production')];
  for (const [, scope] of bothScopes) {
    const before = yamlOf(placement(scope, 'shop'), strategy(scope, 'shop', stages));
    expect(await kubectl(hub, 'alice', ['apply', '-f', '-'], { stdin: before })).toMatchObject({ code: 0 });
    await scheduled(hub, scope, 'shop');
    const spec = { placementName: 'shop', stagedRolloutStrategyName: 'shop' };
    expectStored(await hub.api('alice').create(pathOf('UpdateRun', scope), run(scope, 'shop', spec)));
    const answer = await hub.api('alice').create(pathOf('UpdateStrategy', scope), strategy(scope, 'none', []));
    expect(answer.status).toBe(403);
  }
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${guard.url}/validate`, { method: 'POST', body: '{}', headers, dispatcher });
  expect(answer.statusCode).toBe(400);
  await dispatcher.close();
  // The guard looks at its webhooks every few seconds.
  scrape = await eventually('it knows that it is in force', async () => {
    const text = await guard.metrics();
    return /^stageguard_webhooks_in_force\{configuration="mutating"\} 1$/m.test(text) ? text : undefined;
  });
}, 120_000);

const samples = (): readonly (readonly [series: string, value: string])[] =>
  [...scrape.matchAll(/^(stageguard_[^ ]*(?:\{.*\})?) (\S+)$/gm)].map(([, series = '', value = '']) => [series, value]);

const nameOf = (series: string): string => series.replace(/\{.*$/, '').replace(/_(bucket|sum|count)$/, '');

/** The metrics that an expression names. */
const namedIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/stageguard_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

async function dashboard(): Promise<Dashboard> {
  const objects = objectsOf(await rendered({ dashboard: { enabled: true } }));
  const found = objects.find(({ data }) => data !== undefined && 'stageguard.json' in (data as object));
  return JSON.parse((found?.['data'] as { 'stageguard.json': string })['stageguard.json']) as Dashboard;
}

test('what a guard tells after some traffic is what is defined, no more and no less, and is well formed', async () => {
  expect(new Set(samples().map(([series]) => nameOf(series)))).toEqual(new Set(Object.keys(metricDefinitions)));
  expect(await promtool(['check', 'metrics'], scrape)).toEqual({ code: 0, text: '' });
});

test('every metric that alerts and dashboard ask for is among them', async () => {
  const { panels } = await dashboard();
  const asked = [...alerts, ...panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) => namedIn(expr));
  const told = new Set(samples().map(([series]) => nameOf(series)));
  expect(asked.length).toBeGreaterThan(panels.length);
  expect(asked.filter((name) => !told.has(name))).toEqual([]);
});

test('every query of the dashboard finds something in it, as Prometheus evaluates it', async () => {
  const { panels } = await dashboard();
  const scraped = samples().map(([series, value]): Series => {
    const labels = { namespace: 'fleet-stageguard', job: 'stageguard', instance: '10.0.0.1:8444' };
    return { series: labelled(series, labels), values: `${value}x20` };
  });
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  const filled = ({ expr }: { expr: string }): string =>
    expr.replaceAll('$__rate_interval', '5m').replace(/\$(cluster|job)\b/g, '.*');
  const one = (expr: string): object => ({
    expr: `count(${expr}) > bool 0`,
    eval_time: '15m',
    exp_samples: [{ labels: '{}', value: 1 }],
  });
  const told = await testRules(
    [],
    queries.map((query) => ({
      name: query.title,
      interval: '1m',
      input_series: scraped,
      promql_expr_test: [one(filled(query))],
    })),
  );
  expect(told).toMatchObject({ code: 0, text: expect.stringContaining('SUCCESS') });
}, 60_000);

test('the runbook switches the guard off, and the metric of the alert says so', async () => {
  const { hub, guard } = it();
  const [off = ''] = commandsOf('operations.md', 'The guard off, and on again');
  expect(await paste(hub, 'admin', off)).toMatchObject({ code: 0 });
  const text = await eventually('it knows that it is out of force', async () => {
    const now = await guard.metrics();
    return /^stageguard_webhooks_in_force\{configuration="validating"\} 0$/m.test(now) ? now : undefined;
  });
  expect(text).toMatch(/^stageguard_webhooks_without_trust 0$/m);
  expectStored(await hub.api('alice').create(pathOf('UpdateStrategy', undefined), strategy(undefined, 'none', [])));
}, 60_000);
