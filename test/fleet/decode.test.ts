import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decode } from '../../src/fleet/decode.js';
import { JsonReader } from '../../src/fleet/json.js';
import { families, kindIn, kinds, type Family, type KindOfFamily } from '../../src/fleet/kinds.js';
import type { Families } from '../../src/fleet/model.js';
import { formatPath } from '../../src/fleet/path.js';
import { misfits, shapes } from '../support/model-shapes.js';
import { clusterObjects, namespacedRun } from '../support/real-objects.js';

const inCluster = <F extends Family>(family: F): KindOfFamily & { family: F } =>
  kindIn(family, undefined) as KindOfFamily & { family: F };

const read = <F extends Family>(family: F, json: unknown): Families[F] => decode(inCluster(family), json).object;

const problemsOf = (family: Family, json: unknown): string[] =>
  decode(inCluster(family), json).problems.map(
    ({ path, expected, actual }) => `${formatPath(path)}: ${expected}, not ${actual}`,
  );

describe('the policy of a placement', () => {
  const digestOf = (policy: unknown): string | undefined => read('Placement', { spec: { policy } }).spec.policy?.digest;
  const nodes = { name: 'kubernetes-fleet.io/node-count', operator: 'Gt', values: ['3'] };
  const terms = [
    { labelSelector: { matchLabels: { env: 'prod' } } },
    { propertySelector: { matchExpressions: [nodes] } },
    { propertySelector: { matchExpressions: [] } },
  ];
  const affinity = {
    clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: terms } },
  };

  test('keeps what its affinity demands and what it tolerates', () => {
    const policy = { affinity, tolerations: [{ key: 'a' }, { operator: 'Exists' }] };
    expect(read('PolicySnapshot', { spec: { policy } }).spec.policy).toMatchObject({
      clusterSelectorTerms: [
        { labelSelector: { matchLabels: { env: 'prod' }, matchExpressions: [] }, isOpen: false },
        { isOpen: true },
        { isOpen: false },
      ],
      tolerations: [
        { key: 'a', operator: 'Equal', value: '' },
        { key: '', operator: 'Exists', value: '' },
      ],
    });
  });

  test.each<[string, unknown]>([
    ['a number of clusters', { placementType: 'PickAll', numberOfClusters: 3 }],
    ['an empty list', { placementType: 'PickAll', tolerations: [] }],
    ['null', { placementType: 'PickAll', affinity: null }],
    ['the default type', {}],
  ])('has the same digest whatever it says of %s', (_, policy) => {
    expect(digestOf(policy)).toBe(digestOf({ placementType: 'PickAll' }));
  });

  test.each<[string, object, object]>([
    ['a toleration', { tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'a', operator: 'Equal', value: '' }] }],
    [
      'a spread',
      { topologySpreadConstraints: [{ topologyKey: 'region' }] },
      { topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] },
    ],
  ])('has the same digest where the defaults of %s are written out', (_, short, long) => {
    expect(digestOf(short)).toBe(digestOf(long));
    expect(digestOf(short)).not.toBe(digestOf({}));
  });

  const requiring = (labelSelector: object): unknown => ({
    affinity: {
      clusterAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: [{ labelSelector }] },
      },
    },
  });
  const anyEnv = { matchExpressions: [{ key: 'env', operator: 'Exists' }] };

  test('has the same digest where a selector asks for no labels in so many words, as Go leaves out empty maps', () => {
    expect(digestOf(requiring({ ...anyEnv, matchLabels: {} }))).toBe(digestOf(requiring(anyEnv)));
    expect(digestOf(requiring({ ...anyEnv, matchLabels: { a: '' } }))).not.toBe(digestOf(requiring(anyEnv)));
  });

  test('has another digest with an affinity that asks for nothing, as Go keeps empty objects', () => {
    expect(digestOf({ affinity: {} })).not.toBe(digestOf({}));
  });

  test('has the same digest whatever the order of its keys', () => {
    expect(digestOf({ placementType: 'PickAll', affinity })).toBe(digestOf({ affinity, placementType: 'PickAll' }));
  });

  test.each<[string, unknown]>([
    ['type', { placementType: 'PickN' }],
    ['affinity', { affinity }],
    ['tolerations', { tolerations: [{ key: 'a' }] }],
    ['clusters', { clusterNames: ['eu'] }],
  ])('has another digest with another %s', (_, policy) => {
    expect(digestOf(policy)).not.toBe(digestOf({}));
  });

  test('has a digest however deep it is nested', () => {
    let nested: unknown = {};
    for (let depth = 0; depth < 100_000; depth++) nested = { affinity: nested };
    expect(digestOf(nested)).toContain('null');
  });
});

