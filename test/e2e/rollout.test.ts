import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import type { Json } from './api.js';
import { eventually } from './eventually.js';
import { ourCrds } from './hub.js';
import { kubectl, type Ran } from './kubectl.js';
import { pathOf, type Scope } from './paths.js';
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

  async function rollOut(scope: Scope): Promise<void> {
    const { hub } = it();
    const before = [placement(scope, 'shop'), strategy(scope, 'rings')];
    expect(await apply(...before)).toMatchObject({ code: 0, stderr: '' });
    await scheduled(hub, scope, 'shop');
    const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings' };
    const created = await apply(run(scope, 'release-1', spec));
    expect([created.code, created.stdout]).toEqual([0, expect.stringContaining('release-1 created')]);
    for (const gate of ['release-1-after-canary', 'release-1-before-production']) {
      await gateExists(scope, gate);
      const approved = await approve(scope, gate);
      expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('patched')]);
      await conditionOf(hub, 'ApprovalRequest', scope, [gate, 'ApprovalAccepted']);
    }
    await conditionOf(hub, 'UpdateRun', scope, ['release-1', 'Succeeded']);
    const bound = await hub.api('admin').get(pathOf('Binding', scope));
    const snapshots = (bound.body['items'] as { spec: { resourceSnapshotName: string } }[]).map(
      ({ spec: { resourceSnapshotName } }) => resourceSnapshotName,
    );
    expect(snapshots).toEqual(['shop-0-snapshot', 'shop-0-snapshot', 'shop-0-snapshot']);
  }

  async function rollBack(scope: Scope): Promise<void> {
    const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings', resourceSnapshotIndex: '0' };
    expect(await apply(run(scope, 'back-1', spec))).toMatchObject({ code: 0 });
    await gateExists(scope, 'back-1-after-canary');
    const deleted = await alice(['delete', kindIn('UpdateRun', scope).plural, 'back-1', ...within(scope)]);
    expect(deleted.code).toBe(0);
  }

  // Both scopes are under way at once.
  const rollouts = new Map<Scope, Promise<void>>();
  beforeAll(async () => {
    await joinMembers(it().hub);
    for (const [, scope] of bothScopes) rollouts.set(scope, rollOut(scope));
    for (const rollout of rollouts.values()) rollout.catch(() => undefined);
  }, 60_000);

  describe.each(bothScopes)('journey: a rollout %s', (_name, scope) => {
    test('goes through its stages as it is approved, and ends in success', () => rollouts.get(scope), 90_000);

    test('is rolled back by the index of an older snapshot', () => rollBack(scope), 60_000);
  });

  test('none of what the hub agent wrote was asked about', () => {
    const askers = it()
      .guard.decisions()
      .map(({ user }) => user);
    expect(askers).toContain('alice');
    expect(askers).not.toContain(users.hubAgent.name);
  });
});
