import fc from 'fast-check';
import { binding, cluster, strategy, type Draft } from './builders.js';

type Json = Readonly<Record<string, unknown>>;

/*
 * Small fleets over few keys and values, so that stages overlap, miss clusters and fail to sort them often enough.
 */

const value = fc.constantFrom('a', 'b', 'c');
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom('ring', 'tier');

const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.constant({ key: 'kubernetes-fleet.io/member-name', operator: 'In', values: ['c0', 'c1'] }),
);

const selector: fc.Arbitrary<Json | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(undefined, {}) },
  { weight: 4, arbitrary: fc.record({ matchLabels: fc.dictionary(key, value, { minKeys: 1, maxKeys: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ matchExpressions: fc.array(requirement, { minLength: 1, maxLength: 2 }) }) },
);

const sortingLabelKey = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom('order', 'tier') },
  { weight: 1, arbitrary: fc.constantFrom('', 'kubernetes-fleet.io/member-name') },
);

export const arbitraryStages: fc.Arbitrary<readonly Json[]> = fc
  .array(fc.record({ labelSelector: selector, sortingLabelKey }), { minLength: 1, maxLength: 4 })
  .map((stages) => stages.map((stage, index) => ({ name: `s${String(index)}`, ...stage })));

const order = fc.constantFrom('1', '2', '007', 'x', '', '99999999999999999999');

export const arbitraryLabels: fc.Arbitrary<Readonly<Record<string, string>>> = fc.record(
  { ring: value, tier: value, order },
  { requiredKeys: [] },
);

export interface ArbitraryFleet {
  readonly stages: readonly Json[];
  readonly members: readonly Draft<'MemberCluster'>[];
  readonly bindings: readonly Draft<'Binding'>[];
  readonly strategy: Draft<'UpdateStrategy'>;
}

export const arbitraryFleet: fc.Arbitrary<ArbitraryFleet> = fc
  .record({
    stages: arbitraryStages,
    members: fc.array(
      fc.record({ labels: arbitraryLabels, state: fc.constantFrom('Scheduled', 'Bound', 'Unscheduled', undefined) }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ stages, members }) => ({
    stages,
    members: members.map(({ labels }, index) => cluster(`c${String(index)}`, labels)),
    bindings: members.flatMap(({ state }, index) =>
      state === undefined ? [] : [binding(`c${String(index)}`, { state })],
    ),
    strategy: strategy('rings', ...stages),
  }));
