import { expect, test } from '@jest/globals';
import { differencesBetween } from '../../../src/floor/compare.js';
import { floorObjects, type FloorObject, type FloorSettings } from '../../../src/floor/objects.js';
import { modesAsShipped } from '../../../src/engine/policy.js';
import { floorPolicies } from '../../../src/floor/policy.js';
import { catalogue } from '../../../src/rules/index.js';
import { objectsOf, rendered } from './rendered.js';

/* The chart and `stageguard floor` put together the same policies, so that `floor --check` tells the truth of both. */

const byChart = async (values: object): Promise<readonly FloorObject[]> =>
  (objectsOf(await rendered(values)) as unknown as readonly FloorObject[]).filter(({ kind }) =>
    kind.startsWith('ValidatingAdmissionPolicy'),
  );

const settings: FloorSettings = {
  prefix: 'stageguard',
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: 'auto' },
  guard: { namespace: 'fleet-stageguard', serviceAccount: 'stageguard' },
  modes: modesAsShipped,
};
const users = ['system:serviceaccount:a:b', "o'brien", 'system:serviceaccount:c:d', 'system:serviceaccount:e:f'];
const rules = { 'strategy-wait-time': 'warn', 'strategy-size': 'audit', 'run-snapshot-index': 'off' } as const;
const namespaces = {
  'team-b': { rules: { 'run-snapshot-index': 'deny', 'strategy-wait-time': 'off' } },
  'team-a': { rules: { 'strategy-wait-time': 'deny' } },
} as const;

const pilot = { defaultMode: 'deny' } as const;
const namespaceLabels = [
  { label: 'tier=lab', rules: { 'strategy-wait-time': 'off', 'strategy-size': 'deny' } },
  { label: 'example.com/tier=prod', defaultMode: 'audit', rules: {} },
  { label: 'empty=', defaultMode: 'off', rules: { 'strategy-size': 'deny' } },
] as const;

test.each<[string, object, Partial<FloorSettings>]>([
  ['as it comes', {}, {}],
  ['several users', { hubAgent: { users } }, { hubAgent: { users, confirmed: 'auto' } }],
  ['users that are no accounts', { hubAgent: { users: ['x'] } }, { hubAgent: { users: ['x'], confirmed: 'auto' } }],
  ...[true, false].map((confirmed): [string, object, Partial<FloorSettings>] => [
    `confirmed: ${String(confirmed)}`,
    { config: { hubAgent: { confirmed } } },
    { hubAgent: { ...settings.hubAgent, confirmed } },
  ]),
  ['modes', { config: { rules } }, { modes: { ...modesAsShipped, rules } }],
  ['modes of namespaces', { config: { rules, namespaces } }, { modes: { ...modesAsShipped, rules, namespaces } }],
  ['a default mode', { config: { defaultMode: 'audit' } }, { modes: { ...modesAsShipped, defaultMode: 'audit' } }],
  [
    'default modes of namespaces and labels',
    { config: { defaultMode: 'warn', rules, namespaces: { ...namespaces, pilot }, namespaceLabels } },
    {
      modes: {
        defaultMode: 'warn',
        rules,
        namespaces: { ...namespaces, pilot: { rules: {}, ...pilot } },
        namespaceLabels,
      },
    },
  ],
  [
    'a default mode that YAML 1.1 has made false',
    { config: { defaultMode: false, rules: { 'strategy-size': 'warn' } } },
    { modes: { ...modesAsShipped, defaultMode: 'off', rules: { 'strategy-size': 'warn' } } },
  ],
  [
    'kinds that are not served',
    { notServedKinds: ['approvalrequests', 'clusterstagedupdateruns'] },
    { notServedKinds: ['approvalrequests', 'clusterstagedupdateruns'] },
  ],
  [
    'another account',
    { serviceAccount: { name: 'guard' } },
    { guard: { namespace: 'fleet-stageguard', serviceAccount: 'guard' } },
  ],
])('%s', async (_what, values, own) => {
  const wanted = floorObjects(floorPolicies(catalogue), { ...settings, ...own });
  const chart = await byChart(values);
  expect(differencesBetween(wanted, chart, 'stageguard')).toEqual([]);
  expect(chart).toHaveLength(wanted.length);
});

test('the floor is left out where it is switched off', async () => {
  expect(await byChart({ floor: { enabled: false } })).toEqual([]);
});
