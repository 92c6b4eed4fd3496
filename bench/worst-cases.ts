import { kindNamed } from './large-fleet.js';

/*
 * Reviews made to take as long as they can: each lies just below a bound, where all the work is done, or far above it,
 * where none may be. What a tenant can store is here as well, for others to trip over.
 */

export type Json = Readonly<Record<string, unknown>>;

const group = 'placement.kubernetes-fleet.io/v1beta1';

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export interface Asked {
  readonly kind: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subResource?: 'status';
  readonly name?: string;
  readonly object?: Json;
  readonly oldObject?: Json;
}

/** A review as the API server writes it. */
export function reviewOf({ kind, operation, subResource, name = 'x', object, oldObject }: Asked): Json {
  const { group: of, plural: resource } = kindNamed(kind);
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: of, version: 'v1beta1', kind },
      resource: { group: of, version: 'v1beta1', resource },
      ...(subResource && { subResource }),
      requestKind: { group: of, version: 'v1beta1', kind },
      name,
      operation,
      userInfo: { username: 'mallory' },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: false,
    },
  };
}

export const named = (name: string, more: Json = {}): Json => ({ metadata: { name, generation: 1, ...more } });

/** Values of a label, each as long as can be. */
const values = (count: number, from = 0): string[] =>
  times(count, (index) => `v${String(from + index)}`.padEnd(63, 'x'));

export const expression = (key: string, operator: string, list: readonly string[] = []): Json => ({
  key,
  operator,
  ...(list.length > 0 && { values: list }),
});

export const stage = (index: number, ...matchExpressions: readonly Json[]): Json => ({
  name: `s${String(index)}`,
  labelSelector: { matchExpressions },
});

/** Whatever the size, each stage excludes other values of one key. */
const exclusions = (perStage: number, make: (index: number) => readonly string[]): readonly Json[] =>
  times(31, (index) =>
    stage(index, expression('k', 'NotIn', make(index).slice(0, perStage)), expression('k', 'Exists')),
  );

const perStage = Math.floor(5_000 / 31);

/** Stages of strategies, by what is bad about them. */
export const stages: Readonly<Record<string, readonly Json[]>> = {
  'NotIn of 2.9 MB': exclusions(1_450, (index) => values(1_450, index * 1_450)),
  'bad values of 2.9 MB': exclusions(1_450, () => times(1_450, (index) => `-${String(index)}`.padEnd(63, '-'))),
  '25,000 stages': times(25_000, (index) => stage(index, expression('k', 'In', [`v${String(index)}`]))),
  '77,500 tasks': times(31, (index) => ({
    ...stage(index, expression('k', 'In', [`v${String(index)}`])),
    afterStageTasks: times(2_500, () => ({ type: 'TimedWait', waitTime: '1h' })),
  })),
  'one name of 2.9 MB': times(31, (index) => ({ ...stage(index), name: 'n'.repeat(index === 7 ? 2_900_000 : 5) })),
  'as many values as are judged, all distinct': exclusions(perStage, (index) => values(perStage, index * perStage)),
  'as many values as are judged, all of them examples': exclusions(perStage, (index) =>
    times(perStage, (at) => `any${at * 31 + index === 0 ? '' : String(at * 31 + index)}`),
  ),
  'as many bad values as are judged': exclusions(perStage, () => times(perStage, (index) => `-${String(index)}`)),
  'two stages of as many values as are judged': times(2, (index) =>
    stage(index, expression('k', 'In', values(2_500, index * 2_499))),
  ),
  'as many requirements as are judged': times(31, (index) =>
    stage(index, ...times(8, (at) => expression(`k${String(at)}`, 'NotIn', [`v${String(index)}`]))),
  ),
  'as many requirements as are judged, in one stage': [
    stage(0, ...times(248, (at) => expression(`k${String(at)}`, 'In', ['a', 'b']))),
    stage(1),
  ],
  'selectors that take long to part': times(31, (index) =>
    stage(
      index,
      ...times(4, (at) => expression(`k${String((index + at) % 12)}`, at % 2 === 0 ? 'NotIn' : 'In', ['a'])),
    ),
  ),
  'requirements that no cluster meets': times(31, (index) =>
    stage(index, expression('k', 'In', values(150, index)), expression('k', 'NotIn', values(1, index))),
  ),
  'every cluster in every stage': times(31, (index) => stage(index)),
  'a key for each of many stages': times(31, (index) =>
    stage(index, ...times(8, (at) => expression(`k${String(index)}-${String(at)}`, 'In', ['a']))),
  ),
};

