import { beforeEach, describe, expect, test } from '@jest/globals';
import { hostOf } from '../../src/certificates/webhook-host.js';
import { Arming } from '../../src/hub/arming.js';
import { HubError, type Call, type HubCalls } from '../../src/hub/hub.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
import { until } from '../support/until.js';

const names = { namespace: 'fleet-stageguard', deployment: 'stageguard', role: 'stageguard-armed' };
const home = '/api/v1/namespaces/fleet-stageguard';
const deployment = '/apis/apps/v1/namespaces/fleet-stageguard/deployments/stageguard';
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/fleet-stageguard/rolebindings';
const binding = `${bindings}/stageguard-armed`;
const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/fleet-stageguard/roles/stageguard-armed';
const configuration = (phase: string): string =>
  `/apis/admissionregistration.k8s.io/v1/${phase}webhookconfigurations/stageguard`;

type Objects = Map<string, object>;
let objects: Objects;
let trusted: string;
/** What every call is refused with. */
let refusal: number | undefined;
let log: RecordingLog;

const service = { name: 'stageguard', namespace: 'fleet-stageguard' };
const webhooks = (caBundle?: string): object => ({ webhooks: [{ name: 'w', clientConfig: { caBundle, service } }] });
const available = (availableReplicas: number, more: object = {}): object => ({
  kind: 'Deployment',
  metadata: { uid: 'u1', ...more },
  spec: { replicas: 2 },
  status: { availableReplicas },
});

beforeEach(() => {
  trusted = 'ca';
  refusal = undefined;
  log = new RecordingLog();
  objects = new Map([
    [home, { kind: 'Namespace', metadata: {} }],
    [deployment, available(1)],
    [role, {}],
    [configuration('validating'), webhooks('ca')],
    [configuration('mutating'), webhooks('ca')],
  ]);
});

const hub: HubCalls = {
  call({ path, method = 'GET', body }: Call) {
    if (refusal !== undefined) return Promise.reject(new HubError(refusal, 'as it is'));
    if (path.endsWith('/selfsubjectreviews')) {
      return Promise.resolve({ status: { userInfo: { username: 'system:serviceaccount:fleet-stageguard:guard' } } });
    }
    if (path.endsWith('/selfsubjectaccessreviews')) {
      return Promise.resolve({ status: { allowed: objects.has(role) && objects.has(binding) } });
    }
    const stored = objects.get(path);
    if (method === 'POST') {
      objects.set(`${path}/stageguard-armed`, body as object);
      return Promise.resolve(body);
    }
    if (stored === undefined) return Promise.reject(new HubError(404, 'not found'));
    if (method === 'DELETE') objects.delete(path);
    return Promise.resolve(stored);
  },
};

function start(clock = scaledClock(1000)): Arming {
  const isTrusted = (caBundle: string, client: unknown): Promise<boolean> =>
    Promise.resolve(caBundle === trusted && hostOf(client) === 'stageguard.fleet-stageguard.svc');
  const arming = new Arming({ hub, names, isTrusted, log, clock });
  arming.start();
  return arming;
}

const said = (): readonly string[] => log.lines.map(({ level, message }) => `${level}: ${message}`);

const isArmed = (): boolean => objects.has(binding);

/** Long enough for many rounds of the scaled clock. */
const someTime = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

