import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Family } from '../../src/fleet/kinds.js';
import type { Api, Answer, Json } from './harness/api.js';
import { startGuard, type Guard } from './harness/guard.js';
import { expectStored } from './harness/hub.js';
import { conditionNow } from './harness/hub-objects.js';
import { headOf, pathOf, type Scope } from './harness/paths.js';
import { pooled } from './harness/pooled.js';
import { useHub } from './harness/use-hub.js';
import { bothScopes, objectOf, placement, run } from './harness/world.js';

const hub = useHub();
let guard: Guard | undefined;
const scopes = bothScopes.map(([, scope]) => scope);
/** In each scope: a hundred approvals in all, since each is created twice, and more of the other writes. */
const names = Array.from({ length: 25 }, (_, index) => `shop-${index}`);
const everywhere = scopes.flatMap((scope) => names.map((name) => ({ scope, name })));

const member = (name: string): Json =>
  objectOf('MemberCluster', undefined, name, { identity: { kind: 'User', name: 'member' } });
const approval = (scope: Scope, name: string): Json =>
  objectOf('ApprovalRequest', scope, name, { parentStageRollout: name, targetStage: 'canary' });

/** By this label the hub agent finds the requests of a run that is deleted. */
const targetLabel = 'kubernetes-fleet.io/targetUpdateRun';

const labelled = (scope: Scope, run: string): Json => {
  const object = approval(scope, `${run}-passed`);
  return { ...object, metadata: { ...(object['metadata'] as Json), labels: { [targetLabel]: run } } };
};

/** What was there before the guard: it is asked about none of it. */
async function furnish({ scope, name }: { scope: Scope; name: string }): Promise<void> {
  const admin = hub().api('admin');
  const spec = { placementName: name, stagedRolloutStrategyName: 'shop', state: 'Initialize' };
  expectStored(await admin.create(pathOf('Placement', scope), placement(scope, name)));
  expectStored(await admin.create(pathOf('UpdateRun', scope), run(scope, name, spec)));
  expectStored(await admin.create(pathOf('ApprovalRequest', scope), approval(scope, `${name}-granted`)));
  const granted = { status: { conditions: [conditionNow('Approved', { observedGeneration: 1 })] } };
  expectStored(await admin.patch(pathOf('ApprovalRequest', scope, `${name}-granted/status`), 'merge', granted));
  if (scope === undefined) expectStored(await admin.create(pathOf('MemberCluster', undefined), member(name)));
}

beforeAll(async () => {
  await Promise.all(
    pooled(
      everywhere.map((one) => () => furnish(one)),
      10,
    ),
  );
  guard = await startGuard(hub());
}, 120_000);
afterAll(() => guard?.stop());

