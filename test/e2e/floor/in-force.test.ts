import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer, Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { startGuard, type Guard } from '../harness/guard.js';
import { expectStored } from '../harness/hub.js';
import { startHubAgent, type HubAgent } from '../harness/hub-agent.js';
import { kubectl } from '../harness/kubectl.js';
import { headOf, pathOf, type Scope } from '../harness/paths.js';
import { useHub } from '../harness/use-hub.js';
import type { User } from '../harness/users.js';
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
} from '../harness/world.js';

const hub = useHub();
let guard: Guard | undefined;
let agent: HubAgent | undefined;
const scopes = bothScopes.map(([, scope]) => scope);
const gate = 'release-after-canary';
const stages = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];

beforeAll(async () => {
  guard = await startGuard(hub(), { withFloor: true });
  agent = startHubAgent(hub());
  await joinMembers(hub());
  await Promise.all(scopes.map(start));
}, 120_000);
afterAll(async () => {
  await agent?.stop();
  await guard?.stop();
});

/** A run that waits at its gate. */
async function start(scope: Scope): Promise<void> {
  const before = yamlOf(placement(scope, 'release'), strategy(scope, 'release', stages));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin: before })).toMatchObject({ code: 0 });
  await scheduled(hub(), scope, 'release');
  const stdin = yamlOf(run(scope, 'release', { placementName: 'release', stagedRolloutStrategyName: 'release' }));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
  await eventually('the run has noted its request', async () => {
    const { body } = await hub()
      .api('admin')
      .get(pathOf('UpdateRun', scope, 'release'));
    return JSON.stringify(body).includes('ApprovalRequestCreated') || undefined;
  });
}

const condition = (type: string): object => ({
  type,
  status: 'True',
  reason: 'ok',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-02T03:04:05Z',
});

/** What opens a gate or ends a run without anybody having approved. */
const forgeries: Readonly<Record<string, { readonly user: User; readonly send: (scope: Scope) => Promise<Answer> }>> = {
  'approval-conditions': {
    user: 'alice',
    send: (scope) =>
      hub()
        .api('alice')
        .patch(pathOf('ApprovalRequest', scope, `${gate}/status`), 'json', [
          { op: 'add', path: '/status/conditions/-', value: condition('ApprovalAccepted') },
        ]),
  },
  'approval-created-by-controller': {
    user: 'alice',
    send: (scope) =>
      hub()
        .api('alice')
        .create(pathOf('ApprovalRequest', scope), {
          ...headOf('ApprovalRequest', scope),
          metadata: { name: 'other-after-canary' },
          spec: { parentStageRollout: 'other', targetStage: 'canary' },
        }),
  },
  'run-status-owner': {
    user: 'admin',
    send: (scope) =>
      hub()
        .api('admin')
        .patch(pathOf('UpdateRun', scope, 'release/status'), 'merge', {
          status: { conditions: [condition('Succeeded')] },
        }),
  },
};

const broken = (scope: Scope, version = 'v1beta1'): Json => ({
  ...headOf('UpdateStrategy', scope, version),
  metadata: { name: 'broken' },
  spec: {
    stages: [
      { name: 'canary', labelSelector: {}, afterStageTasks: [{ type: 'TimedWait', waitTime: '0.5s' }] },
      { name: 'canary', labelSelector: {}, maxConcurrency: 3_000_000_000 },
    ],
  },
});

function tryStrategy(scope: Scope, object: Json, version = 'v1beta1'): Promise<Answer> {
  return hub()
    .api('alice')
    .create(`${pathOf('UpdateStrategy', scope, '', version)}?dryRun=All`, object);
}

const messageOf = ({ body }: Answer): string => String(body['message']);

test('while the guard is in force its whole answer is seen, with every finding', async () => {
  for (const scope of scopes) {
    const answer = await tryStrategy(scope, broken(scope));
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain('admission webhook "strategies.validate.stageguard.io" denied the request');
    for (const rule of ['strategy-wait-time', 'strategy-stage-names-unique', 'strategy-max-concurrency']) {
      expect(messageOf(answer)).toContain(`[${rule}]`);
    }
  }
});

