import fc from 'fast-check';
import type { Family } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import type { Scope } from '../harness/paths.js';
import type { User } from '../harness/users.js';
import { mutatedStrategySpec } from './mutated.js';

/** One write, as it goes to the API server and as the rules are asked about it. */
export interface Write {
  readonly family: Family;
  readonly scope: Scope;
  readonly version: string;
  readonly user: User;
  readonly name: string;
  /** Undefined for a creation. */
  readonly stored?: Json;
  readonly subresource?: 'status';
  /** spec, or status of a write to the subresource. */
  readonly part: Json;
  /** Something else of the object changes, and its spec stays. */
  readonly labels?: Json;
}

/*
 * Small pools, so that sound and broken values come together in all mixtures; each pool has what stands just beside the
 * edge of a rule, on both sides.
 */

const times = [
  ...['1s', '1.0s', '0.999999999s', '0.9999999999s', '1.5s', '0.001h', '0.0001h', '1m', '90m', '1h30m', '30s1h'],
  ...['0s', '0h0m0s', '0.5s', '0h1s', '01h', '8760h', '8761h', '99999h', '100000h', '2562047h', '2562048h', '9999999h'],
  ...['9999999m', '10000000m', '999999999s', '1000000000s', '1h1h1h1h1h1h1h1h', '1h1h1h1h1h1h1h1h1h', '0.5s0.5s'],
  ...[
    '99999h99999h99999h99999h99999h99999h99999h99999h',
    '999999999s9999999m99999h',
    '1ms',
    '1d',
    '',
    '1',
    '-1h',
    '+1h',
  ],
  ...[`${'0'.repeat(1022)}1s`, `${'0'.repeat(1023)}1s`, `1.${'9'.repeat(40)}s`, '000000100000h'],
];
const keys = [
  ...['env', 'a', 'A-b_c.d', 'example.com/env', 'x.y-z/tier', '', '/', 'a/', '/a', 'a/b/c', '-a', 'a-', 'A.com/x', 'ä'],
  ...[
    'k'.repeat(63),
    'k'.repeat(64),
    `${'p'.repeat(253)}/k`,
    `${'p'.repeat(254)}/k`,
    `p/${'k'.repeat(63)}`,
    'a b',
    'a\n',
  ],
  ...[`p/${'k'.repeat(64)}`, 'a..b/c', 'a.b/c'],
];
const values = [
  'prod',
  '',
  'A_b.c-d',
  '-x',
  'x-',
  'v'.repeat(63),
  'v'.repeat(64),
  'a b',
  'ü',
  'a\n',
  '1',
  "'",
  '"',
  '\\',
];
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'in', 'Foo', ''];
const concurrencies = [
  1,
  2,
  100,
  0,
  -1,
  2147483647,
  2147483648,
  3e9,
  '1%',
  '100%',
  '99%',
  '0%',
  '101%',
  '1',
  '',
  '05%',
];
const indices = [
  ...[
    '',
    '0',
    '1',
    '7',
    '01',
    '+1',
    '-1',
    '-0',
    ' 1',
    '1 ',
    '1.0',
    'latest',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...['999999999999999999', '9999999999999999999', '10000000000000000000', '0x1', '1e3', '\u0661', '1\n'],
];

const one = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** Mostly the first, which is sound. */
const mostly = <T>(sound: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(sound) }, { weight: 1, arbitrary: one(sound, ...others) });

