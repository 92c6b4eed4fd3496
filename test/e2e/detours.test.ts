import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import type { Answer, Json } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { ground, letFinish, runOf, running } from './fixes/ground.js';
import type { Site } from './fixes/case.js';
import { expectStored } from './harness/hub.js';
import { pathOf } from './harness/paths.js';
import { resourceSnapshot } from './harness/run-controller.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, conditionOf, joinMembers, placement, stage, strategy } from './harness/world.js';

/* Ways round the guard that a developer with rights of her own has tried, where the direct way is refused. */

const it = useGuardedHub({ withControllers: true });
beforeAll(() => joinMembers(it().hub));

const messageOf = ({ status, body }: Answer): string => `${status}: ${JSON.stringify(body['message'])}`;

describe.each(bothScopes)('%s', (_where, scope) => {
  const alice = (): ReturnType<Site['hub']['api']> => it().hub.api('alice');
  const siteOf = (name: string): Site => ({ hub: it().hub, agent: it().agent, scope, name });

  describe.each(kindIn('UpdateStrategy', scope).versions)('a strategy that is being deleted, through %s', (version) => {
    const name = `leaving-${version}`;
    const path = pathOf('UpdateStrategy', scope, name);
    const waiting = (waitTime: string): Json => {
      const stages = [stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime }] })];
      return { spec: { stages } };
    };
    const write = (body: unknown): Promise<Answer> =>
      alice().patch(pathOf('UpdateStrategy', scope, name, version), 'merge', body);

    test('is judged until it is gone, and its finalizers can be removed', async () => {
      const sound = strategy(scope, name);
      const metadata = { ...(sound['metadata'] as object), finalizers: ['example.com/a', 'example.com/b'] };
      const created = await alice().create(pathOf('UpdateStrategy', scope), { ...sound, ...waiting('1h'), metadata });
      expectStored(created);
      expectStored(await alice().delete(path));
      // Longer than KubeFleet can read: no run of the scope would find a new strategy any more.
      const poisoned = await write(waiting('9999999h'));
      expect(messageOf(poisoned)).toMatch(/^403: "admission webhook \\"strategies\.validate\.stageguard\.io\\" denied/);
      expect(messageOf(poisoned)).toContain('[strategy-wait-time]');
      expect((await alice().get(path)).body['spec']).toEqual(created.body['spec']);
      expectStored(await write(waiting('2h')));
      expectStored(await write({ metadata: { finalizers: ['example.com/a'] } }));
      await write({ metadata: { finalizers: null } });
      expect((await alice().get(path)).status).toBe(404);
    });
  });

  describe('an owner that takes a placement with it', () => {
    // One that never was is gone already, so that garbage collection comes at once.
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: 'never-was', uid: 'f00d' }];
    const own = (name: string): Promise<Answer> =>
      alice().patch(pathOf('Placement', scope, name), 'merge', { metadata: { ownerReferences } });
    const isGone = (name: string): Promise<true> =>
      eventually(`${name} is gone`, async () => {
        const { status } = await alice().get(pathOf('Placement', scope, name));
        return status === 404 || undefined;
      });

    test('is refused while a run uses the placement, and only then', async () => {
      await running(siteOf('owned'));
      const refused = await own('owned');
      expect(messageOf(refused)).toMatch(/^403: "admission webhook \\"placements\.validate\.stageguard\.io\\" denied/);
      expect(messageOf(refused)).toMatch(
        /\[placement-in-use\] metadata\.ownerReferences: run \\"owned\\" .* new owner Namespace \\"never-was\\"/,
      );
      // Garbage collection is at work, and takes one that nobody uses.
      expectStored(await alice().create(pathOf('Placement', scope), placement(scope, 'unused')));
      expectStored(await own('unused'));
      await isGone('unused');
      expectStored(await alice().get(pathOf('Placement', scope, 'owned')));
      await letFinish(siteOf('owned'));
      await conditionOf(it().hub, 'UpdateRun', scope, ['owned', 'Succeeded']);
      // The guard hears of it a moment later.
      await eventually('the placement is free', async () => (await own('owned')).status === 200 || undefined);
      await isGone('owned');
    }, 120_000);
  });

  test('an index that is removed and set to a missing one is judged as at creation, and again when the run starts', async () => {
    const site = siteOf('moved');
    const snapshots = pathOf('ResourceSnapshot', scope);
    // No run gets initialized before its index is changed.
    site.agent.heldBack.add(site.name);
    await ground(site);
    for (const index of [0, 1]) {
      expectStored(
        await it()
          .hub.api('hubAgent')
          .create(snapshots, resourceSnapshot(site.name, index, scope)),
      );
    }
    const path = pathOf('UpdateRun', scope);
    const setSpec = (spec: Json): Promise<Answer> => alice().patch(`${path}/${site.name}`, 'merge', { spec });
    // The guard hears of a snapshot a moment later.
    await eventually('the run is admitted', async () => {
      const { status } = await alice().create(path, runOf(site, { resourceSnapshotIndex: '0', state: 'Initialize' }));
      return status === 201 || undefined;
    });
    expectStored(await setSpec({ resourceSnapshotIndex: null }));
    expect(messageOf(await setSpec({ resourceSnapshotIndex: '7' }))).toContain('[run-snapshot-exists]');
    expect(messageOf(await setSpec({ resourceSnapshotIndex: 'x' }))).toContain('[run-snapshot-index]');
    expectStored(await setSpec({ resourceSnapshotIndex: '1' }));
    expectStored(await it().hub.api('hubAgent').delete(`${snapshots}/${site.name}-1-snapshot`));
    const started = await eventually('the start is judged', async () => {
      const answer = await setSpec({ state: 'Run' });
      return answer.status === 429 ? undefined : answer;
    });
    expect(messageOf(started)).toMatch(/^403: .*\[run-snapshot-exists\]/);
    expect((await alice().get(`${path}/${site.name}`)).body['spec']).toMatchObject({ state: 'Initialize' });
  });
});
