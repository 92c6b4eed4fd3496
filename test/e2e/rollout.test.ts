import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import { fleetKeys } from '../../src/fleet/model.js';
import type { Json } from './api.js';
import { eventually } from './eventually.js';
import { expectStored, ourCrds } from './hub.js';
import { kubectl, type Ran } from './kubectl.js';
import { pathOf, type Scope } from './paths.js';
import { resourceSnapshot } from './run-controller.js';
import { theirCrds } from './their-crds.js';
import { useGuardedHub } from './use-guarded-hub.js';
import { users } from './users.js';
import { bothScopes, conditionOf, joinMembers, placement, run, scheduled, strategy, yamlOf } from './world.js';

/** The same on every version of KubeFleet whose definitions are at hand. */
const definitions: readonly [string, string][] = [['our own definitions', ourCrds], ...theirCrds];

describe.each(definitions)('on %s', (_version, crds) => {
  const it = useGuardedHub({ crds });
  const alice = (args: readonly string[], stdin = ''): Promise<Ran> => kubectl(it().hub, 'alice', args, { stdin });
  const apply = (...objects: readonly Json[]): Promise<Ran> => alice(['apply', '-f', '-'], yamlOf(...objects));
  const within = (scope: Scope): readonly string[] => (scope === undefined ? [] : ['-n', scope]);

  const approve = (scope: Scope, name: string): Promise<Ran> =>
    alice([
      ...['patch', kindIn('ApprovalRequest', scope).plural, name, ...within(scope)],
      ...['--subresource=status', '--type=merge', '-p'],
      '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}',
    ]);
  const gateExists = (scope: Scope, name: string): Promise<true> =>
    eventually(`${name} exists`, async () => {
      const { status } = await it()
        .hub.api('alice')
        .get(pathOf('ApprovalRequest', scope, name));
      return status === 200 ? true : undefined;
    });

  interface Release {
    readonly name: string;
    readonly index?: string;
    /** Which resource snapshot each cluster has before it, and has afterwards. */
    readonly from: string;
    readonly to: string;
  }

  /** The first rollout, the next version, and back to the first. */
  const releases: readonly Release[] = [
    { name: 'release-1', from: '', to: 'shop-0-snapshot' },
    { name: 'release-2', from: 'shop-0-snapshot', to: 'shop-1-snapshot' },
    { name: 'back-1', index: '0', from: 'shop-1-snapshot', to: 'shop-0-snapshot' },
  ];

  async function bound(scope: Scope): Promise<Record<string, string>> {
    const { body } = await it().hub.api('admin').get(pathOf('Binding', scope));
    const bindings = body['items'] as { spec: { targetCluster: string; resourceSnapshotName: string } }[];
    return Object.fromEntries(bindings.map(({ spec }) => [spec.targetCluster, spec.resourceSnapshotName]));
  }

  async function release(scope: Scope, { name, index, from, to }: Release): Promise<void> {
    const { hub } = it();
    const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings' };
    const created = await apply(run(scope, name, { ...spec, ...(index && { resourceSnapshotIndex: index }) }));
    expect([created.code, created.stdout]).toEqual([0, expect.stringContaining(`${name} created`)]);
    for (const gate of [`${name}-after-canary`, `${name}-before-production`]) {
      await gateExists(scope, gate);
      // It goes stage by stage.
      expect(await bound(scope)).toEqual({ 'eu-1': to, 'eu-2': from, 'us-1': from });
      const approved = await approve(scope, gate);
      expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('patched')]);
      await conditionOf(hub, 'ApprovalRequest', scope, [gate, 'ApprovalAccepted']);
    }
    await conditionOf(hub, 'UpdateRun', scope, [name, 'Succeeded']);
    expect(await bound(scope)).toEqual({ 'eu-1': to, 'eu-2': to, 'us-1': to });
  }

  async function statusOf(scope: Scope, name: string): Promise<unknown> {
    const { body } = await it()
      .hub.api('admin')
      .get(pathOf('UpdateRun', scope, name));
    return body['status'];
  }

  async function rollOut(scope: Scope, first: Release): Promise<void> {
    const before = [placement(scope, 'shop'), strategy(scope, 'rings')];
    expect(await apply(...before)).toMatchObject({ code: 0, stderr: '' });
    await scheduled(it().hub, scope, 'shop');
    await release(scope, first);
    expect(await statusOf(scope, first.name)).toMatchObject({
      appliedStrategy: { type: 'ClientSideApply', whenToApply: 'Always' },
      policySnapshotIndexUsed: '0',
    });
  }

  /** The resources have changed, and the placement has another policy and another way to apply them. */
  async function rollOutNext(scope: Scope, next: Release): Promise<void> {
    const agent = it().hub.api('hubAgent');
    const older = { metadata: { labels: { [fleetKeys.isLatest]: 'false' } } };
    expectStored(await agent.patch(pathOf('ResourceSnapshot', scope, next.from), 'merge', older));
    expectStored(await agent.create(pathOf('ResourceSnapshot', scope), resourceSnapshot('shop', 1, scope)));
    const policy = { placementType: 'PickAll', tolerations: [{ key: 'gpu', operator: 'Exists' }] };
    const changed = { policy, strategy: { type: 'External', applyStrategy: { type: 'ServerSideApply' } } };
    expect(await apply(placement(scope, 'shop', changed))).toMatchObject({ code: 0, stderr: '' });
    await scheduled(it().hub, scope, 'shop');
    await release(scope, next);
    expect(await statusOf(scope, next.name)).toMatchObject({
      appliedStrategy: { type: 'ServerSideApply', whenToApply: 'Always' },
      policySnapshotIndexUsed: '1',
    });
  }

  // Both scopes are under way at once; in each, one release follows the other.
  const walked = new Map<Scope, readonly Promise<void>[]>();
  beforeAll(async () => {
    await joinMembers(it().hub);
    const [first, next, back] = releases as [Release, Release, Release];
    for (const [, scope] of bothScopes) {
      const out = rollOut(scope, first);
      const on = out.then(() => rollOutNext(scope, next));
      walked.set(scope, [out, on, on.then(() => release(scope, back))]);
    }
    for (const outcome of [...walked.values()].flat()) outcome.catch(() => undefined);
  }, 60_000);

  describe.each(bothScopes)('journey: a rollout %s', (_name, scope) => {
    test('goes through its stages as it is approved, and ends in success', () => walked.get(scope)?.[0], 90_000);

    test('is followed by one of the next version', () => walked.get(scope)?.[1], 90_000);

    test('is rolled back, stage by stage, by the index of the older snapshot', () => walked.get(scope)?.[2], 90_000);
  });

  test('none of what the hub agent wrote was asked about', () => {
    const askers = it()
      .guard.decisions()
      .map(({ user }) => user);
    expect(askers).toContain('alice');
    expect(askers).not.toContain(users.hubAgent.name);
  });
});
