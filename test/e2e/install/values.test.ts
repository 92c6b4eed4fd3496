import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load.js';
import { objectsOf, rendered, template } from './rendered.js';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const caBundle = Buffer.from('a certificate').toString('base64');

describe('the chart refuses', () => {
  test.each<[string, object, string]>([
    ['no image', { image: { repository: '' } }, 'image.repository is empty: no pod could start'],
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
    ['a default taken out', { hubAgent: null }, "at '': missing property 'hubAgent'"],
    ['a default taken out inside', { service: { port: null } }, "at '/service': missing property 'port'"],
    ['the port of the metrics', { service: { port: 8444 } }, 'service.port is 8444: that is the port of the metrics'],
    [
      'a label of its own',
      { podLabels: { 'app.kubernetes.io/name': 'x' } },
      'app.kubernetes.io/name is set by the chart',
    ],
    [
      'settings for a guard that reads its own',
      { webhook: { url: 'https://guard.example.com' }, config: { concurrency: 'compatible' } },
      'config is set, but the guard at webhook.url reads a config file of its own',
    ],
    ['names of clients without a CA', { clientNames: ['kube-apiserver'] }, 'clientNames is set, but clientCa is empty'],
    ['a CA that is none', { clientCa: 'kube-ca' }, 'clientCa holds no certificate in PEM'],
    [
      'a name that is two',
      { clientCa: pem, clientNames: ['a,b'] },
      "at '/clientNames/0': 'a,b' does not match pattern",
    ],
    [
      'a CA for a guard that has its own',
      { webhook: { url: 'https://guard.example.com' }, clientCa: pem },
      'clientCa is set, but the guard at webhook.url is told by itself whom to answer',
    ],
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

  test.each(['a.b', '123'])('a release name after which no Service can be named: %s', async (name) => {
    const { stderr } = await template({}, ['--name-template', name]);
    expect(stderr).toContain(`release name ${name}: objects are named after it`);
  });

  test('a Kubernetes without matchConditions', async () => {
    const { stderr } = await template({}, ['--kube-version', '1.29.4']);
    expect(stderr).toContain('chart requires kubeVersion: >=1.30.0-0');
  });
});

test('no image needs a name where no pods are wanted', async () => {
  const values = { image: { repository: '' }, webhook: { url: 'https://guard.example.com' } };
  expect((await template(values)).isGood).toBe(true);
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

test('who may ask is told to the guard and to the network', async () => {
  const webhookFrom = [{ ipBlock: { cidr: '192.0.2.0/24' } }];
  const objects = objectsOf(
    await rendered({ clientCa: pem, clientNames: ['kube-apiserver', 'other'], networkPolicy: { webhookFrom } }),
  ) as unknown as readonly Placed[];
  const [settings] = objects.filter(({ kind, data }) => kind === 'ConfigMap' && data?.['client-ca.crt'] !== undefined);
  expect(settings?.data?.['client-ca.crt']).toBe(pem);
  expect(objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers[0].args).toEqual(
    expect.arrayContaining(['--client-ca=/etc/stageguard/config/client-ca.crt', '--client-names=kube-apiserver,other']),
  );
  expect(objects.find(({ kind }) => kind === 'NetworkPolicy')?.spec?.ingress?.[0]).toEqual({
    ports: [{ port: 'webhook' }],
    from: webhookFrom,
  });
});

/** What is asked of objects above. */
interface Placed {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly ingress?: readonly object[];
    readonly template?: { readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] } };
  };
}

test('users of any name are taken: they are quoted', async () => {
  const users = ["o'brien@example.com", 'CORP\\hub agent', 'system:serviceaccount:ns:123'];
  const yaml = await rendered({ hubAgent: { users } });
  expect(yaml).toContain('"123"');
  const expressions = [...JSON.stringify(objectsOf(yaml)).matchAll(/username in (\[.*?\])\)/g)].map(([, list]) => list);
  expect(new Set(expressions)).toContain(JSON.stringify(JSON.stringify(users)).slice(1, -1));
});

describe('helm test', () => {
  const isTested = async (values: object): Promise<boolean> =>
    objectsOf(await rendered(values)).some(({ kind }) => kind === 'Pod');

  test.each<[string, object, boolean]>([
    ['is there', {}, true],
    ['is there where the guard only warns', { config: { rules: { 'strategy-stages-present': 'warn' } } }, true],
    ['is not there where it says nothing', { config: { rules: { 'strategy-stages-present': 'off' } } }, false],
    ['is not there where it is not asked', { notServedKinds: ['clusterstagedupdatestrategies'] }, false],
  ])('%s', async (_name, values, expected) => {
    expect(await isTested(values)).toBe(expected);
  });
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
