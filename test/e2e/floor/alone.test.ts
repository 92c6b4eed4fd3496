import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { kindOfResource } from '../../../src/fleet/kinds.js';
import type { Answer } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { bundleIn } from '../harness/guard.js';
import { expectStored } from '../harness/hub.js';
import { kubectl } from '../harness/kubectl.js';
import { headOf, pathOf, type Scope } from '../harness/paths.js';
import { useHub } from '../harness/use-hub.js';
import { users } from '../harness/users.js';
import { commandsOf } from '../install/documents.js';
import { floorRuleIn } from './installed.js';
import { storedConditions, storedRun } from './writes.js';

/* A hub that has the floor and no guard, installed by what `stageguard floor` prints. */

const hub = useHub();
const agent = users.hubAgent.name;
const scopes = [undefined, 'team-a'] as const;

beforeAll(async () => {
  await bundleIn(hub().folder);
  for (const scope of [...scopes, 'shop']) {
    if (scope === 'shop')
      await hub()
        .api('admin')
        .create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    expectStored(await create('hubAgent', 'ApprovalRequest', scope, { name: 'asked', spec: target }));
    expectStored(await create('admin', 'UpdateRun', scope, { name: 'under-way', spec: storedRun }));
  }
}, 60_000);

const target = { parentStageRollout: 'release', targetStage: 'canary' };

interface Draft {
  readonly name: string;
  readonly spec: object;
}

type Writer = 'admin' | 'alice' | 'hubAgent';
type Family = 'UpdateStrategy' | 'UpdateRun' | 'ApprovalRequest';

function create(user: Writer, family: Family, scope: Scope, { name, spec }: Draft): Promise<Answer> {
  const query = family === 'UpdateStrategy' ? '?dryRun=All' : '';
  return hub()
    .api(user)
    .create(`${pathOf(family, scope)}${query}`, { ...headOf(family, scope), metadata: { name }, spec });
}

function setStatus(
  user: Writer,
  [family, name]: readonly [Family, string],
  scope: Scope,
  conditions: unknown,
): Promise<Answer> {
  return hub()
    .api(user)
    .patch(pathOf(family, scope, `${name}/status`), 'merge', { status: { conditions } });
}

function floor(config: object, ...args: readonly string[]): SpawnSyncReturns<string> {
  const file = join(hub().folder, 'floor-config.yaml');
  writeFileSync(file, JSON.stringify(config));
  const program = join(hub().folder, 'stageguard.mjs');
  return spawnSync(process.execPath, [program, 'floor', '--alone', '--config', file, ...args], { encoding: 'utf8' });
}

const check = (config: object): SpawnSyncReturns<string> =>
  floor(config, '--check', '--kubeconfig', hub().kubeconfig('admin'));

/** Puts the floor on the hub that these settings ask for. */
async function apply(config: object): Promise<void> {
  const { status, stdout } = floor(config);
  expect(status).toBe(0);
  expect(await kubectl(hub(), 'admin', ['apply', '-f', '-'], { stdin: stdout })).toMatchObject({ code: 0 });
}

const waiting = (name: string): Draft => ({
  name,
  spec: { stages: [{ name: 'all', labelSelector: {}, afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }] },
});

test('the modes of a namespace hold in it, and nowhere else: not in cluster scope either', async () => {
  const config = { namespaces: { 'team-a': { rules: { 'strategy-wait-time': 'warn' } } } };
  await apply(config);
  await eventually('the floor is in force', async () => {
    const answers = [undefined, 'shop'].map((scope) => create('admin', 'UpdateStrategy', scope, waiting('waits')));
    const refused = (await Promise.all(answers)).map(floorRuleIn);
    return refused.every((rule) => rule === 'strategy-wait-time') || undefined;
  });
  const softly = await create('admin', 'UpdateStrategy', 'team-a', waiting('waits'));
  expect(softly).toMatchObject({
    status: 201,
    warnings: [expect.stringContaining('[strategy-wait-time] stage "all": ')],
  });
  expect(check(config)).toMatchObject({
    status: 0,
    stdout: 'the floor is in force and unchanged: 12 policies, 13 bindings\n',
  });
  const { status, stdout } = check({});
  expect(status).toBe(1);
  expect(stdout).toMatch(/stageguard-strategy-wait-time +changed/);
  expect(stdout).toMatch(/stageguard-strategy-wait-time.team-a +left over/);
});

interface Recorded {
  readonly review: {
    readonly request: {
      readonly operation: string;
      readonly subResource?: string;
      readonly resource: { readonly group: string; readonly resource: string };
      readonly namespace?: string;
      readonly object: Stored;
      readonly oldObject: Stored | null;
    };
  };
}

interface Stored {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly spec: object;
  readonly status?: object;
}

const reviews = join(import.meta.dirname, '..', '..', 'reviews');
const ofAgent = readdirSync(reviews)
  .filter((file) => /hub-agent.*(runs|approvalrequests|strategies)(-status)?-validate/.test(file))
  .map((file) => [file, JSON.parse(readFileSync(join(reviews, file), 'utf8')) as Recorded] as const);

