import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindsOf, type Family } from '../../../src/fleet/kinds.js';
import type { Answer, Json } from '../harness/api.js';
import { expectStored } from '../harness/hub.js';
import { ourCrds } from '../harness/our-crds.js';
import { headOf, pathOf } from '../harness/paths.js';
import { useHub } from '../harness/use-hub.js';
import type { User } from '../harness/users.js';
import { floorRuleIn, installFloor } from './installed.js';
import { junk, mutatedFrom, mutatedStrategySpec } from './mutated.js';
import { storedConditions, storedRun } from './writes.js';

/*
 * An expression that fails, or costs more than the API server lets it, is a 422 without a word of ours. The definitions
 * here take anything whatever, so that every policy is asked about what KubeFleet's own would never let through.
 */

const families = ['UpdateRun', 'UpdateStrategy', 'ApprovalRequest'] as const satisfies readonly Family[];
const plurals = new Set(families.flatMap(kindsOf).map(({ plural }) => plural));
const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

interface Definition {
  readonly spec: { readonly names: { readonly plural: string }; readonly versions: readonly Json[] };
}

function loosened(definition: Json): Json {
  const { spec } = definition as unknown as Definition;
  if (!plurals.has(spec.names.plural)) return definition;
  return {
    ...definition,
    spec: { ...spec, versions: spec.versions.map((version) => ({ ...version, schema: anything })) },
  };
}

const hub = useHub({ crds: ourCrds.map(loosened) });

const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const condition = (type: string): Json => ({ ...storedConditions.asked[0], type });

/** What lies there when the floor comes. */
const storedJunk: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  text: 'x',
  list: [1],
  'no-list': { stages: 'x', conditions: 'x', resourceSnapshotIndex: {} },
  odd: { stages: [null, 1, {}, { name: 1 }], conditions: [null, 1, {}, { type: 1 }], resourceSnapshotIndex: 3 },
  sound: { stages: [{ name: 'all' }], conditions: storedConditions.granted, resourceSnapshotIndex: '1' },
  crowded: { conditions: many(1500, (index) => condition(`Old${String(index)}`)) },
};
const storedNames = Object.keys(storedJunk);

beforeAll(async () => {
  const admin = hub().api('admin');
  for (const family of families) {
    for (const [name, part] of Object.entries(storedJunk)) {
      const object = {
        ...headOf(family, undefined),
        metadata: { name },
        ...(family !== 'ApprovalRequest' && { spec: part }),
      };
      expectStored(await admin.create(pathOf(family, undefined), object));
      if (family === 'UpdateStrategy' || part === undefined) continue;
      expectStored(await setStatus({ user: 'admin', family, name, part, version: 'v1beta1' }, ''));
    }
  }
  await installFloor(hub());
}, 120_000);

interface Write {
  readonly user: User;
  readonly family: (typeof families)[number];
  readonly version: string;
  /** Of a stored object, or of a new one. */
  readonly name: string;
  readonly part: unknown;
  readonly subresource?: 'status' | undefined;
}

function setStatus({ user, family, name, part, version }: Write, query = '?dryRun=All'): Promise<Answer> {
  const path = pathOf(family, undefined, `${name}/status`, version);
  return hub()
    .api(user)
    .patch(`${path}${query}`, 'json', [{ op: 'add', path: '/status', value: part }]);
}

function sent(write: Write): Promise<Answer> {
  const { user, family, name, part, version, subresource } = write;
  if (subresource === 'status') return setStatus(write);
  const api = hub().api(user);
  if (storedNames.includes(name)) {
    const patch = [{ op: 'add', path: '/spec', value: part }];
    return api.patch(`${pathOf(family, undefined, name, version)}?dryRun=All`, 'json', patch);
  }
  const metadata = name.endsWith('-') ? { generateName: name } : { name };
  return api.create(`${pathOf(family, undefined, '', version)}?dryRun=All`, {
    ...headOf(family, undefined, version),
    metadata,
    spec: part,
  });
}

const probe: Write = { user: 'admin', family: 'UpdateStrategy', version: 'v1beta1', name: 'probe', part: {} };
const one = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const anyPart = fc.oneof(
  { weight: 1, arbitrary: one<unknown>(...junk, ...Object.values(storedJunk).filter((part) => part !== undefined)) },
  { weight: 3, arbitrary: mutatedStrategySpec },
  { weight: 2, arbitrary: mutatedFrom(one<unknown>(storedRun, { ...storedRun, resourceSnapshotIndex: '3' })) },
  {
    weight: 4,
    arbitrary: mutatedFrom(one<unknown>(...Object.values(storedConditions).map((conditions) => ({ conditions })))),
  },
);
const writes: fc.Arbitrary<Write> = fc
  .record({
    user: one<User>('admin', 'admin', 'hubAgent'),
    family: one(...families),
    version: one('v1beta1', 'v1', 'v1alpha1'),
    name: one('new', 'release-after-canary', 'release-after-', 'x'.repeat(64), ...storedNames),
    part: anyPart,
    isStatus: fc.boolean(),
  })
  .map(({ isStatus, ...write }) =>
    isStatus && write.family !== 'UpdateStrategy' && storedNames.includes(write.name)
      ? { ...write, subresource: 'status' as const }
      : write,
  );

