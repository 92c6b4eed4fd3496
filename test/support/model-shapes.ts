import type { Family } from '../../src/fleet/kinds.js';

/** What a value of the model must be; a key that ends in `?` may be absent. */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'number or string'
  | 'dictionary'
  | readonly [Shape]
  | { readonly [key: string]: Shape };

const condition: Shape = {
  type: 'string',
  status: 'string',
  'reason?': 'string',
  'message?': 'string',
  'observedGeneration?': 'number',
  'lastTransitionTime?': 'string',
};
const labelSelector: Shape = {
  matchLabels: 'dictionary',
  matchExpressions: [{ key: 'string', operator: 'string', values: ['string'] }],
};
const task: Shape = { type: 'string', 'waitTime?': 'string' };
const strategySpec: Shape = {
  stages: [
    {
      name: 'string',
      'labelSelector?': labelSelector,
      'sortingLabelKey?': 'string',
      'maxConcurrency?': 'number or string',
      beforeStageTasks: [task],
      afterStageTasks: [task],
    },
  ],
};
const taskStatus: Shape = { type: 'string', 'approvalRequestName?': 'string', conditions: [condition] };
const stageStatus: Shape = {
  stageName: 'string',
  clusters: [{ clusterName: 'string', conditions: [condition] }],
  beforeStageTaskStatus: [taskStatus],
  afterStageTaskStatus: [taskStatus],
  conditions: [condition],
};
const applyStrategy: Shape = {
  'type?': 'string',
  'comparisonOption?': 'string',
  'whenToApply?': 'string',
  'whenToTakeOver?': 'string',
  'allowCoOwnership?': 'boolean',
  'serverSideApplyConfig?': { 'force?': 'boolean' },
};
const policy: Shape = {
  'placementType?': 'string',
  'numberOfClusters?': 'number',
  clusterNames: ['string'],
  clusterSelectorTerms: [{ 'labelSelector?': labelSelector, isOpen: 'boolean' }],
  tolerations: [{ key: 'string', operator: 'string', value: 'string' }],
  digest: 'string',
};
const object = {
  apiVersion: 'string',
  kind: 'string',
  metadata: {
    name: 'string',
    'generateName?': 'string',
    'namespace?': 'string',
    'uid?': 'string',
    'resourceVersion?': 'string',
    'generation?': 'number',
    'creationTimestamp?': 'string',
    'deletionTimestamp?': 'string',
    labels: 'dictionary',
    annotations: 'dictionary',
    finalizers: ['string'],
  },
} satisfies Shape;

/** The model once more, as values: types are gone when tests run. */
export const shapes: Readonly<Record<Family, Shape>> = {
  UpdateRun: {
    ...object,
    spec: {
      placementName: 'string',
      stagedRolloutStrategyName: 'string',
      'resourceSnapshotIndex?': 'string',
      'hasEmptyIndex?': 'boolean',
      state: 'string',
    },
    status: {
      'policySnapshotIndexUsed?': 'string',
      'policyObservedClusterCount?': 'number',
      'resourceSnapshotIndexUsed?': 'string',
      'appliedStrategy?': applyStrategy,
      'stagedUpdateStrategySnapshot?': strategySpec,
      'stagesStatus?': [stageStatus],
      'deletionStageStatus?': stageStatus,
      conditions: [condition],
    },
  },
  UpdateStrategy: { ...object, spec: strategySpec },
  ApprovalRequest: {
    ...object,
    spec: { parentStageRollout: 'string', targetStage: 'string' },
    status: { conditions: [condition] },
  },
  Placement: {
    ...object,
    spec: {
      'policy?': policy,
      'strategy?': { 'type?': 'string', 'applyStrategy?': applyStrategy },
      resourceSelectors: [
        {
          group: 'string',
          version: 'string',
          kind: 'string',
          'name?': 'string',
          'labelSelector?': labelSelector,
          'selectionScope?': 'string',
        },
      ],
      'revisionHistoryLimit?': 'number',
    },
    status: { conditions: [condition] },
  },
  ResourceSnapshot: object,
  PolicySnapshot: {
    ...object,
    spec: { 'policy?': policy },
    status: {
      'observedCRPGeneration?': 'number',
      conditions: [condition],
      targetClusters: [{ clusterName: 'string', selected: 'boolean' }],
    },
  },
  Binding: {
    ...object,
    spec: {
      state: 'string',
      targetCluster: 'string',
      schedulingPolicySnapshotName: 'string',
      'resourceSnapshotName?': 'string',
    },
  },
  MemberCluster: { ...object, spec: { taints: [{ key: 'string', value: 'string' }] } },
  Eviction: { ...object, spec: { placementName: 'string', clusterName: 'string' } },
  OverrideSnapshot: { ...object, spec: { 'placement?': { name: 'string', scope: 'string' } } },
};

/** Where a value is not what its shape says. */
export function misfits(shape: Shape, value: unknown, at = ''): string[] {
  if (typeof shape === 'string') return fits(shape, value) ? [] : [`${at} is no ${shape}`];
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((item, index) => misfits(shape[0], item, `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
  const known = new Set(Object.keys(shape).map((key) => key.replace('?', '')));
  const strange = Object.keys(value).filter((key) => !known.has(key));
  return [
    ...strange.map((key) => `${at}.${key} is not in the model`),
    ...Object.entries(shape).flatMap(([key, inner]) => {
      const name = key.replace('?', '');
      if (!Object.hasOwn(value, name)) return key.endsWith('?') ? [] : [`${at}.${name} is absent`];
      return misfits(inner, (value as Record<string, unknown>)[name], `${at}.${name}`);
    }),
  ];
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function fits(shape: Shape & string, value: unknown): boolean {
  if (shape === 'number or string') return typeof value === 'number' || typeof value === 'string';
  if (shape !== 'dictionary') return typeof value === shape;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return false;
  return Object.values(value).every((item) => typeof item === 'string');
}