export function strategy(name: string, list: readonly Json[]): Json {
  const metadata = { name, generation: 1 };
  return { apiVersion: group, kind: 'ClusterStagedUpdateStrategy', metadata, spec: { stages: list } };
}

export const at = '2026-11-16T08:00:00Z';
const condition = (type: string, reason: string, more: Json = {}): Json => ({
  type,
  status: 'True',
  reason,
  message: 'as it should be',
  observedGeneration: 1,
  lastTransitionTime: at,
  ...more,
});

/** A run with the whole status that the controller writes, in state Run or Stop. */
export function run(clusters: number, state: string, list: readonly Json[]): Json {
  const status = (index: number): Json => ({
    clusterName: `member-${String(index)}`,
    conditions: [condition('Started', 'ClusterUpdatingStarted'), condition('Succeeded', 'ClusterUpdatingSucceeded')],
  });
  return {
    ...named('x'),
    spec: { placementName: 'placement-0', stagedRolloutStrategyName: 'hostile', state },
    status: {
      policySnapshotIndexUsed: '0',
      stagedUpdateStrategySnapshot: { stages: list },
      stagesStatus: [{ stageName: 's0', clusters: times(clusters, status), conditions: [] }],
      deletionStageStatus: { stageName: 'deletion', clusters: [], conditions: [] },
      conditions: [condition('Initialized', 'UpdateRunInitializedSuccessfully')],
    },
  };
}

const approvals = times(19_000, (index) => ({ type: `Approve${String(index)}`, status: 'True' }));
export const policy = (more: Json): Json => ({
  ...named('placement-0'),
  spec: { strategy: { type: 'External' }, resourceSelectors: [], policy: { placementType: 'PickAll', ...more } },
});
const terms = (matchLabels: Json): Json => ({
  affinity: {
    clusterAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: [{ labelSelector: { matchLabels } }] },
    },
  },
});
const keys = (count: number, value = 'v'): Json =>
  Object.fromEntries(times(count, (index) => [`key-${String((index * 7_919) % count)}`, value]));
const manyRuns = times(31, (index) => stage(index, expression('ring', 'In', [String(index)])));

/** Reviews of all families beside strategies. */
export const reviews: Readonly<Record<string, Asked>> = {
  'the start of a run of 2,000 clusters': {
    ...{ kind: 'ClusterStagedUpdateRun', operation: 'UPDATE' },
    ...{ object: run(2_000, 'Run', manyRuns), oldObject: run(2_000, 'Stop', manyRuns) },
  },
  'the stop of a run of 2,000 clusters': {
    ...{ kind: 'ClusterStagedUpdateRun', operation: 'UPDATE' },
    ...{ object: run(2_000, 'Stop', manyRuns), oldObject: run(2_000, 'Run', manyRuns) },
  },
  'the status of a run, of 40,000 clusters without a word': {
    ...{ kind: 'ClusterStagedUpdateRun', operation: 'UPDATE', subResource: 'status' },
    object: { ...named('x'), status: { stagesStatus: [{ clusters: times(40_000, () => ({})) }] } },
    oldObject: { ...named('x'), status: { stagesStatus: [{ clusters: times(40_000, () => ({})) }] } },
  },
  'the status of a run, of 20,000 stages': {
    ...{ kind: 'ClusterStagedUpdateRun', operation: 'UPDATE', subResource: 'status' },
    object: { ...named('x'), status: { stagesStatus: times(20_000, () => ({ clusters: [] })) } },
    oldObject: named('x'),
  },
  'an approval with 19,000 conditions': {
    ...{ kind: 'ClusterApprovalRequest', operation: 'UPDATE', subResource: 'status' },
    object: { ...named('x'), status: { conditions: approvals } },
    oldObject: { ...named('x'), status: { conditions: approvals.toReversed() } },
  },
  'a hint about 19,000 conditions': {
    ...{ kind: 'ClusterApprovalRequest', operation: 'UPDATE' },
    object: { ...named('x'), status: { conditions: approvals } },
    oldObject: { ...named('x'), status: { conditions: approvals.toReversed() } },
  },
  'a placement with 9,900 labels to fit': {
    ...{ kind: 'ClusterResourcePlacement', operation: 'UPDATE', name: 'placement-0' },
    object: policy(terms(keys(9_900))),
    oldObject: policy(terms(keys(9_900, 'w'))),
  },
  'a placement with 49,000 clusters by name': {
    ...{ kind: 'ClusterResourcePlacement', operation: 'UPDATE', name: 'placement-0' },
    object: policy({ placementType: 'PickFixed', clusterNames: times(49_000, (index) => `member-${String(index)}`) }),
    oldObject: policy({ placementType: 'PickFixed', clusterNames: times(49_000, (index) => `m-${String(index)}`) }),
  },
  'a member cluster with 9,900 labels': {
    ...{ kind: 'MemberCluster', operation: 'UPDATE', name: 'member-7' },
    object: { ...named('member-7', { labels: keys(9_900) }), spec: {} },
    oldObject: { ...named('member-7', { labels: keys(9_900, 'w') }), spec: {} },
  },
  'a member cluster with 20,000 taints': {
    ...{ kind: 'MemberCluster', operation: 'UPDATE', name: 'member-7' },
    object: {
      ...named('member-7'),
      spec: { taints: times(20_000, (index) => ({ key: `k${String(index)}`, value: 'v' })) },
    },
    oldObject: { ...named('member-7'), spec: {} },
  },
  'an eviction': {
    ...{ kind: 'ClusterResourcePlacementEviction', operation: 'CREATE' },
    object: { ...named('x'), spec: { placementName: 'placement-0', clusterName: 'member-7' } },
  },
};