/** What a policy says that neither admits nor refuses in the name of a rule. */
function failureIn(answer: Answer): string | undefined {
  const message = String(answer.body['message']);
  if (!message.includes('ValidatingAdmissionPolicy')) return undefined;
  return floorRuleIn(answer) !== undefined && answer.status === 403 ? undefined : `${String(answer.status)} ${message}`;
}

const count = Number(process.env['STAGEGUARD_FLOOR_JUNK'] ?? 1500);
const seed = Number(process.env['STAGEGUARD_FLOOR_SEED'] ?? 1);

test(`no expression fails, whatever is written: ${String(count)} writes of seed ${String(seed)}`, async () => {
  const failures: string[] = [];
  const told = { admitted: 0, refused: 0, otherwise: 0 };
  const queue = fc.sample(writes, { numRuns: count, seed });
  await Promise.all(
    many(16, async () => {
      for (let write = queue.pop(); write !== undefined; write = queue.pop()) {
        const answer = await sent(write);
        const failure = failureIn(answer);
        if (failure !== undefined) failures.push(`${failure}\n${JSON.stringify(write).slice(0, 2000)}`);
        told[answer.status < 300 ? 'admitted' : floorRuleIn(answer) === undefined ? 'otherwise' : 'refused']++;
      }
    }),
  );
  console.log(JSON.stringify(told));
  expect(failures.slice(0, 5).join('\n')).toBe('');
  expect(told.admitted).toBeGreaterThan(count / 10);
  expect(told.refused).toBeGreaterThan(count / 10);
}, 600_000);

const label = (index: number): string => `${'v'.repeat(58)}-${String(index).padStart(4, '0')}`;
const key = (index: number): string => `${'p'.repeat(249)}.${String(index).padStart(3, '0')}/${'k'.repeat(63)}`;
const nearTheBounds = {
  stages: many(31, (stage) => ({
    name: `${'s'.repeat(60)}${String(stage).padStart(3, '0')}`,
    sortingLabelKey: key(stage),
    maxConcurrency: '100%',
    labelSelector: {
      matchExpressions: many(8, (index) => ({ key: key(index), operator: 'In', values: many(20, label) })),
    },
    beforeStageTasks: [{ type: 'Approval' }],
    afterStageTasks: [{ type: 'Approval' }, { type: 'TimedWait', waitTime: '1h'.repeat(4) }],
  })),
};
const inOneStage = (stage: Json): Json => ({ stages: [{ name: 'a', ...stage }] });

test('the largest strategy that the rules admit costs no policy too much', async () => {
  expect(await sent({ ...probe, part: nearTheBounds })).toMatchObject({ status: 201 });
});

test.each<[string, Partial<Write>, string]>([
  ['stages', { part: { stages: many(100_000, () => ({})) } }, 'strategy-stages-present'],
  ['tasks', { part: inOneStage({ afterStageTasks: many(50_000, () => ({ type: 'x' })) }) }, 'strategy-size'],
  [
    'labels',
    {
      part: inOneStage({
        labelSelector: { matchLabels: Object.fromEntries(many(50_000, (index) => [`k${String(index)}`, ''])) },
      }),
    },
    'strategy-size',
  ],
  [
    'requirements',
    { part: inOneStage({ labelSelector: { matchExpressions: many(50_000, () => ({})) } }) },
    'strategy-size',
  ],
  [
    'values',
    {
      part: inOneStage({
        labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: many(200_000, () => '') }] },
      }),
    },
    'strategy-size',
  ],
  ['characters', { part: inOneStage({ sortingLabelKey: 'x'.repeat(1_000_000) }) }, 'strategy-size'],
  [
    'digits',
    { part: inOneStage({ afterStageTasks: [{ type: 'TimedWait', waitTime: `${'1'.repeat(1_000_000)}s` }] }) },
    'strategy-wait-time',
  ],
  [
    'a snapshot index',
    { family: 'UpdateRun', part: { resourceSnapshotIndex: '1'.repeat(1_000_000) } },
    'run-snapshot-index',
  ],
  [
    'conditions beside as many',
    {
      family: 'ApprovalRequest',
      name: 'crowded',
      subresource: 'status',
      part: { conditions: many(1501, (index) => condition(`Old${String(index)}`)) },
    },
    'approval-conditions',
  ],
])('far too many %s are refused in the name of a rule', async (_what, write, rule) => {
  const answer = await sent({ ...probe, ...write });
  expect({ failure: failureIn(answer), rule: floorRuleIn(answer) }).toEqual({ failure: undefined, rule });
});

test('what is stored already can be approved, labelled and deleted, whatever it is', async () => {
  const admin = hub().api('admin');
  for (const family of families) {
    for (const name of storedNames) {
      const path = pathOf(family, undefined, name);
      const labelled = await admin.patch(path, 'merge', { metadata: { labels: { touched: 'yes' } } });
      const approved = { conditions: storedConditions.granted };
      const granted =
        family === 'ApprovalRequest' ? await setStatus({ ...probe, family, name, part: approved }) : { status: 200 };
      const deleted = await admin.delete(path);
      expect({ family, name, all: [labelled.status, granted.status, deleted.status] }).toEqual({
        family,
        name,
        all: [200, 200, 200],
      });
    }
  }
});