describe('objects as a hub stores them', () => {
  test.each(families)('%s fits without a fault', (family) => {
    expect(problemsOf(family, clusterObjects[family])).toEqual([]);
  });

  test('a namespaced run keeps its namespace, its plan and its conditions', () => {
    const { object, problems } = decode(
      kindIn('UpdateRun', 'shop') as KindOfFamily & { family: 'UpdateRun' },
      namespacedRun,
    );
    expect(problems).toEqual([]);
    expect(object.kind).toBe('StagedUpdateRun');
    expect(object.metadata).toMatchObject({
      name: 'web-vq7w4',
      namespace: 'shop',
      generateName: 'web-',
      generation: 2,
    });
    expect(object.spec).toEqual({
      placementName: 'web',
      stagedRolloutStrategyName: 'rings',
      // KubeFleet has noted that there is no index.
      hasEmptyIndex: true,
      state: 'Run',
    });
    expect(object.status.stagesStatus?.map(({ stageName, clusters }) => [stageName, clusters.length])).toEqual([
      ['staging', 1],
      ['canary', 1],
      ['prod', 2],
    ]);
    expect(object.status.stagesStatus?.[1]?.afterStageTaskStatus[0]?.approvalRequestName).toBe(
      'web-vq7w4-after-canary',
    );
    expect(object.status.stagedUpdateStrategySnapshot?.stages[2]).toEqual({
      name: 'prod',
      labelSelector: { matchLabels: { env: 'prod' }, matchExpressions: [] },
      sortingLabelKey: 'order',
      maxConcurrency: '50%',
      beforeStageTasks: [],
      afterStageTasks: [],
    });
    expect(object.status.conditions.map(({ type }) => type)).toEqual(['Initialized', 'Progressing']);
  });

  test('a placement, its snapshots and its bindings keep what rules judge', () => {
    expect(read('Placement', clusterObjects.Placement).spec).toEqual({
      policy: {
        placementType: 'PickN',
        numberOfClusters: 2,
        clusterNames: [],
        clusterSelectorTerms: [],
        tolerations: [],
        digest: '{"placementType":"PickN"}',
      },
      strategy: {
        type: 'External',
        applyStrategy: {
          type: 'ServerSideApply',
          comparisonOption: 'PartialComparison',
          whenToApply: 'Always',
          whenToTakeOver: 'Always',
          serverSideApplyConfig: { force: true },
        },
      },
      resourceSelectors: [
        { group: '', version: 'v1', kind: 'Namespace', name: 'shop', selectionScope: 'NamespaceWithResources' },
      ],
      revisionHistoryLimit: 10,
    });
    expect(read('PolicySnapshot', clusterObjects.PolicySnapshot)).toMatchObject({
      spec: { policy: { placementType: 'PickN' } },
      status: { observedCRPGeneration: 1, targetClusters: [{ clusterName: 'eu-1', selected: true }] },
    });
    expect(read('Binding', clusterObjects.Binding).spec).toEqual({
      state: 'Bound',
      targetCluster: 'eu-1',
      schedulingPolicySnapshotName: 'shop-0',
      resourceSnapshotName: 'shop-0-snapshot',
    });
  });
});