test('with every guard killed, forged gates and forged status are refused, and the hub agent goes on', async () => {
  await agent?.stop();
  for (const scope of scopes) {
    const approved = { status: { conditions: [condition('Approved')] } };
    expect(
      await hub()
        .api('alice')
        .patch(pathOf('ApprovalRequest', scope, `${gate}/status`), 'merge', approved),
    ).toMatchObject({ status: 200 });
  }
  await guard?.kill();
  for (const scope of scopes) {
    for (const [rule, { send }] of Object.entries(forgeries)) {
      const answer = await send(scope);
      expect({ rule, status: answer.status, message: messageOf(answer) }).toEqual({
        rule,
        status: 403,
        message: expect.stringContaining(
          `ValidatingAdmissionPolicy 'stageguard-${rule}' with binding 'stageguard-${rule}' denied request: [${rule}] `,
        ),
      });
    }
  }
  agent = startHubAgent(hub());
  for (const scope of scopes) await conditionOf(hub(), 'UpdateRun', scope, ['release', 'Succeeded']);
  expect(agent.refusals()).toEqual([]);
}, 120_000);

test("armed but down, the guard's own hooks refuse what the floor leaves to it", async () => {
  for (const scope of scopes) {
    expect(messageOf(await tryStrategy(scope, broken(scope)))).toContain(
      'failed calling webhook "strategies.validate.stageguard.io"',
    );
  }
});

/** What is stored already keeps nobody from stopping a run. */
async function stopsWithBadIndex(scope: Scope): Promise<void> {
  const setSpec = (spec: object, query = ''): Promise<Answer> =>
    hub()
      .api('alice')
      .patch(`${pathOf('UpdateRun', scope, 'release')}${query}`, 'merge', { spec });
  for (const resourceSnapshotIndex of [null, '01']) expectStored(await setSpec({ resourceSnapshotIndex }));
  expectStored(await setSpec({ state: 'Stop' }, '?dryRun=All'));
}

test('out of force, the floor judges the shape of strategies and runs', async () => {
  const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/fleet-stageguard/rolebindings/stageguard-armed';
  expect(await hub().api('admin').delete(bindings)).toMatchObject({ status: 200 });
  await eventually(
    'the guard is out of force',
    async () =>
      messageOf(await tryStrategy(undefined, broken(undefined))).includes('ValidatingAdmissionPolicy') || undefined,
  );
  for (const scope of scopes) {
    const answer = await tryStrategy(scope, broken(scope));
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toMatch(/denied request: \[strategy-[-a-z]+\] stage "canary": /);
    expect(await tryStrategy(scope, strategy(scope, 'sound'))).toMatchObject({ status: 201 });
    const index = { placementName: 'release', stagedRolloutStrategyName: 'release', resourceSnapshotIndex: '01' };
    const ran = await hub()
      .api('alice')
      .create(`${pathOf('UpdateRun', scope)}?dryRun=All`, run(scope, 'again', index));
    expect(messageOf(ran)).toContain('[run-snapshot-index] ');
    // The brake always works.
    await stopsWithBadIndex(scope);
    const stop = [{ op: 'add', path: '/metadata/labels', value: { noted: 'yes' } }];
    expect(
      await hub()
        .api('alice')
        .patch(pathOf('UpdateRun', scope, 'release'), 'json', stop),
    ).toMatchObject({ status: 200 });
    expect(
      await hub()
        .api('alice')
        .delete(`${pathOf('UpdateRun', scope, 'release')}?dryRun=All`),
    ).toMatchObject({ status: 200 });
  }
  const alpha = await tryStrategy(
    undefined,
    { ...strategy(undefined, 'alpha'), ...headOf('UpdateStrategy', undefined, 'v1alpha1') },
    'v1alpha1',
  );
  expect(messageOf(alpha)).toContain('[run-api-version] ');
});

function floorCheck(): { readonly status: number | null; readonly stdout: string } {
  const program = join(hub().folder, 'stageguard.mjs');
  const args = [program, 'floor', '--check', '--kubeconfig', hub().kubeconfig('admin')];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

test('stageguard floor --check tells what has been changed, and the second handle takes it all away', async () => {
  expect(floorCheck()).toMatchObject({ status: 0, stdout: expect.stringContaining('in force and unchanged') });
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const soft = { spec: { validationActions: ['Audit'] } };
  expect(await hub().api('admin').patch(`${bindings}/stageguard-approval-conditions`, 'merge', soft)).toMatchObject({
    status: 200,
  });
  expect(await hub().api('admin').delete(`${bindings}/stageguard-strategy-wait-time`)).toMatchObject({ status: 200 });
  const { status, stdout } = floorCheck();
  expect(status).toBe(1);
  expect(stdout).toMatch(/stageguard-approval-conditions +changed/);
  expect(stdout).toMatch(/stageguard-strategy-wait-time +missing/);
  const handle = ['delete', 'validatingadmissionpolicybindings', '-l', 'app.kubernetes.io/name=stageguard'];
  expect(await kubectl(hub(), 'admin', handle)).toMatchObject({ code: 0 });
  await eventually(
    'the floor is out of force',
    async () => (await tryStrategy(undefined, broken(undefined))).status === 201 || undefined,
  );
});