describe('the webhooks come into force', () => {
  test('when the guard can answer, by a binding that goes with the Deployment', async () => {
    const arming = start();
    await until(isArmed);
    expect(objects.get(binding)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Deployment', name: 'stageguard', uid: 'u1' }] },
      roleRef: { kind: 'Role', name: 'stageguard-armed' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'fleet-stageguard', name: 'guard' }],
    });
    await arming.leave();
  });

  test.each<[string, () => void, () => void]>([
    [
      'while no replica is available',
      () => objects.set(deployment, available(0)),
      () => objects.set(deployment, available(1)),
    ],
    [
      'while one has no caBundle',
      () => objects.set(configuration('mutating'), webhooks()),
      () => objects.set(configuration('mutating'), webhooks('ca')),
    ],
    ['while a caBundle does not fit', () => void (trusted = 'other'), () => void (trusted = 'ca')],
    [
      'while a configuration is missing',
      () => objects.delete(configuration('validating')),
      () => objects.set(configuration('validating'), webhooks('ca')),
    ],
  ])('but not %s', async (_name, spoil, repair) => {
    spoil();
    const arming = start();
    await someTime();
    expect(isArmed()).toBe(false);
    repair();
    await until(isArmed);
    await arming.leave();
  });

  test('but not before API servers that hear late can know the caBundle', async () => {
    objects.set(configuration('mutating'), webhooks());
    const clock = scaledClock(100);
    const arming = start(clock);
    await someTime();
    const since = clock.now();
    objects.set(configuration('mutating'), webhooks('ca'));
    await until(isArmed);
    expect(clock.now() - since).toBeGreaterThanOrEqual(5_000);
    await arming.leave();
  });

  test('by a binding of their own where one of an older Deployment is left', async () => {
    objects.set(binding, { metadata: { ownerReferences: [{ uid: 'u0' }] } });
    const arming = start();
    await until(() => JSON.stringify(objects.get(binding)).includes('"u1"'));
    await arming.leave();
  });

  test('by a binding of their own where one of another account is left', async () => {
    const subjects = [{ kind: 'ServiceAccount', namespace: 'fleet-stageguard', name: 'before' }];
    objects.set(binding, { metadata: { ownerReferences: [{ uid: 'u1' }] }, subjects });
    const arming = start();
    await until(() => JSON.stringify(objects.get(binding)).includes('"guard"'));
    await arming.leave();
  });

  test('but a replica that is to be replaced leaves that to one with the account of now', async () => {
    const template = { spec: { serviceAccountName: 'after' } };
    objects.set(deployment, { ...available(1), spec: { replicas: 2, template } });
    const arming = start();
    await someTime();
    expect(isArmed()).toBe(false);
    await arming.leave();
  });

  test('again where somebody took the binding away', async () => {
    const arming = start();
    await until(() => said().includes('info: the webhooks are in force'));
    objects.delete(binding);
    await until(isArmed);
    await arming.leave();
  });

  test('but not again while the guard is uninstalled: the binding goes first, the Deployment a little later', async () => {
    const arming = start();
    await until(() => said().includes('info: the webhooks are in force'));
    // The pre-delete hook of the chart puts one without subjects in its place.
    objects.set(binding, { metadata: {}, subjects: [] });
    await until(() => said().includes('warn: the webhooks are not in force'));
    objects.delete(binding);
    objects.set(deployment, available(1, { deletionTimestamp: 'x' }));
    await someTime();
    expect(isArmed()).toBe(false);
    await arming.leave();
  });
});

describe('the guard says that they are in force', () => {
  test('when the API server lets it answer, and once', async () => {
    const arming = start();
    await until(() => said().length > 0);
    await someTime();
    await arming.leave();
    expect(said()).toEqual(['info: the webhooks are in force']);
  });

  test('but not by the binding alone: the Role may be missing', async () => {
    objects.delete(role);
    const arming = start();
    await until(() => said().length > 0);
    expect(isArmed()).toBe(true);
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      message: 'the webhooks are not in force',
      fields: {
        because: 'Role stageguard-armed is bound to the guard, but it is missing or empty; is the brake pulled?',
      },
    });
    objects.set(role, {});
    await until(() => said().includes('info: the webhooks are in force'));
    await arming.leave();
  });
});

describe('the webhooks go out of force when a guard ends', () => {
  test.each<[string, () => void]>([
    [
      'because the namespace is deleted',
      () => objects.set(home, { kind: 'Namespace', metadata: { deletionTimestamp: 'x' } }),
    ],
    ['because the Deployment is deleted', () => objects.delete(deployment)],
    [
      'because the Deployment is being deleted',
      () => objects.set(deployment, available(1, { deletionTimestamp: 'x' })),
    ],
    ['because the Deployment is scaled down', () => objects.set(deployment, { spec: { replicas: 0 } })],
  ])('%s', async (_name, change) => {
    const arming = start();
    await until(isArmed);
    change();
    expect(await arming.leave()).toBe(true);
    expect(isArmed()).toBe(false);
  });

  test('and by one guard where several do', async () => {
    const arming = start();
    await until(isArmed);
    objects.delete(deployment);
    objects.delete(binding);
    expect(await arming.leave()).toBe(true);
  });

  test.each([
    [401, true],
    [403, true],
    [500, false],
  ])('or have gone with its account, where it is answered %i: %s', async (status, isForGood) => {
    const arming = start();
    await until(isArmed);
    refusal = status;
    expect(await arming.leave()).toBe(isForGood);
  });

  test('but not when it is only restarted', async () => {
    const arming = start();
    await until(isArmed);
    expect(await arming.leave()).toBe(false);
    expect(isArmed()).toBe(true);
  });
});