describe('what is absent', () => {
  test('a run without a state initializes, as the API server has it', () => {
    expect(read('UpdateRun', { spec: { placementName: 'p', stagedRolloutStrategyName: 's' } }).spec.state).toBe(
      'Initialize',
    );
  });

  test('an empty snapshot index is no index', () => {
    expect(read('UpdateRun', { spec: { resourceSnapshotIndex: '' } }).spec).not.toHaveProperty('resourceSnapshotIndex');
    expect(read('UpdateRun', { spec: { resourceSnapshotIndex: '0' } }).spec.resourceSnapshotIndex).toBe('0');
  });

  test('a selector that is absent or null differs from an empty one', () => {
    const stages = [{ name: 'a' }, { name: 'b', labelSelector: null }, { name: 'c', labelSelector: {} }];
    expect(read('UpdateStrategy', { spec: { stages } }).spec.stages.map((stage) => stage.labelSelector)).toEqual([
      undefined,
      undefined,
      { matchLabels: {}, matchExpressions: [] },
    ]);
  });

  test('a run without a plan differs from one with an empty plan', () => {
    const planOf = (stagesStatus: unknown): unknown =>
      read('UpdateRun', { status: { stagesStatus } }).status.stagesStatus;
    expect([planOf(undefined), planOf(null), planOf([]), planOf(5)]).toEqual([undefined, undefined, [], undefined]);
  });

  test('objects of cluster scope have no namespace, whatever they say', () => {
    expect(read('Placement', { metadata: { name: 'p', namespace: 'x' } }).metadata).not.toHaveProperty('namespace');
  });

  test('required fields are problems and read as empty', () => {
    expect(problemsOf('UpdateRun', { spec: { placementName: null } })).toEqual([
      'spec.placementName: a string, not nothing',
      'spec.stagedRolloutStrategyName: a string, not nothing',
    ]);
    expect(read('UpdateRun', {}).spec).toMatchObject({ placementName: '', stagedRolloutStrategyName: '' });
  });
});

describe('what has a wrong type', () => {
  test.each<[string, Family, unknown, string[]]>([
    ['no object at all', 'UpdateRun', 5, [': an object, not 5']],
    ['a list for an object', 'MemberCluster', [], [': an object, not a list']],
    ['a number for a spec is named once', 'UpdateRun', { spec: 5 }, ['spec: an object, not 5']],
    ['a string for stages', 'UpdateStrategy', { spec: { stages: 'x' } }, ['spec.stages: a list, not the string "x"']],
    [
      'a number among stages is named once',
      'UpdateStrategy',
      { spec: { stages: [{ name: 'a' }, 5] } },
      ['spec.stages[1]: an object, not 5'],
    ],
    [
      'a state that does not exist',
      'UpdateRun',
      { spec: { placementName: 'p', stagedRolloutStrategyName: 's', state: 'run' } },
      ['spec.state: one of Initialize, Run, Stop, not the string "run"'],
    ],
    [
      'a label that is no string',
      'MemberCluster',
      { metadata: { labels: { 'example.com/order': 1, ok: 'yes' } } },
      ['metadata.labels["example.com/order"]: a string, not 1'],
    ],
    [
      'a fraction of a cluster',
      'UpdateStrategy',
      { spec: { stages: [{ name: 'a', maxConcurrency: 1.5 }] } },
      ['spec.stages[0].maxConcurrency: a whole number or a string, not 1.5'],
    ],
    [
      'two problems in two places',
      'Placement',
      { metadata: { name: 7 }, spec: { policy: true } },
      ['metadata.name: a string, not 7', 'spec.policy: an object, not true'],
    ],
  ])('%s', (_name, family, json, problems) => {
    expect(problemsOf(family, json)).toEqual(problems);
  });

  test('reads as absent, and the rest stays', () => {
    const run = read('UpdateRun', { spec: { placementName: 5, stagedRolloutStrategyName: 's', state: 'Run' } });
    expect(run.spec).toEqual({ placementName: '', stagedRolloutStrategyName: 's', state: 'Run' });
  });

  test('a long string is cut where it is named', () => {
    expect(problemsOf('Placement', { spec: 'x'.repeat(10_000) })).toEqual([
      `spec: an object, not the string "${'x'.repeat(40)}"`,
    ]);
  });
});