/** Reviews that reached the guard, whatever it answered. */
async function calls(): Promise<number> {
  const counted = /^stageguard_(?:decisions|http_errors)_total\{.*\} (\d+)$/gm;
  const text = (await guard?.metrics()) ?? '';
  return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The hub agent's own writes, counted by what they are. */
class AgentWrites {
  readonly counts = { status: 0, finalizer: 0, approval: 0, other: 0 };

  constructor(
    private readonly api: Api,
    private readonly scope: Scope,
  ) {}

  /** Reads the whole object and writes it back, as client-go's Update does. */
  async update(family: Family, name: string, change: (object: Json) => Json): Promise<void> {
    const path = pathOf(family, this.scope, name);
    const object = expectStored(await this.api.get(path));
    this.count(
      'finalizer',
      await this.api.replace(path, { ...object, ...headOf(family, this.scope), ...change(object) }),
    );
  }

  async updateStatus(family: Family, name: string, status: Json): Promise<void> {
    const path = pathOf(family, this.scope, name);
    const object = { ...expectStored(await this.api.get(path)), ...headOf(family, this.scope), status };
    this.count('status', await this.api.replace(`${path}/status`, object));
  }

  async create(family: Family, object: Json): Promise<void> {
    const kind = family === 'ApprovalRequest' ? 'approval' : 'other';
    this.count(kind, await this.api.create(pathOf(family, this.scope), object));
  }

  /** At least one is there to be deleted, each of which is a question to the webhooks. */
  async deleteAll(family: Family, selector: string): Promise<void> {
    const path = `${pathOf(family, this.scope)}?labelSelector=${selector}`;
    expect(expectStored(await this.api.get(path))['items']).not.toEqual([]);
    this.count('other', await this.api.delete(path));
    expect(expectStored(await this.api.get(path))['items']).toEqual([]);
  }

  /** A second creation of the same approval request is what every wait of the real agent sends. */
  private count(kind: keyof AgentWrites['counts'], answer: Answer): void {
    if (answer.status !== 409) expectStored(answer);
    this.counts[kind] += 1;
  }
}

const withFinalizer = ({ metadata }: Json): Json => ({
  metadata: { ...(metadata as Json), finalizers: ['kubernetes-fleet.io/agent'] },
});
const withoutFinalizers = ({ metadata }: Json): Json => ({ metadata: { ...(metadata as Json), finalizers: [] } });

/** One placement with its run, from the first finalizer to the last. */
async function work(writes: AgentWrites, { scope, name }: { scope: Scope; name: string }): Promise<void> {
  const progressing = { conditions: [conditionNow('Progressing', { observedGeneration: 1 })] };
  const accepted = [conditionNow('Approved', { observedGeneration: 1 }), conditionNow('ApprovalAccepted')];
  // The real update also writes the index where it was left out.
  await writes.update('UpdateRun', name, (object) => ({
    ...withFinalizer(object),
    spec: { ...(object['spec'] as Json), resourceSnapshotIndex: '' },
  }));
  await writes.updateStatus('UpdateRun', name, progressing);
  await writes.create('ApprovalRequest', approval(scope, `${name}-waiting`));
  await writes.create('ApprovalRequest', approval(scope, `${name}-waiting`));
  await writes.updateStatus('ApprovalRequest', `${name}-granted`, { conditions: accepted });
  await writes.update('Placement', name, withFinalizer);
  await writes.updateStatus('Placement', name, progressing);
  await writes.create('Binding', objectOf('Binding', scope, name, bindingSpec));
  await writes.update('Binding', name, withFinalizer);
  await writes.updateStatus('Binding', name, progressing);
  if (scope === undefined) {
    await writes.update('MemberCluster', name, withFinalizer);
    await writes.updateStatus('MemberCluster', name, { agentStatus: [{ type: 'MemberAgent' }] });
  }
  await writes.create('ApprovalRequest', labelled(scope, name));
  await writes.deleteAll('ApprovalRequest', `${targetLabel}%3D${name}`);
  await writes.update('UpdateRun', name, withoutFinalizers);
}

const bindingSpec = {
  state: 'Bound',
  targetCluster: 'eu-1',
  resourceSnapshotName: 's-0-snapshot',
  schedulingPolicySnapshotName: 's-0',
  clusterDecision: { clusterName: 'eu-1', selected: true, reason: 'picked' },
};

test('not one write of the hub agent is sent to the guard, and every write of a developer is', async () => {
  const before = await calls();
  const writers = new Map(scopes.map((scope) => [scope, new AgentWrites(hub().api('hubAgent'), scope)]));
  const jobs = everywhere.map((one) => async () => {
    const writes = writers.get(one.scope);
    if (writes !== undefined) await work(writes, one);
  });
  await Promise.all(pooled(jobs, 10));
  const total = (kind: 'status' | 'finalizer' | 'approval'): number =>
    [...writers.values()].reduce((sum, { counts }) => sum + counts[kind], 0);
  expect(total('status')).toBeGreaterThanOrEqual(100);
  expect(total('finalizer')).toBeGreaterThanOrEqual(100);
  expect(total('approval')).toBeGreaterThanOrEqual(100);
  expect((await calls()) - before).toBe(0);

  // The same count, where it must not be 0.
  const alice = hub().api('alice');
  const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
  for (const scope of scopes) {
    const [first = ''] = names;
    await alice.patch(pathOf('UpdateRun', scope, first), 'merge', { spec: { state: 'Run' } });
    await alice.patch(pathOf('ApprovalRequest', scope, `${first}-waiting/status`), 'merge', approved);
    await alice.delete(pathOf('Placement', scope, first));
  }
  // A start, a stamp and a judgement of the approval, and a deletion; in both scopes.
  expect((await calls()) - before).toBe(8);
}, 60_000);
