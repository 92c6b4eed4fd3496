import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { startGuard } from '../harness/guard.js';
import { expectStored, programs } from '../harness/hub.js';
import { helm, kubectl } from '../harness/kubectl.js';
import { useHub } from '../harness/use-hub.js';
import { keyOf } from './argo-cd.js';
import { certManagerCrds } from './cert-manager.js';
import { chart, namespace, objectsOf, rendered, valuesFlags } from './rendered.js';

const hub = useHub();
const root = join(import.meta.dirname, '..', '..', '..');

beforeAll(async () => {
  const restricted = Object.fromEntries(
    ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
  );
  const admin = hub().api('admin');
  expectStored(await admin.patch(`/api/v1/namespaces/${namespace}`, 'merge', { metadata: { labels: restricted } }));
  for (const crd of certManagerCrds) {
    expectStored(await admin.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd));
  }
  await eventually('cert-manager is served', async () => {
    const { status } = await admin.get('/apis/cert-manager.io/v1/certificates');
    return status === 200 || undefined;
  });
}, 30_000);

interface Workload {
  readonly metadata: Json;
  readonly spec: { readonly template: { readonly metadata: Json; readonly spec: Json } };
}

/** The account of a pod is there only as a dry run. */
async function tryPod(metadata: Json, spec: Json): Promise<Answer> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await hub().api('admin').create(`/api/v1/namespaces/${namespace}/serviceaccounts`, account);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, serviceAccountName: 'default' } };
  return hub().api('admin').create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
}

async function expectPod(metadata: Json, spec: Json): Promise<void> {
  const { status, warnings, body } = await tryPod(metadata, spec);
  expect({ status, warnings, message: body['message'] }).toEqual({ status: 201, warnings: [], message: undefined });
}

/** All of it is stored by the API server, as a dry run and without a warning, and so are the pods that come of it. */
async function expectAccepted(yaml: string): Promise<void> {
  const { code, stderr } = await kubectl(hub(), 'admin', ['apply', '--server-side', '--dry-run=server', '-f', '-'], {
    stdin: yaml,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const workloads = objectsOf(yaml).filter(({ kind }) => kind === 'Deployment') as unknown as readonly Workload[];
  for (const { spec } of workloads) {
    await expectPod({ ...spec.template.metadata, name: 'pod' }, spec.template.spec);
  }
}

async function expectAllAccepted(yaml: string): Promise<void> {
  const all = objectsOf(yaml);
  const others = all.filter(({ kind }) => kind !== 'Pod');
  await expectAccepted(others.map((object) => JSON.stringify(object)).join('\n---\n'));
  for (const { metadata, spec } of all.filter(({ kind }) => kind === 'Pod')) {
    await expectPod({ ...(metadata as Json), name: 'test' }, spec as Json);
  }
}

/** A bundle must hold a certificate; that of the API server will do. */
const realBundle = (): string => readFileSync(join(hub().folder, 'keys', 'apiserver.crt')).toString('base64');

const sets: Readonly<Record<string, () => object>> = {
  'nothing set': () => ({}),
  'cert-manager': () => ({ certificates: { mode: 'cert-manager' } }),
  'a Secret that is there': () => ({
    certificates: { mode: 'provided', secretName: 'mine' },
    webhook: { caBundle: realBundle() },
  }),
  'a guard outside the cluster': () => ({ webhook: { url: 'https://guard.example.com:8443/' } }),
  'a guard outside the cluster that is yet to start': () => ({
    webhook: { url: 'https://guard.example.com:8443', inForce: false },
  }),
  'a short drain, by name': () => ({ drainSeconds: 0, acceptedRisks: ['short-drain'] }),
  'one replica, by name': () => ({ replicaCount: 1, acceptedRisks: ['one-replica'] }),
  'kinds that are not served': () => ({ notServedKinds: ['resourceplacements', 'clusterresourceplacementevictions'] }),
  'every other value': () => ({
    image: { repository: 'mirror.example.com/stageguard', digest: `sha256:${'0'.repeat(64)}`, pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'pull' }],
    config: { rules: { 'strategy-stages-disjoint': 'warn' }, message: { footer: 'Ask #platform.' } },
    hubAgent: { users: ['system:serviceaccount:not-there-yet:other-hub-agent-sa', 'somebody@example.com'] },
    serviceAccount: { name: 'guard', annotations: { a: 'b' } },
    service: { port: 8443 },
    logLevel: 'debug',
    drainSeconds: 5,
    priorityClassName: '',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    podAnnotations: { a: 'b' },
    podLabels: { c: 'd' },
    networkPolicy: { metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }] },
  }),
  'no NetworkPolicy, and a namespace': () => ({ networkPolicy: { enabled: false }, namespace: { create: true } }),
};

