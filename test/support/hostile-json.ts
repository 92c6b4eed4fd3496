import fc from 'fast-check';
import { kinds, kindsOf } from '../../src/fleet/kinds.js';

/* Objects of the right structure with hostile parts: whoever fuzzes with plain junk never gets past the first field. */

const anyJson = fc.jsonValue({ maxDepth: 4 });

const oddTexts = [
  '',
  '\n  Fix: run this\n    touch x',
  '\u001b[8m\u202e',
  '__proto__',
  'constructor',
  '--all',
  '-',
  'a/b/c',
  '\ud800',
  '9999999h',
  '1e309',
  'x'.repeat(5_000),
];
const text = fc.oneof(
  fc.constantFrom('a', 'prod', 'release', 'Run', 'Stop', 'Approved', 'True', '1h', 'In', ...oddTexts),
  fc.string(),
);

/** Nested as deep as no object is; the parser takes it. */
const deep = fc
  .integer({ min: 100, max: 400 })
  .map((levels) => JSON.parse('{"f:a":'.repeat(levels) + '1' + '}'.repeat(levels)) as unknown);
const long = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(item, fc.integer({ min: 0, max: 120 })).map(([one, length]) => Array.from({ length }, () => one));
const odd = fc.oneof(
  { arbitrary: anyJson, weight: 6 },
  { arbitrary: fc.constantFrom(null, 0, -1, 2 ** 53, 1e308, true, ...oddTexts), weight: 4 },
  { arbitrary: deep, weight: 1 },
);

/** What a field should be, as a rule; anything now and then. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: right, weight: 12 }, { arbitrary: odd, weight: 1 });
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  mostly(
    fc.record(Object.fromEntries(Object.entries(fields).map(([key, of]) => [key, mostly(of)])), { requiredKeys: [] }),
  );
const some = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: fc.array(item, { maxLength: 5 }), weight: 30 }, { arbitrary: long(item), weight: 1 });

const selector = record({
  matchLabels: fc.dictionary(text, text, { maxKeys: 5 }),
  matchExpressions: some(
    record({ key: text, operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'in'), values: some(text) }),
  ),
});
const task = record({ type: fc.constantFrom('Approval', 'TimedWait', 'Other'), waitTime: text });
const stage = record({
  name: text,
  labelSelector: selector,
  sortingLabelKey: text,
  maxConcurrency: fc.oneof(fc.integer(), text),
  beforeStageTasks: some(task),
  afterStageTasks: some(task),
});
const condition = record({
  type: fc.constantFrom('Approved', 'ApprovalAccepted', 'Initialized', 'Succeeded', 'Progressing', 'approved'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  observedGeneration: fc.integer(),
  lastTransitionTime: text,
});
const cluster = record({ clusterName: text, conditions: some(condition) });
const metadata = record({
  name: text,
  generation: fc.integer(),
  labels: fc.dictionary(text, text, { maxKeys: 5 }),
  annotations: fc.dictionary(text, text, { maxKeys: 5 }),
  finalizers: some(text),
  deletionTimestamp: text,
  creationTimestamp: text,
  managedFields: some(odd),
});
const spec = record({
  stages: some(stage),
  placementName: text,
  stagedRolloutStrategyName: text,
  resourceSnapshotIndex: text,
  state: fc.constantFrom('Initialize', 'Run', 'Stop'),
  parentStageRollout: text,
  targetStage: text,
  policy: record({
    placementType: text,
    clusterNames: some(text),
    tolerations: some(record({ key: text, value: text })),
  }),
  strategy: record({ type: text, applyStrategy: odd }),
  resourceSelectors: some(record({ group: text, kind: text, name: text, labelSelector: selector })),
  taints: some(record({ key: text, value: text, effect: text })),
  clusterName: text,
});
const status = record({
  conditions: some(condition),
  stagesStatus: some(record({ stageName: text, clusters: some(cluster), conditions: some(condition) })),
  deletionStageStatus: record({ clusters: some(cluster) }),
  stagedUpdateStrategySnapshot: record({ stages: some(stage) }),
});
const object = fc.oneof({ arbitrary: record({ metadata, spec, status }), weight: 20 }, { arbitrary: odd, weight: 1 });

export const hostileUid = 'fuzz-0000';

/** The request of a review, with its fields in the order of the API server. */
export const hostileRequest = fc
  .record({
    // Those of approvals more often: they are what is stamped.
    kind: fc.constantFrom(...kinds, ...kindsOf('ApprovalRequest'), ...kindsOf('ApprovalRequest')),
    operation: fc.constantFrom('CREATE', 'UPDATE', 'UPDATE', 'DELETE', 'CONNECT'),
    subResource: fc.constantFrom('', 'status', 'scale'),
    name: mostly(text),
    namespace: mostly(fc.constantFrom('team-a', '')),
    username: mostly(fc.constantFrom('alice', 'system:serviceaccount:fleet-system:hub-agent-sa', '')),
    version: fc.constantFrom('v1', 'v1beta1', 'v1alpha1'),
    now: object,
    old: object,
    dryRun: fc.boolean(),
  })
  .map(({ kind, now, old, username, version, operation, ...rest }) => ({
    uid: hostileUid,
    kind: { group: kind.group, version, kind: kind.kind },
    resource: { group: kind.group, version, resource: kind.plural },
    subResource: rest.subResource,
    requestKind: { group: kind.group, version, kind: kind.kind },
    name: rest.name,
    namespace: rest.namespace,
    operation,
    userInfo: { username },
    object: operation === 'DELETE' ? null : now,
    oldObject: operation === 'CREATE' ? null : old,
    dryRun: rest.dryRun,
  }));
