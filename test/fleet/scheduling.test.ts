import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { badSelectorsOf, schedulingOf, sortBindings } from '../../src/fleet/scheduling.js';
import { binding, condition, placement, policySnapshot } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

const [scope] = scopes as readonly [(typeof scopes)[number]];
type Snapshot = Parameters<typeof policySnapshot>[1];

const shop = (generation = 1, conditions: readonly unknown[] = []) =>
  objectIn(scope, placement('shop', { metadata: { generation }, status: { conditions } }));
const snapshots = (...more: readonly Snapshot[]) => more.map((each) => objectIn(scope, policySnapshot('shop', each)));
const bad = condition('ClusterResourcePlacementScheduled', 'False', 'InvalidResourceSelectors');
const numbered = (text?: string): Snapshot => ({
  spec: { policy: { placementType: 'PickN', numberOfClusters: 3 } },
  metadata: { annotations: text === undefined ? {} : { 'kubernetes-fleet.io/number-of-clusters': text } },
});

describe('what the scheduler has made of a placement', () => {
  test.each([
    ['all clusters', {}, undefined],
    ['a policy without a type', { spec: { policy: {} } }, undefined],
    ['PickAll', { spec: { policy: { placementType: 'PickAll' } } }, undefined],
    ['a number', numbered('3'), 3],
    ['the number 0', numbered('0'), 0],
    ['a number with a sign, as Go reads it', numbered('+3'), 3],
    ['names', { spec: { policy: { placementType: 'PickFixed', clusterNames: ['a', 'b'] } } }, 2],
  ] as const)('counts the clusters that a policy asks for: %s', (_, given, count) => {
    const scheduling = schedulingOf(shop(), snapshots(given));
    const expected = { is: 'scheduled', index: '0', ...(count !== undefined && { clusterCount: count }) };
    expect({ ...scheduling, snapshot: undefined }).toEqual({ ...expected, snapshot: undefined });
  });

  test.each([undefined, '', 'x', '-1', '1.5'])('finds fault with the number %j', (text) => {
    expect(schedulingOf(shop(), snapshots(numbered(text)))).toMatchObject({ is: 'broken', problem: 'no count' });
  });

  test('finds fault with several latest snapshots, and with an empty index', () => {
    expect(schedulingOf(shop(), snapshots({ index: 0 }, { index: 1 }))).toMatchObject({ problem: 'several latest' });
    const labels = { 'kubernetes-fleet.io/is-latest-snapshot': 'true', 'kubernetes-fleet.io/policy-index': '' };
    expect(schedulingOf(shop(), snapshots({ metadata: { labels } }))).toMatchObject({ problem: 'no index' });
  });

  test('waits for the generation of the placement, unless its selectors keep KubeFleet from going on', () => {
    expect(schedulingOf(shop(2), snapshots({}))).toMatchObject({ is: 'settling' });
    expect(schedulingOf(shop(2, [{ ...bad, observedGeneration: 2 }]), snapshots({}))).toMatchObject({
      is: 'scheduled',
    });
    expect(schedulingOf(shop(2, [bad]), snapshots({}))).toMatchObject({ is: 'settling' });
  });

  test('waits for the first snapshot, unless bad selectors forbid one', () => {
    expect(schedulingOf(shop(), [])).toMatchObject({ is: 'settling' });
    expect(schedulingOf(shop(1, [bad]), [])).toMatchObject({ is: 'broken', problem: 'bad selectors' });
  });

  test('the order of snapshots changes nothing', () => {
    const all = snapshots({ index: 2 }, { index: 0, metadata: { labels: {} } }, { index: 1, metadata: { labels: {} } });
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 3 }), (shuffled) => {
        expect(schedulingOf(shop(), shuffled)).toEqual(schedulingOf(shop(), all));
      }),
    );
  });
});

test('bad selectors are told of the kind and generation at hand', () => {
  expect(badSelectorsOf(shop(1, [bad]))).toMatchObject({ reason: 'InvalidResourceSelectors' });
  expect(badSelectorsOf(shop(2, [bad]))).toBeUndefined();
  expect(badSelectorsOf(shop(1, [{ ...bad, type: 'ResourcePlacementScheduled' }]))).toBeUndefined();
});

test('bindings are sorted by what a run does with them', () => {
  const [snapshot] = snapshots({});
  if (snapshot === undefined) throw new Error('no snapshot');
  const bindings = [
    binding('d'),
    binding('c', { state: 'Bound' }),
    binding('b', { state: 'Unscheduled' }),
    binding('a', { state: 'Unscheduled', policySnapshot: 'shop-7' }),
    binding('f', { policySnapshot: 'shop-7' }),
    binding('e', { state: 'Bound', policySnapshot: '' }),
  ].map((draft) => objectIn(scope, draft));
  expect(sortBindings(bindings, snapshot)).toEqual({
    scheduled: ['c', 'd'],
    toDelete: ['a', 'b'],
    stale: ['e', 'f'],
  });
});
