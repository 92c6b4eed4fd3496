import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import { eventually } from './eventually.js';
import { ourCrds } from './hub.js';
import { kubectl, type Ran } from './kubectl.js';
import { pathOf } from './paths.js';
import { theirCrds } from './their-crds.js';
import { useGuardedHub } from './use-guarded-hub.js';
import { users } from './users.js';
import { bothScopes, conditionOf, joinMembers, placement, run, scheduled, strategy, yamlOf } from './world.js';

/** The same on every version of KubeFleet whose definitions are at hand. */
const definitions: readonly [string, string][] = [['our own definitions', ourCrds], ...theirCrds];

describe.each(definitions)('on %s', (_version, crds) => {
  const it = useGuardedHub({ crds });
  const alice = (args: readonly string[], stdin = ''): Promise<Ran> => kubectl(it().hub, 'alice', args, { stdin });

  beforeAll(() => joinMembers(it().hub), 30_000);

  describe.each(bothScopes)('journey: a rollout %s', (_name, scope) => {
    const within = scope === undefined ? [] : ['-n', scope];
    const { plural } = kindIn('ApprovalRequest', scope);
    const approve = (name: string): Promise<Ran> =>
      alice([
        ...['patch', plural, name, ...within, '--subresource=status', '--type=merge', '-p'],
        '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}',
      ]);
    const exists = (name: string): Promise<true> =>
      eventually(`${name} exists`, async () => {
        const { status } = await it()
          .hub.api('alice')
          .get(pathOf('ApprovalRequest', scope, name));
        return status === 200 ? true : undefined;
      });

    test('goes through its stages as it is approved, and ends in success', async () => {
      const { hub } = it();
      const before = [placement(scope, 'shop'), strategy(scope, 'rings')];
      expect(await alice(['apply', '-f', '-'], yamlOf(...before))).toMatchObject({ code: 0, stderr: '' });
      await scheduled(hub, scope, 'shop');
      const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings' };
      const created = await alice(['apply', '-f', '-'], yamlOf(run(scope, 'release-1', spec)));
      expect(created.code).toBe(0);
      expect(created.stdout).toContain('release-1 created');

      for (const gate of ['release-1-after-canary', 'release-1-before-production']) {
        await exists(gate);
        const approved = await approve(gate);
        expect(approved.code).toBe(0);
        expect(approved.stdout).toContain('patched');
        await conditionOf(hub, 'ApprovalRequest', scope, [gate, 'ApprovalAccepted']);
      }
      await conditionOf(hub, 'UpdateRun', scope, ['release-1', 'Succeeded']);
      const bound = await hub.api('admin').get(pathOf('Binding', scope));
      const snapshots = (bound.body['items'] as { spec: { resourceSnapshotName: string } }[]).map(
        ({ spec }) => spec.resourceSnapshotName,
      );
      expect(snapshots).toEqual(['shop-0-snapshot', 'shop-0-snapshot', 'shop-0-snapshot']);
    }, 60_000);

    test('is rolled back by the index of an older snapshot', async () => {
      const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings', resourceSnapshotIndex: '0' };
      expect(await alice(['apply', '-f', '-'], yamlOf(run(scope, 'back-1', spec)))).toMatchObject({ code: 0 });
      await exists('back-1-after-canary');
      const deleted = await alice(['delete', kindIn('UpdateRun', scope).plural, 'back-1', ...within]);
      expect(deleted.code).toBe(0);
    }, 60_000);
  });

  test('none of what the hub agent wrote was asked about', () => {
    const askers = it()
      .guard.decisions()
      .map(({ user }) => user);
    expect(askers).toContain('alice');
    expect(askers).not.toContain(users.hubAgent.name);
  });
});