const distinct = (count: number): Json => Object.fromEntries(times(count, (index) => [`k${String(index)}`, '']));
const objectAs = (kind: string, more: Json): Json => ({ apiVersion: group, kind, ...more });

/** What can be stored at most, which is 1.5 MB; the schemas of KubeFleet bound other lists to a hundred. */
export const stored: Readonly<Record<string, Json>> = {
  'a run with 110,000 labels': objectAs('StagedUpdateRun', named('x', { labels: distinct(110_000) })),
  'a placement that asks for 110,000 labels': objectAs('ResourcePlacement', policy(terms(distinct(110_000)))),
  'a placement that asks for 100,000 labels, in 10 terms': objectAs(
    'ResourcePlacement',
    policy({
      affinity: {
        clusterAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            clusterSelectorTerms: times(10, (term) => ({
              labelSelector: {
                matchLabels: Object.fromEntries(times(10_000, (at) => [`k${String(term * 10_000 + at)}`, ''])),
              },
            })),
          },
        },
      },
    }),
  ),
  'a placement with 40,000 requirements': objectAs(
    'ResourcePlacement',
    policy({
      affinity: {
        clusterAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            clusterSelectorTerms: [
              {
                labelSelector: {
                  matchExpressions: times(40_000, (index) => expression(`k${String(index)}`, 'Exists')),
                },
              },
            ],
          },
        },
      },
    }),
  ),
  'an override that patches 100,000 fields': objectAs('ResourceOverrideSnapshot', {
    ...named('x'),
    spec: {
      overrideSpec: {
        placement: { name: 'placement-0', scope: 'Namespaced' },
        policy: { overrideRules: [{ jsonPatchOverrides: [{ op: 'add', path: '/spec', value: distinct(100_000) }] }] },
      },
    },
  }),
  'a request with 19,000 conditions': objectAs('ApprovalRequest', { ...named('x'), status: { conditions: approvals } }),
  'a strategy of 1.5 MB': objectAs('StagedUpdateStrategy', {
    ...named('x'),
    spec: { stages: exclusions(700, (index) => values(700, index * 700)) },
  }),
  'a strategy of 25,000 stages': objectAs('StagedUpdateStrategy', {
    ...named('x'),
    spec: { stages: times(25_000, (index) => ({ name: `s${String(index)}` })) },
  }),
  'a run with 100,000 owners and finalizers': objectAs(
    'StagedUpdateRun',
    named('x', {
      finalizers: times(90_000, (index) => `a/${String(index)}`),
      ownerReferences: times(8_000, (index) => ({ apiVersion: 'v1', kind: 'A', name: 'a', uid: String(index) })),
    }),
  ),
};
