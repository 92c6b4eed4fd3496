import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load.js';
import { objectsOf, rendered, template } from './rendered.js';

const caBundle = Buffer.from('a certificate').toString('base64');

describe('the chart refuses', () => {
  test.each<[string, object, string]>([
    ['one replica', { replicaCount: 1 }, 'replicaCount is 1: whenever its only pod is away'],
    ['a short drain', { drainSeconds: 2 }, 'drainSeconds is 2: it takes seconds until nobody sends to a pod'],
    ['pods out of force', { webhook: { inForce: false } }, "the guard's own pods put the webhooks in force"],
    ['no replica', { replicaCount: 0 }, "at '/replicaCount': minimum: got 0, want 1"],
    ['a value it does not know', { replicas: 3 }, "additional properties 'replicas' not allowed"],
    ['an unknown mode', { certificates: { mode: 'vault' } }, "at '/certificates/mode': value must be one of"],
    ['a Secret without a bundle', { certificates: { mode: 'provided', secretName: 'x' } }, 'and webhook.caBundle to'],
    ['a bundle where one is made', { webhook: { caBundle } }, 'certificates.mode is self, which brings its own'],
    ['plain HTTP', { webhook: { url: 'http://guard.example.com' } }, "at '/webhook/url': 'http://guard.example.com'"],
    ['an unknown rule', { config: { rules: { 'run-has-cluster': 'warn' } } }, "invalid propertyName 'run-has-cluster'"],
    ['an unknown mode of a rule', { config: { rules: { 'run-deleted': 'no' } } }, "at '/config/rules/run-deleted'"],
    ['the hub agent in two places', { config: { hubAgent: { users: ['x'] } } }, 'set hubAgent.users instead'],
    ['no hub agent', { hubAgent: { users: [] } }, "at '/hubAgent/users': minItems"],
    ['an unknown risk', { acceptedRisks: ['everything'] }, "at '/acceptedRisks/0': value must be one of"],
  ])('%s', async (_name, values, line) => {
    const { isGood, stderr } = await template(values);
    expect(isGood).toBe(false);
    expect(stderr).toContain(line);
  });

  test('a namespace where hubs forbid pods, unless told that this hub allows them', async () => {
    const values = { acceptedRisks: ['namespace-without-pods'] };
    const { stderr } = await template({}, ['--namespace', 'guards']);
    expect(stderr).toContain('namespace guards: KubeFleet hubs forbid pods outside of namespaces that begin with');
    expect((await template(values, ['--namespace', 'guards'])).isGood).toBe(true);
    expect((await template({}, ['--namespace', 'kube-guards'])).isGood).toBe(true);
  });

  test('a Kubernetes without matchConditions', async () => {
    const { stderr } = await template({}, ['--kube-version', '1.29.4']);
    expect(stderr).toContain('chart requires kubeVersion: >=1.30.0-0');
  });
});

test('an off without quotes, which is false for Helm, is one for the guard as well', async () => {
  const objects = objectsOf(await rendered('config:\n  concurrency: off\n  rules:\n    run-removes-clusters: off\n'));
  const [settings] = objects.filter(
    ({ kind, data }) => kind === 'ConfigMap' && JSON.stringify(data).includes('config.yaml'),
  );
  const { data } = settings as unknown as { readonly data: { readonly 'config.yaml': string } };
  const config = loadConfig(data['config.yaml'], { file: 'config.yaml', ruleIds: ['run-removes-clusters'] });
  expect(config).toMatchObject({ concurrency: 'off', rules: { 'run-removes-clusters': 'off' } });
});

interface Webhooks {
  readonly webhooks?: readonly { readonly rules: readonly { readonly resources: readonly string[] }[] }[];
}

test('kinds that a hub does not serve are in no webhook', async () => {
  const notServedKinds = ['resourceplacements', 'approvalrequests', 'clusterresourceplacementevictions'];
  const objects = objectsOf(await rendered({ notServedKinds })) as readonly Webhooks[];
  const rules = objects.flatMap(({ webhooks = [] }) => webhooks.flatMap((webhook) => webhook.rules));
  const resources = rules.flatMap((rule) => rule.resources.map((resource) => resource.split('/')[0]));
  expect(resources).toContain('clusterapprovalrequests');
  expect(resources.filter((resource) => notServedKinds.includes(resource ?? ''))).toEqual([]);
  expect(JSON.stringify(objects)).not.toContain('evictions.validate');
});