/** Brings the hub to where it was, and sends what the hub agent sent then. */
async function replay({ review: { request } }: Recorded): Promise<Answer> {
  const { object, oldObject, namespace: scope, subResource = '' } = request;
  const family = kindOfResource(request.resource.group, request.resource.resource)?.family as Family;
  const { name, labels, annotations, finalizers } = object.metadata;
  const path = pathOf(family, scope, name);
  const admin = hub().api('admin');
  await admin.patch(path, 'merge', { metadata: { finalizers: null } });
  await admin.delete(path);
  const before = oldObject ?? object;
  const isMade = oldObject === null;
  const creator = family === 'ApprovalRequest' ? 'hubAgent' : 'admin';
  const created = await hub()
    .api(creator)
    .create(pathOf(family, scope), {
      ...headOf(family, scope),
      metadata: { name, labels, annotations, ...(!isMade && { finalizers: before.metadata['finalizers'] }) },
      spec: before.spec,
    });
  if (isMade) return created;
  expectStored(created);
  const api = hub().api('hubAgent');
  if (before.status !== undefined) {
    expectStored(await api.patch(`${path}/status`, 'merge', { status: before.status }));
  }
  const now = (await admin.get(path)).body as unknown as Stored;
  const metadata = { ...now.metadata, labels, annotations, finalizers };
  return subResource === 'status'
    ? api.replace(`${path}/status`, { ...now, metadata, status: object.status })
    : api.replace(path, { ...now, metadata, spec: object.spec });
}

async function replayAll(): Promise<void> {
  expect(ofAgent.length).toBeGreaterThan(8);
  for (const [file, recorded] of ofAgent) {
    const { status, body } = await replay(recorded);
    expect({ file, isAdmitted: status < 300, message: body['message'] }).toEqual({ file, isAdmitted: true });
  }
}

test('what a real hub agent has written passes', async () => {
  await replayAll();
});

test('a restore passes where its user is named for the time it takes, but for gates that were open', async () => {
  const config = { hubAgent: { users: [agent, 'admin'] } };
  for (const scope of scopes) {
    const made = await create('admin', 'ApprovalRequest', scope, { name: 'old-after-canary', spec: target });
    expect(floorRuleIn(made)).toBe('approval-created-by-controller');
    const written = await setStatus('admin', ['UpdateRun', 'under-way'], scope, storedConditions.asked);
    expect(floorRuleIn(written)).toBe('run-status-owner');
  }
  await apply(config);
  for (const scope of scopes) {
    await eventually('the user is known', async () => {
      const made = await create('admin', 'ApprovalRequest', scope, { name: 'old-after-canary', spec: target });
      return made.status === 201 || undefined;
    });
    const conditions = storedConditions.accepted;
    const of = ['ApprovalRequest', 'old-after-canary'] as const;
    await eventually('all policies know it', async () => {
      const written = await setStatus('admin', ['UpdateRun', 'under-way'], scope, storedConditions.asked);
      return written.status === 200 || undefined;
    });
    expect(floorRuleIn(await setStatus('admin', of, scope, conditions))).toBe('approval-conditions');
    // In two steps it can be done, as the hub agent itself does it.
    expect(await setStatus('admin', of, scope, storedConditions.granted)).toMatchObject({ status: 200 });
    await eventually('the note is taken', async () => {
      return (await setStatus('admin', of, scope, conditions)).status === 200 || undefined;
    });
  }
});

test('under names that are nobody, gates are silent and hold up neither person nor hub agent, and --check tells', async () => {
  const names = ['a', 'b', 'c', 'd'].map((name) => `system:serviceaccount:fleet-system:${name}`);
  const config = { hubAgent: { users: names } };
  await apply(config);
  await eventually('the gates are silent', async () => {
    const answers = scopes.flatMap((scope) => [
      setStatus('admin', ['UpdateRun', 'under-way'], scope, []),
      setStatus('admin', ['UpdateRun', 'under-way'], scope, storedConditions.asked),
      setStatus('alice', ['ApprovalRequest', 'asked'], scope, storedConditions.asked),
    ]);
    return (await Promise.all(answers)).every(({ status }) => status === 200) || undefined;
  });
  await replayAll();
  for (const scope of scopes) {
    const forged = await setStatus('alice', ['ApprovalRequest', 'asked'], scope, storedConditions.accepted);
    expect(floorRuleIn(forged)).toBe('approval-conditions');
  }
  expect(check(config)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('the gates are silent: no ServiceAccount among hubAgent.users may update'),
  });
});

test('the second handle takes it all away', async () => {
  const [handle = ''] = commandsOf('floor.md', 'The second handle of the brake');
  expect(await kubectl(hub(), 'admin', handle.trim().split(' ').slice(1))).toMatchObject({ code: 0 });
  await eventually('the floor is out of force', async () => {
    return (await create('admin', 'UpdateStrategy', undefined, waiting('waits'))).status === 201 || undefined;
  });
});