const time = fc.oneof({ weight: 2, arbitrary: one('1h', '1s') }, { weight: 3, arbitrary: one(...times) });
const timedWait = fc.record({ type: fc.constant('TimedWait'), waitTime: time }, { requiredKeys: ['type'] });
const approval = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ type: 'Approval' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'Approval', waitTime: '1h' }) },
);
const task = fc.oneof(timedWait, approval, fc.constant({ type: 'approval' }));
const requirement = fc.record(
  {
    key: fc.oneof({ weight: 2, arbitrary: fc.constant('env') }, { weight: 1, arbitrary: one(...keys) }),
    operator: fc.oneof({ weight: 4, arbitrary: one('In', 'Exists') }, { weight: 1, arbitrary: one(...operators) }),
    values: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('a') }, { weight: 1, arbitrary: one(...values) }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: ['key', 'operator'] },
);
const sometimesOdd = <T>(sound: T, pool: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(sound) }, { weight: 1, arbitrary: one(...pool) });
const selector = fc.record(
  {
    matchLabels: fc.dictionary(sometimesOdd('ring', keys), sometimesOdd('0', values), { maxKeys: 2 }),
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const stage = fc.record(
  {
    name: one('canary', 'prod', 'eu', 'us', 'asia', 'last', 'test', 'a', 'b', 'c'),
    labelSelector: selector,
    maxConcurrency: sometimesOdd<number | string>(1, concurrencies),
    beforeStageTasks: fc.array(task, { maxLength: 2 }),
    afterStageTasks: fc.array(task, { maxLength: 3 }),
  },
  { requiredKeys: ['name'] },
);
/** What stands on both sides of the bounds, and far beyond. */
const large: fc.Arbitrary<Json> = fc
  .record({
    requirements: one(1, 247, 248, 249, 5000),
    values: one(1, 4999, 5000, 5001, 77_500),
    text: one('a'.repeat(63), 'a'.repeat(317), 'a'.repeat(318), '\u{1f6a2}'.repeat(317), '\u{1f6a2}'.repeat(318)),
    as: one('value', 'key', 'operator', 'sortingLabelKey', 'label'),
  })
  .map(({ requirements, values: count, text, as }) => ({
    stages: [
      {
        name: 'large',
        ...(as === 'sortingLabelKey' && { sortingLabelKey: text }),
        labelSelector: {
          ...(as === 'label' && { matchLabels: { [text]: text } }),
          matchExpressions: [
            {
              key: as === 'key' ? text : 'a',
              operator: as === 'operator' ? text : 'In',
              values: [as === 'value' ? text : 'a', ...Array.from({ length: count - 1 }, () => 'b')],
            },
            ...Array.from({ length: requirements - 1 }, () => ({ key: 'a', operator: 'Exists' })),
          ],
        },
      },
    ],
  }));

const strategySpec: fc.Arbitrary<Json> = fc.oneof(
  { weight: 24, arbitrary: fc.record({ stages: fc.array(stage, { minLength: 1, maxLength: 3 }) }) },
  { weight: 12, arbitrary: mutatedStrategySpec },
  { weight: 1, arbitrary: large },
  {
    weight: 2,
    arbitrary: one(0, 1, 31, 32).map((count) => ({
      stages: Array.from({ length: count }, (_, index) => ({ name: `s${String(index)}`, labelSelector: {} })),
    })),
  },
);

const anybody = one<User>('admin', 'alice', 'hubAgent');
const scope = one<Scope>(undefined, 'team-a');
const version = mostly('v1beta1', 'v1', 'v1alpha1');

/** The namespaced kinds were never served in v1alpha1. */
const served = (write: Write): Write =>
  write.scope !== undefined && write.version === 'v1alpha1' ? { ...write, version: 'v1' } : write;

const strategies: fc.Arbitrary<Write> = fc
  .record({
    scope,
    version,
    part: strategySpec,
    stored: one<keyof typeof storedSpecs | undefined>(undefined, undefined, 'sound', 'broken', 'leaving'),
    same: fc.boolean(),
    user: anybody,
  })
  .map(({ stored, part, same, ...write }) => ({
    ...write,
    family: 'UpdateStrategy',
    ...(stored === undefined
      ? { name: 'new', part }
      : {
          name: stored,
          stored: storedSpecs[stored],
          part: same ? storedSpecs[stored] : part,
          labels: { touched: 'yes' },
        }),
  }));

/** Stored before the floor: old errors must not stand in anybody's way. */
export const storedSpecs = {
  sound: { stages: [{ name: 'all', labelSelector: {}, maxConcurrency: 1 }] },
  broken: {
    stages: [
      { name: 'all', labelSelector: { matchExpressions: [{ key: 'env', operator: 'Foo' }] }, maxConcurrency: 1 },
      { name: 'all', labelSelector: {}, maxConcurrency: 1 },
    ],
  },
  /** Being deleted, and kept by a finalizer. */
  leaving: { stages: [{ name: 'all', labelSelector: {}, maxConcurrency: 1 }] },
} as const;

export const storedRun = { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Initialize' };
export const storedRuns = ['under-way', 'leaving'] as const;

const runs: fc.Arbitrary<Write> = fc
  .record({
    scope,
    version,
    index: fc.oneof(fc.constant(undefined), one(...indices)),
    name: mostly('run', 'r'.repeat(63), 'r'.repeat(64), 'r'.repeat(80)),
    state: one('Initialize', 'Run', undefined),
    stored: one<(typeof storedRuns)[number] | undefined>(undefined, undefined, ...storedRuns),
    user: anybody,
  })
  .map(({ index, state, stored, ...write }) => ({
    ...write,
    ...(stored !== undefined && { name: stored, stored: storedRun, labels: { touched: 'yes' } }),
    family: 'UpdateRun',
    part: {
      placementName: 'shop',
      stagedRolloutStrategyName: 'rings',
      ...(index !== undefined && { resourceSnapshotIndex: index }),
      ...(state !== undefined && { state }),
    },
  }));

const condition = fc.record({
  type: one('Approved', 'ApprovalAccepted', 'approved', 'Denied', 'Old'),
  status: one('True', 'False', 'Unknown'),
  reason: one('ok', 'other'),
  message: one('', 'hello'),
  lastTransitionTime: fc.constant('2026-01-02T03:04:05Z'),
  observedGeneration: one(1, 1, 2, undefined),
});
const conditions = fc.uniqueArray(condition, { maxLength: 3, selector: ({ type }) => type });

const storedCondition = (type: string): Json => ({
  type,
  status: 'True',
  reason: 'ok',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration: 1,
});

/** By the name of the approval request: one that nobody has approved, and one that somebody has. */
export const storedConditions = {
  asked: [storedCondition('Old')],
  granted: [storedCondition('Approved')],
  accepted: [storedCondition('Approved'), storedCondition('ApprovalAccepted')],
  'granted-before': [{ ...storedCondition('Approved'), observedGeneration: 2 }],
} as const;

const approvalSpec = { parentStageRollout: 'release', targetStage: 'canary' };

const approvals: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({
      scope,
      version,
      user: anybody,
      name: one('release-after-canary', 'release-before-canary', 'release-canary', 'a-before-b-c', 'x-after-y', 'note'),
    })
    .map((write) => ({ ...write, family: 'ApprovalRequest' as const, part: approvalSpec })),
  fc
    .record({
      scope,
      version,
      user: anybody,
      conditions,
      name: one(...(Object.keys(storedConditions) as (keyof typeof storedConditions)[])),
    })
    .map(({ conditions: part, ...write }) => ({
      ...write,
      family: 'ApprovalRequest' as const,
      subresource: 'status' as const,
      stored: { conditions: storedConditions[write.name] },
      part: { conditions: part },
    })),
);

const runStatus: fc.Arbitrary<Write> = fc
  .record({
    scope,
    version,
    user: anybody,
    name: one(...storedRuns),
    part: one<Json>({ conditions: storedConditions.asked }, { conditions: [] }, {}, { resourceSnapshotIndexUsed: '1' }),
  })
  .map((write) => ({
    ...write,
    family: 'UpdateRun' as const,
    subresource: 'status' as const,
    stored: { conditions: storedConditions.asked },
  }));

export const writes: fc.Arbitrary<Write> = fc
  .oneof(
    { weight: 6, arbitrary: strategies },
    { weight: 2, arbitrary: runs },
    { weight: 2, arbitrary: approvals },
    { weight: 1, arbitrary: runStatus },
  )
  .map(served);
