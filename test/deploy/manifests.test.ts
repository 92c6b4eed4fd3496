import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { addListenOptions } from '../../src/cli/options/listen-options.js';
import { defaultDrainIdle } from '../../src/guard/serving/live-guard.js';
import { leaveMilliseconds } from '../../src/hub/arming.js';

/** What a stand-in for a node does not enforce, and a dry run does not ask for. */
const file = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'stageguard.yaml'), 'utf8');
const objects = parseAllDocuments(file).map((document) => document.toJS() as { kind: string; spec: unknown });

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly object[];
  readonly readinessProbe: object;
  readonly livenessProbe: object;
  readonly resources: object;
  readonly securityContext: object;
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints: readonly { readonly topologyKey: string; readonly labelSelector: object }[];
  readonly securityContext: object;
  readonly containers: readonly [Container];
}

interface DeploymentSpec {
  readonly replicas: number;
  readonly strategy: object;
  readonly selector: object;
  readonly template: { readonly spec: PodSpec };
}

const specOf = (kind: string): unknown => objects.find((object) => object.kind === kind)?.spec;
const deployment = specOf('Deployment') as DeploymentSpec;
const pod = deployment.template.spec;
const [container] = pod.containers;

test('two pods, replaced one by one and kept apart, of which one may be away', () => {
  expect(deployment.replicas).toBe(2);
  expect(deployment.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  expect(specOf('PodDisruptionBudget')).toEqual({
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: deployment.selector,
  });
  expect(pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
  ]);
  for (const { labelSelector } of pod.topologySpreadConstraints) expect(labelSelector).toEqual(deployment.selector);
});

test('nothing is written to its file system, nobody is root, and memory is bounded', () => {
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources).toMatchObject({ requests: { cpu: '100m' }, limits: { memory: '512Mi' } });
});

test('it is asked whether it is ready and alive, at the port that it listens on', () => {
  expect(container.args).toEqual(expect.arrayContaining(['--port=8443', '--metrics-port=8444']));
  expect(container.ports).toEqual([
    { name: 'webhook', containerPort: 8443 },
    { name: 'metrics', containerPort: 8444 },
  ]);
  const at = (path: string): object => ({ httpGet: { path, port: 'webhook', scheme: 'HTTPS' } });
  expect(container.readinessProbe).toMatchObject(at('/readyz'));
  expect(container.livenessProbe).toMatchObject(at('/healthz'));
});

test('reviews come in from anywhere, metrics are read by pods, and nothing that goes out is held up', () => {
  expect(specOf('NetworkPolicy')).toEqual({
    podSelector: deployment.selector,
    policyTypes: ['Ingress'],
    ingress: [{ ports: [{ port: 'webhook' }] }, { ports: [{ port: 'metrics' }], from: [{ namespaceSelector: {} }] }],
  });
});

test('a pod has the time to end that its guard may take for it, and some more', () => {
  const flag = container.args.find((arg) => arg.startsWith('--drain='));
  const drain = Number(/^--drain=(\d+)s$/.exec(flag ?? '')?.[1]);
  const { drainLimit } = addListenOptions(new Command()).opts<{ readonly drainLimit: number }>();
  const needed = leaveMilliseconds / 1000 + drain + (defaultDrainIdle + drainLimit) / 1000;
  const margin = 5;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed + margin);
});
