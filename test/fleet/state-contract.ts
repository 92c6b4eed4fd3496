import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Family } from '../../src/fleet/kinds.js';
import type { Families } from '../../src/fleet/model.js';
import type { FleetState, ObjectKey } from '../../src/fleet/state.js';
import {
  approval,
  binding,
  cluster,
  condition,
  placement,
  policySnapshot,
  resourceSnapshot,
  run,
  strategy,
  type Draft,
} from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

type Awaitable = void | Promise<void>;

/** A source of knowledge, and the means to let it learn. What it learnt is there when the promise is. */
export interface FleetUnderTest {
  readonly fleet: FleetState;
  put<F extends Family>(family: F, object: Families[F]): Awaitable;
  remove(family: Family, key: ObjectKey): Awaitable;
  /** From now on the source knows all of a family, or may lack some. */
  setComplete(family: Family, complete: boolean): Awaitable;
}

/** What every source of knowledge must hold to. `create` makes one that knows nothing and may lack everything. */
export function holdsFleetStateContract(name: string, create: () => FleetUnderTest | Promise<FleetUnderTest>): void {
  describe.each(scopes)(`${name} keeps the contract of FleetState, $name`, (scope) => {
    let source: FleetUnderTest;
    beforeEach(async () => {
      source = await create();
    });

    const { namespace } = scope;
    const elsewhere = { ...scope, namespace: 'team-b' };
    const put = async (...drafts: readonly Draft[]): Promise<void> => {
      for (const draft of drafts) await source.put(draft.family, objectIn(scope, draft));
    };
    const namesOf = (family: Family, query = {}): readonly string[] =>
      source.fleet.list(family, { namespace, ...query }).items.map(({ metadata }) => metadata.name);

    describe('one object', () => {
      test('is unknown where the source may lack it', () => {
        expect(source.fleet.get('Placement', { name: 'shop', namespace })).toEqual({ is: 'unknown' });
      });

      test('is absent where the source knows all', async () => {
        await source.setComplete('Placement', true);
        expect(source.fleet.get('Placement', { name: 'shop', namespace })).toEqual({ is: 'absent' });
        expect(source.fleet.get('UpdateStrategy', { name: 'shop', namespace })).toEqual({ is: 'unknown' });
      });

      test('is known once it was put, whether or not all is known', async () => {
        await put(placement('shop'));
        const known = { is: 'known', value: objectIn(scope, placement('shop')) };
        expect(source.fleet.get('Placement', { name: 'shop', namespace })).toEqual(known);
        await source.setComplete('Placement', true);
        expect(source.fleet.get('Placement', { name: 'shop', namespace })).toEqual(known);
      });

      test('is unknown again where the source may lack some from now on', async () => {
        await source.setComplete('Placement', true);
        await source.setComplete('Placement', false);
        expect(source.fleet.get('Placement', { name: 'shop', namespace })).toEqual({ is: 'unknown' });
      });

      test('is not known by the name of an object in another scope or family', async () => {
        await put(placement('shop'));
        await source.setComplete('Placement', true);
        await source.setComplete('UpdateStrategy', true);
        expect(source.fleet.get('Placement', { name: 'shop', namespace: 'team-b' })).toEqual({ is: 'absent' });
        expect(source.fleet.get('UpdateStrategy', { name: 'shop', namespace })).toEqual({ is: 'absent' });
        if (namespace !== undefined) {
          expect(source.fleet.get('Placement', { name: 'shop' })).toEqual({ is: 'absent' });
        }
      });

      test('is not known by a name that JavaScript gives every object', async () => {
        await source.setComplete('Placement', true);
        for (const odd of ['constructor', '__proto__', 'toString', '']) {
          expect(source.fleet.get('Placement', { name: odd, namespace })).toEqual({ is: 'absent' });
        }
      });
    });

    describe('a list', () => {
      test('is empty and incomplete where nothing is known', () => {
        expect(source.fleet.list('UpdateRun', { namespace })).toEqual({ items: [], complete: false });
      });

      test('is empty and complete where all is known and nothing is there', async () => {
        await source.setComplete('UpdateRun', true);
        expect(source.fleet.list('UpdateRun', { namespace })).toEqual({ items: [], complete: true });
        expect(source.fleet.list('UpdateRun', { namespace, placement: 'shop' })).toEqual({ items: [], complete: true });
        expect(source.fleet.list('Placement', { namespace }).complete).toBe(false);
      });

      test('holds what is known even where it is incomplete', async () => {
        await put(run('a'));
        expect(source.fleet.list('UpdateRun', { namespace })).toEqual({
          items: [objectIn(scope, run('a'))],
          complete: false,
        });
      });

      test('is in the order of names by code unit, whatever the order of arrival', async () => {
        await put(run('b'), run('a10'), run('a2'), run('B'), run('a'));
        expect(namesOf('UpdateRun')).toEqual(['B', 'a', 'a10', 'a2', 'b']);
        expect(namesOf('UpdateRun', { placement: 'shop' })).toEqual(['B', 'a', 'a10', 'a2', 'b']);
      });

      test('holds the objects of its scope alone', async () => {
        await put(run('here'));
        await source.put('UpdateRun', objectIn(elsewhere, run('there')));
        expect(namesOf('UpdateRun')).toEqual(['here']);
        expect(namesOf('UpdateRun', { placement: 'shop' })).toEqual(['here']);
        expect(namesOf('UpdateRun', { namespace: 'team-b' })).toEqual(['there']);
      });
    });

    describe('everywhere', () => {
      const placesOf = (family: Family): readonly string[] =>
        source.fleet
          .list(family, { everywhere: true })
          .items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);

      test('is both scopes and every namespace, in order', async () => {
        await put(run('b'));
        await source.put('UpdateRun', objectIn(elsewhere, run('a')));
        const [inCluster] = scopes;
        if (inCluster !== undefined) await source.put('UpdateRun', objectIn(inCluster, run('z')));
        const own = namespace === undefined ? ['/b', '/z'] : ['/z', 'team-a/b'];
        expect(placesOf('UpdateRun')).toEqual([...own, 'team-b/a']);
      });

      test('can be narrowed to the runs that are not over', async () => {
        await put(run('b'), run('c', { status: { conditions: [condition('Succeeded', 'True')] } }));
        await source.put('UpdateRun', objectIn(elsewhere, run('a')));
        const { items } = source.fleet.list('UpdateRun', { everywhere: true, over: 'no' });
        expect(items.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
        await put(run('b', { status: { conditions: [condition('Succeeded', 'False')] } }));
        expect(source.fleet.list('UpdateRun', { everywhere: true, over: 'no' }).items).toHaveLength(1);
      });

      test('is complete only where all is known', async () => {
        await put(run('a'));
        expect(source.fleet.list('UpdateRun', { everywhere: true }).complete).toBe(false);
        await source.setComplete('UpdateRun', true);
        expect(source.fleet.list('UpdateRun', { everywhere: true }).complete).toBe(true);
        expect(source.fleet.list('Placement', { everywhere: true }).complete).toBe(false);
      });
    });

    describe('what belongs to something', () => {
      test('runs are found by placement and by strategy', async () => {
        await put(
          run('a'),
          run('b', { spec: { placementName: 'blog' } }),
          run('c', { spec: { stagedRolloutStrategyName: 'fast' } }),
        );
        expect(namesOf('UpdateRun', { placement: 'shop' })).toEqual(['a', 'c']);
        expect(namesOf('UpdateRun', { placement: 'blog' })).toEqual(['b']);
        expect(namesOf('UpdateRun', { strategy: 'rings' })).toEqual(['a', 'b']);
        expect(namesOf('UpdateRun', { strategy: 'fast' })).toEqual(['c']);
      });

      test('runs that nobody has taken up are found without looking at the others', async () => {
        const finalizers = ['kubernetes-fleet.io/stagedupdaterun-finalizer'];
        await put(run('a'), run('b', { metadata: { finalizers } }), run('c', { status: { conditions: [{}] } }));
        expect(namesOf('UpdateRun', { takenUp: 'no' })).toEqual(['a']);
        await put(run('a', { metadata: { finalizers } }));
        expect(namesOf('UpdateRun', { takenUp: 'no' })).toEqual([]);
      });

      test('a placement and a strategy of one name are not confused', async () => {
        await put(run('a', { spec: { placementName: 'x', stagedRolloutStrategyName: 'y' } }));
        expect([namesOf('UpdateRun', { placement: 'y' }), namesOf('UpdateRun', { strategy: 'x' })]).toEqual([[], []]);
      });

      test('approvals are found by run', async () => {
        await put(approval('a'), approval('b', { spec: { parentStageRollout: 'other' } }));
        expect(namesOf('ApprovalRequest', { run: 'release' })).toEqual(['a']);
        expect(namesOf('ApprovalRequest', { run: 'other' })).toEqual(['b']);
      });

      test('snapshots and bindings are found by placement', async () => {
        await put(
          resourceSnapshot(0),
          resourceSnapshot(1, { of: 'blog' }),
          policySnapshot(),
          policySnapshot('blog'),
          binding('eu'),
          binding('eu', { of: 'blog' }),
        );
        expect(namesOf('ResourceSnapshot', { placement: 'shop' })).toEqual(['shop-0-snapshot']);
        expect(namesOf('PolicySnapshot', { placement: 'shop' })).toEqual(['shop-0']);
        expect(namesOf('Binding', { placement: 'shop' })).toEqual(['shop-eu']);
      });

      test('what lacks the label of its placement belongs to none', async () => {
        await put(resourceSnapshot(0, { metadata: { labels: {} } }));
        expect(namesOf('ResourceSnapshot')).toEqual(['shop-0-snapshot']);
        expect(namesOf('ResourceSnapshot', { placement: 'shop' })).toEqual([]);
        expect(namesOf('ResourceSnapshot', { placement: 'undefined' })).toEqual([]);
      });
    });

    describe('news', () => {
      test('a newer version takes the place of the older', async () => {
        await put(strategy('rings'), strategy('rings', { name: 'canary' }));
        const { items } = source.fleet.list('UpdateStrategy', { namespace });
        expect(items.map(({ spec }) => spec.stages.map((stage) => stage.name))).toEqual([['canary']]);
      });

      test('an object that belongs elsewhere now is no longer found where it was', async () => {
        await put(binding('eu'));
        const [name] = namesOf('Binding');
        await put({
          family: 'Binding',
          json: { metadata: { name, labels: { 'kubernetes-fleet.io/parent-CRP': 'blog' } } },
        });
        expect(namesOf('Binding', { placement: 'shop' })).toEqual([]);
        expect(namesOf('Binding', { placement: 'blog' })).toEqual([name]);
      });

      test('what was removed is gone from everywhere', async () => {
        await put(run('a'), run('b'));
        await source.setComplete('UpdateRun', true);
        await source.remove('UpdateRun', { name: 'a', namespace });
        expect(source.fleet.get('UpdateRun', { name: 'a', namespace })).toEqual({ is: 'absent' });
        expect([namesOf('UpdateRun'), namesOf('UpdateRun', { placement: 'shop' })]).toEqual([['b'], ['b']]);
      });

      test('removing what is not there changes nothing', async () => {
        await put(run('a'));
        await source.remove('UpdateRun', { name: 'x', namespace });
        await source.remove('UpdateRun', { name: 'a', namespace: 'team-b' });
        expect(namesOf('UpdateRun')).toEqual(['a']);
      });

      test('a removed object can come back', async () => {
        await put(run('a'));
        await source.remove('UpdateRun', { name: 'a', namespace });
        await put(run('a'));
        expect(namesOf('UpdateRun', { strategy: 'rings' })).toEqual(['a']);
      });
    });

    test('member clusters live in cluster scope', async () => {
      await put(cluster('eu'));
      expect(source.fleet.get('MemberCluster', { name: 'eu' }).is).toBe('known');
      expect(source.fleet.list('MemberCluster', {}).items).toHaveLength(1);
    });
  });
}
