import { fields, int32, list, oneOf, text, type Schema } from '../schema.js';
import { labelSelector } from './parts.js';

/** How a placement picks clusters; its policy snapshots hold a copy. */

const term = {
  labelSelector,
  propertySelector: fields({
    'matchExpressions*': list(fields({ 'name*': text, 'operator*': text, 'values*': list(text, { maxItems: 1 }) })),
  }),
  propertySorter: fields({ 'name*': text, 'sortOrder*': oneOf(['Ascending', 'Descending']) }),
} as const satisfies Record<string, Schema>;

const affinity = fields({
  clusterAffinity: fields({
    preferredDuringSchedulingIgnoredDuringExecution: list(
      fields({
        'preference*': fields(term),
        'weight*': { type: 'integer', format: 'int32', minimum: -100, maximum: 100 },
      }),
    ),
    requiredDuringSchedulingIgnoredDuringExecution: fields({
      'clusterSelectorTerms*': list(fields(term), { maxItems: 10 }),
    }),
  }),
});

const topologySpreadConstraints = list(
  fields({
    maxSkew: { type: 'integer', format: 'int32', minimum: 1, default: 1 },
    'topologyKey*': text,
    whenUnsatisfiable: oneOf(['DoNotSchedule', 'ScheduleAnyway'], { default: 'DoNotSchedule' }),
  }),
);

const tolerations = list(
  fields({
    key: text,
    operator: oneOf(['Equal', 'Exists'], { default: 'Equal' }),
    value: text,
    effect: oneOf(['NoSchedule']),
  }),
  {
    maxItems: 100,
    'x-kubernetes-validations': [
      {
        rule: "self.all(t, t.operator != 'Exists' || !has(t.value) || t.value == '')",
        message: 'value must be empty when operator is Exists',
      },
      {
        rule: "self.all(t, t.operator == 'Exists' || (has(t.key) && t.key != ''))",
        message: 'operator must be Exists when key is empty',
      },
    ],
  },
);

const policyFields = {
  placementType: oneOf(['PickAll', 'PickN', 'PickFixed'], { default: 'PickAll' }),
  clusterNames: list(text, { maxItems: 100 }),
  numberOfClusters: { ...int32, minimum: 0 },
  affinity,
  topologySpreadConstraints,
  tolerations,
} as const satisfies Record<string, Schema>;

const ofTypes = [
  {
    rule:
      "self.placementType != 'PickFixed' || !(has(self.affinity) || has(self.numberOfClusters) || " +
      'has(self.topologySpreadConstraints) || has(self.tolerations))',
    message:
      'affinity, numberOfClusters, topologySpreadConstraints, and tolerations cannot be set when placementType is PickFixed',
  },
  {
    rule:
      "self.placementType != 'PickAll' || !(has(self.clusterNames) || has(self.numberOfClusters) || " +
      'has(self.topologySpreadConstraints))',
    message:
      'clusterNames, numberOfClusters, and topologySpreadConstraints cannot be set when placementType is PickAll',
  },
  {
    rule: "self.placementType != 'PickN' || (has(self.numberOfClusters) && !has(self.clusterNames))",
    message: 'clusterNames cannot be set and numberOfClusters must be set when placementType is PickN',
  },
];

export const placementPolicy = fields(policyFields, {
  'x-kubernetes-validations': [
    { rule: 'self.placementType == oldSelf.placementType', message: 'placement type is immutable' },
    ...ofTypes,
  ],
});

/** The copy that the placement controller writes. */
export const copiedPolicy = fields(policyFields);