describe('the chart is accepted by helm lint and by the API server with', () => {
  test.each(Object.entries(sets))('%s', async (_name, values) => {
    const yaml = await rendered(values());
    // Of two objects with one name, hooks of Helm included, Argo CD keeps the last.
    const keys = objectsOf(yaml).map(keyOf);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    await expectAllAccepted(yaml);
    const lint = ['lint', '--strict', chart, '--namespace', namespace, ...valuesFlags];
    const { code, stdout } = await helm(hub(), lint, { stdin: JSON.stringify(values()) });
    expect(`${code} ${stdout}`).toContain('0 chart(s) failed');
  });

  test.each<[string, (pod: Json, container: Json) => readonly [Json, Json]]>([
    ['runs as root', (pod, container) => [{ ...pod, securityContext: { runAsNonRoot: false } }, container]],
    ['may gain rights', (pod, container) => [pod, { ...container, securityContext: {} }]],
    ['sees the node', (pod, container) => [{ ...pod, hostNetwork: true }, container]],
  ])('and no pod that %s would be', async (_name, spoil) => {
    const [workload] = objectsOf(await rendered({})).filter(({ kind }) => kind === 'Deployment');
    const { spec } = (workload as unknown as Workload).spec.template;
    const [container = {}] = spec['containers'] as readonly Json[];
    const [pod, spoilt] = spoil(spec, container);
    const { status, body } = await tryPod({ name: 'spoilt' }, { ...pod, containers: [spoilt] });
    expect(`${status} ${String(body['message'])}`).toContain('403 pods "spoilt" is forbidden: violates PodSecurity');
  });
});

describe('deploy/ is accepted by the API server', () => {
  test.each(['stageguard.yaml', 'stageguard-cert-manager.yaml'])('kubectl apply -f %s', async (file) => {
    await expectAccepted(readFileSync(join(root, 'deploy', file), 'utf8'));
  });

  test.each(['self', 'cert-manager'])('kubectl apply -k overlays/%s', async (overlay) => {
    const folder = join(root, 'deploy', 'kustomize', 'overlays', overlay);
    const { code, stderr } = await kubectl(hub(), 'admin', [
      'apply',
      '--server-side',
      '--dry-run=server',
      '-k',
      folder,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expectAccepted((await kubectl(hub(), 'admin', ['kustomize', folder])).stdout);
  });

  test('and is what `npm run manifests` writes', async () => {
    // By a variable, since it has no types.
    const tool: string = join(root, 'tools', 'manifests.mjs');
    const { renderManifests } = (await import(tool)) as {
      renderManifests: (helm: string) => Promise<ReadonlyMap<string, string>>;
    };
    const files = await renderManifests(programs.helm);
    expect(files.size).toBe(10);
    for (const [path, text] of files) expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  });
});

describe('after an install, Helm prints a first check', () => {
  test.each<[string, object, string | undefined]>([
    ['that must be refused', {}, 'must refuse it'],
    ['that must be warned of', { config: { rules: { 'strategy-stages-present': 'warn' } } }, 'must warn of it'],
    ['only where it would prove something', { config: { rules: { 'strategy-stages-present': 'off' } } }, undefined],
  ])('%s', async (_name, values, expected) => {
    const args = ['install', 'stageguard', chart, '--namespace', namespace, '--dry-run=server', ...valuesFlags];
    const { stdout } = await helm(hub(), args, { stdin: JSON.stringify(values) });
    const [, notes = ''] = stdout.split('\nNOTES:\n');
    expect(notes).toContain('The brake');
    expect(/must [a-z ]+/.exec(notes)?.[0]).toBe(expected);
    expect(notes.includes('kubectl create --dry-run=server')).toBe(expected !== undefined);
  });
});

test('a guard becomes ready also where the hub has come to serve a kind that the chart was told it does not', async () => {
  const guard = await startGuard(hub(), { notServedKinds: ['resourceplacements'] });
  await guard.stop();
  expect(hub().forbidden()).toEqual([]);
}, 90_000);