describe('keys that JavaScript keeps for itself', () => {
  const json: unknown = JSON.parse(
    '{"metadata": {"name": "c", "labels": {"__proto__": "p", "constructor": "c", "toString": "t"}}, "__proto__": {"spec": {"stages": [{}]}}}',
  );

  test('are labels like any other', () => {
    const { labels } = read('MemberCluster', json).metadata;
    expect(Object.entries(labels)).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['toString', 't'],
    ]);
    expect('hasOwnProperty' in labels).toBe(false);
  });

  test('are absent where they are not written', () => {
    const reader = new JsonReader({}, []);
    expect(['constructor', 'toString', '__proto__'].filter((name) => !reader.field(name).isAbsent)).toEqual([]);
  });

  test('lend nothing to the object and leave Object alone', () => {
    expect(read('UpdateStrategy', json).spec.stages).toEqual([]);
    expect(({} as Record<string, unknown>)['spec']).toBeUndefined();
  });
});

describe('hostile sizes', () => {
  const conditions = Array.from({ length: 100_000 }, (_, i) => ({ type: `T${i}`, status: 'True' }));

  test('100,000 conditions are read', () => {
    expect(read('UpdateRun', { status: { conditions } }).status.conditions).toHaveLength(100_000);
  });

  test('100,000 problems are cut to the first hundred or fewer', () => {
    const labels = Object.fromEntries(conditions.map(({ type }, i) => [type, i]));
    expect(problemsOf('MemberCluster', { metadata: { labels } })).toHaveLength(100);
    expect(problemsOf('UpdateRun', { status: { conditions: conditions.map(() => 1) } }).length).toBeLessThan(100);
  });
});

/** Field names of the API and names that are dangerous in JavaScript, so that random JSON gets deep into the model. */
const names = [
  ...new Set(JSON.stringify([clusterObjects, namespacedRun]).match(/(?<=")[A-Za-z]+(?=":)/g)),
  ...['__proto__', 'constructor', 'toString', 'length', ''],
];

const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
  anyJson: fc.oneof(
    { maxDepth: 8, withCrossShrink: true },
    fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('anyJson'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), tie('anyJson')), { maxLength: 6 })
      // Through text, so that "__proto__" becomes a key of its own and doubles become JSON.
      .map((entries): unknown =>
        JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`),
      ),
  ),
}));

/** A sound object in which something, anywhere, was replaced. */
function spoilt(sound: unknown): fc.Arbitrary<unknown> {
  const places = JSON.stringify(sound).match(/"[^"]*"(?=:)/g)?.length ?? 0;
  return fc.tuple(fc.nat(places), anyJson).map(([place, junk]) => {
    let met = 0;
    return JSON.parse(JSON.stringify(sound), (_key, value: unknown) => (met++ === place ? junk : value)) as unknown;
  });
}

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('any JSON for a %s', (_name, kind) => {
  test('comes to the model, of which every part has its type', () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, spoilt(clusterObjects[kind.family]), spoilt(namespacedRun)), (json) => {
        expect(misfits(shapes[kind.family], decode(kind, json).object)).toEqual([]);
      }),
    );
  });

  test('is named fault by fault: no place twice, and none below another', () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, spoilt(clusterObjects[kind.family])), (json) => {
        const places = decode(kind, json).problems.map(({ path }) => path);
        const texts = new Set(places.map(formatPath));
        expect(texts.size).toBe(places.length);
        const above = places.flatMap((path) => path.map((_, depth) => formatPath(path.slice(0, depth))));
        expect(above.filter((text) => texts.has(text))).toEqual([]);
      }),
    );
  });
});

test('a list of texts is taken as it is, for it may hold a hundred thousand of them', () => {
  const values = ['a', 'b'];
  const stages = [{ labelSelector: { matchExpressions: [{ key: 'ring', operator: 'In', values }] } }];
  const { spec } = read('UpdateStrategy', { spec: { stages } });
  expect(spec.stages[0]?.labelSelector?.matchExpressions[0]?.values).toBe(values);
});
