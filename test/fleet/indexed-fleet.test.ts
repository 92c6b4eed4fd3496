import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { families } from '../../src/fleet/kinds.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import { cluster, condition, run } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';
import { holdsFleetStateContract } from './state-contract.js';

holdsFleetStateContract('IndexedFleet', () => {
  const fleet = new IndexedFleet('partial');
  return {
    fleet,
    put: (family, object) => {
      fleet.put(family, object);
    },
    remove: (family, key) => {
      fleet.remove(family, key);
    },
    setComplete: (family, complete) => {
      fleet.setComplete(family, complete);
    },
  };
});

const [inCluster, inTeamA] = scopes as [(typeof scopes)[0], (typeof scopes)[0]];

test.each(families)('a complete fleet knows that there is no %s', (family) => {
  const fleet = new IndexedFleet('complete');
  expect(fleet.get(family, { name: 'x' })).toEqual({ is: 'absent' });
  expect(fleet.list(family, {})).toEqual({ items: [], complete: true });
});

describe('all objects of a family', () => {
  test('come from every namespace, in order', () => {
    const fleet = new IndexedFleet('complete');
    fleet.put('UpdateRun', objectIn(inTeamA, run('b')));
    fleet.put('UpdateRun', objectIn({ ...inTeamA, namespace: 'team-b' }, run('a')));
    fleet.put('UpdateRun', objectIn(inCluster, run('z')));
    fleet.put('MemberCluster', objectIn(inCluster, cluster('eu')));
    expect(fleet.all('UpdateRun').map(({ metadata }) => metadata.name)).toEqual(['z', 'b', 'a']);
  });
});

describe('against a plain list, through any puts and removals', () => {
  const word = fc.constantFrom('a', 'b', 'a/b', '=', '');
  interface Step {
    readonly remove: boolean;
    readonly name: string;
    readonly namespace: string | undefined;
    readonly placementName: string;
    readonly stagedRolloutStrategyName: string;
    readonly isOver: boolean;
  }
  const step: fc.Arbitrary<Step> = fc.record({
    remove: fc.boolean(),
    name: word,
    namespace: fc.constantFrom(undefined, 'a', 'b'),
    placementName: word,
    stagedRolloutStrategyName: word,
    isOver: fc.boolean(),
  });

  function objectOf({ name, namespace, placementName, stagedRolloutStrategyName, isOver }: Step): UpdateRun {
    const status = { conditions: isOver ? [condition('Succeeded', 'True')] : [] };
    const draft = run(name, { spec: { placementName, stagedRolloutStrategyName }, status });
    return objectIn({ ...inCluster, namespace }, draft);
  }

  test('every question has the same answer', () => {
    fc.assert(
      fc.property(fc.array(step), word, fc.constantFrom(undefined, 'a', 'b'), (steps, asked, namespace) => {
        const fleet = new IndexedFleet('complete');
        let plain: readonly UpdateRun[] = [];
        for (const one of steps) {
          const object = objectOf(one);
          const { name } = object.metadata;
          plain = plain.filter(({ metadata }) => metadata.name !== name || metadata.namespace !== one.namespace);
          if (one.remove) fleet.remove('UpdateRun', { name, namespace: one.namespace });
          else {
            fleet.put('UpdateRun', object);
            plain = [...plain, object];
          }
        }
        const inScope = plain
          .filter(({ metadata }) => metadata.namespace === namespace)
          .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
        expect(fleet.list('UpdateRun', { namespace }).items).toEqual(inScope);
        expect(fleet.list('UpdateRun', { namespace, placement: asked }).items).toEqual(
          inScope.filter(({ spec }) => spec.placementName === asked),
        );
        expect(fleet.list('UpdateRun', { namespace, strategy: asked }).items).toEqual(
          inScope.filter(({ spec }) => spec.stagedRolloutStrategyName === asked),
        );
        const open = ({ status }: UpdateRun): boolean => status.conditions.length === 0;
        expect(fleet.list('UpdateRun', { namespace, over: 'no' }).items).toEqual(inScope.filter(open));
        const placeOf = ({ metadata }: UpdateRun): string => `${metadata.namespace ?? ''}/${metadata.name}`;
        const everywhere = [...plain].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
        expect(fleet.list('UpdateRun', { everywhere: true }).items).toEqual(everywhere);
        expect(fleet.list('UpdateRun', { everywhere: true, over: 'no' }).items).toEqual(everywhere.filter(open));
        const known = inScope.find(({ metadata }) => metadata.name === asked);
        expect(fleet.get('UpdateRun', { name: asked, namespace })).toEqual(
          known === undefined ? { is: 'absent' } : { is: 'known', value: known },
        );
      }),
    );
  });
});
