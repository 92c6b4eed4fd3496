import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memberIn } from '../../src/fleet/members-by-name.js';
import { planStages, type Plan } from '../../src/fleet/plan.js';
import { sortBindings } from '../../src/fleet/scheduling.js';
import { arbitraryFleet, arbitraryLabels, type ArbitraryFleet } from '../support/arbitrary-fleet.js';
import { binding, cluster, policySnapshot, stage, strategy, type Draft } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

const [scope] = scopes as readonly [(typeof scopes)[number]];
const snapshot = objectIn(scope, policySnapshot());

function planOf({ strategy: of, members, bindings }: Pick<ArbitraryFleet, 'strategy' | 'members' | 'bindings'>): Plan {
  const sorted = sortBindings(
    bindings.map((draft) => objectIn(scope, draft)),
    snapshot,
  );
  return planStages({
    stages: objectIn(scope, of).spec.stages,
    ...sorted,
    memberOf: memberIn(members.map((draft) => objectIn(scope, draft))),
  });
}

/** A fleet whose clusters are all scheduled. */
function planAll(
  stages: readonly Readonly<Record<string, unknown>>[],
  ...members: readonly Draft<'MemberCluster'>[]
): Plan {
  const names = members.map(({ json }) => (json['metadata'] as { name: string }).name);
  return planOf({ strategy: strategy('rings', ...stages), members, bindings: names.map((name) => binding(name)) });
}

const clustersOf = (plan: Plan): readonly (readonly string[])[] => plan.stages.map(({ clusters }) => clusters);

describe('the plan of a run', () => {
  test('takes the clusters of a stage by name, in the order of bytes', () => {
    const names = ['b', 'a10', 'a9', 'a-b', 'a.b'];
    const plan = planAll([stage('prod')], ...names.map((name) => cluster(name, { ring: 'prod' })));
    expect(clustersOf(plan)).toEqual([['a-b', 'a.b', 'a10', 'a9', 'b']]);
  });

  test('sorts by number first and by name among equals', () => {
    const sorted = stage('prod', { sortingLabelKey: 'order' });
    const members = Object.entries({ d: '10', c: '9', b: '007', a: '7' });
    const plan = planAll([sorted], ...members.map(([name, order]) => cluster(name, { ring: 'prod', order })));
    expect(clustersOf(plan)).toEqual([['a', 'b', 'c', 'd']]);
    expect(plan.stages[0]?.nextRank).toBe('11');
  });

  test.each([
    ['0', true],
    ['007', true],
    ['9223372036854775807', true],
    ['9223372036854775808', false],
    ['99999999999999999999', false],
    ['', false],
    ['1.0', false],
    ['1e3', false],
    ['1_000', false],
    ['0x10', false],
    [' 1', false],
    ['one', false],
    [undefined, false],
  ])('reads the sorting label %j like strconv.Atoi: %s', (value, isNumber) => {
    const sorted = stage('prod', { sortingLabelKey: 'order' });
    const plan = planAll([sorted], cluster('eu', { ring: 'prod', ...(value !== undefined && { order: value }) }));
    expect(plan.unsortable).toEqual(isNumber ? [] : [{ cluster: 'eu', stage: 'prod', key: 'order', value }]);
  });

  test('cannot sort by an empty key, and does not offer a number for it', () => {
    const plan = planAll([stage('prod', { sortingLabelKey: '' })], cluster('eu', { ring: 'prod' }));
    expect(plan.unsortable).toHaveLength(1);
    expect(plan.stages[0]).not.toHaveProperty('nextRank');
  });

  test('leaves out clusters that are not scheduled, and those that are to be removed', () => {
    const members = ['eu', 'us', 'asia'].map((name) => cluster(name, { ring: 'prod' }));
    const bindings = [binding('eu'), binding('us', { state: 'Unscheduled' })];
    const plan = planOf({ strategy: strategy('rings', stage('prod')), members, bindings });
    expect(clustersOf(plan)).toEqual([['eu']]);
    expect(plan.deletion).toEqual(['us']);
  });

  test('counts a scheduled cluster that is no member among those in no stage', () => {
    const plan = planOf({ strategy: strategy('rings', stage('prod')), members: [], bindings: [binding('gone')] });
    expect(plan.inNoStage).toEqual(['gone']);
  });

  test('takes nothing into a stage whose selector is absent or cannot be read', () => {
    const odd = { name: 'odd', labelSelector: { matchExpressions: [{ key: 'ring', operator: 'NotIn' }] } };
    const plan = planAll([{ name: 'none' }, odd], cluster('eu'));
    expect(clustersOf(plan)).toEqual([[], []]);
    expect(plan.inNoStage).toEqual(['eu']);
  });

  test('names every stage that selects a cluster, also two of one name', () => {
    const all = { name: 'all', labelSelector: {} };
    const plan = planAll([all, stage('prod'), all], cluster('eu', { ring: 'prod' }));
    expect(plan.inSeveralStages).toEqual([{ cluster: 'eu', stages: ['all', 'prod', 'all'] }]);
  });
});

describe('for any fleet', () => {
  test('every scheduled cluster is in exactly one stage, or is named as being in none or in several', () => {
    fc.assert(
      fc.property(arbitraryFleet, (fleet) => {
        const plan = planOf(fleet);
        const { scheduled } = sortBindings(
          fleet.bindings.map((draft) => objectIn(scope, draft)),
          snapshot,
        );
        const several = new Set(plan.inSeveralStages.map(({ cluster: name }) => name));
        for (const name of scheduled) {
          const stages = clustersOf(plan).filter((clusters) => clusters.includes(name)).length;
          expect([plan.inNoStage.includes(name), several.has(name)]).toEqual([stages === 0, stages > 1]);
        }
        expect(
          clustersOf(plan)
            .flat()
            .every((name) => scheduled.includes(name)),
        ).toBe(true);
      }),
    );
  });

  test('the order of members and bindings changes nothing', () => {
    fc.assert(
      fc.property(
        arbitraryFleet.chain((fleet) =>
          fc.record({
            fleet: fc.constant(fleet),
            members: fc.shuffledSubarray([...fleet.members], { minLength: fleet.members.length }),
            bindings: fc.shuffledSubarray([...fleet.bindings], { minLength: fleet.bindings.length }),
          }),
        ),
        ({ fleet, members, bindings }) => {
          expect(planOf({ ...fleet, members, bindings })).toEqual(planOf(fleet));
        },
      ),
    );
  });

  test('a cluster that the placement has not picked changes nothing', () => {
    fc.assert(
      fc.property(arbitraryFleet, arbitraryLabels, (fleet, labels) => {
        expect(planOf({ ...fleet, members: [cluster('another', labels), ...fleet.members] })).toEqual(planOf(fleet));
      }),
    );
  });

  test('the next number comes after all others of its stage', () => {
    fc.assert(
      fc.property(arbitraryFleet, (fleet) => {
        for (const { stage: each, clusters, nextRank } of planOf(fleet).stages) {
          if (nextRank === undefined || each.sortingLabelKey === undefined) continue;
          const last = cluster('zz', { ring: 'a', [each.sortingLabelKey]: nextRank });
          const all = { ...each, labelSelector: {} };
          const of = fleet.members.filter(({ json }) => clusters.includes((json['metadata'] as { name: string }).name));
          expect(clustersOf(planAll([all], ...of, last))[0]?.at(-1)).toBe('zz');
        }
      }),
    );
  });
});
