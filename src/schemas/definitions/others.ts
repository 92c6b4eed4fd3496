import { dictionary, fields, flag, int32, int64, list, oneOf, text, time, type CelRule, type Schema } from '../schema.js';
import { applyStrategy, condition, conditions, kindSchema, nameUpTo, resourceOverrides } from './parts.js';
import { placementReports } from './placement-status.js';
import { copiedPolicy } from './policy.js';

export const approvals: Schema = kindSchema({
  'spec*': fields(
    { 'parentStageRollout*': text, 'targetStage*': text },
    { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'The spec field is immutable' }] },
  ),
  status: fields({ conditions }),
});

const decision = {
  'clusterName*': text,
  'selected*': flag,
  clusterScore: fields({ affinityScore: int32, priorityScore: int32 }),
  'reason*': text,
} as const satisfies Record<string, Schema>;

export function bindings(version: string): Schema {
  return kindSchema({
    'spec*': fields({
      'state*': text,
      'targetCluster*': text,
      'resourceSnapshotName*': text,
      'schedulingPolicySnapshotName*': text,
      'clusterDecision*': fields(decision),
      clusterResourceOverrideSnapshots: list(text),
      resourceOverrideSnapshots: resourceOverrides,
      applyStrategy,
    }),
    status: fields({ conditions, ...placementReports(version) }),
  });
}

/** What a snapshot holds of somebody else's kinds. */
const anyObject: Schema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};

export const resourceSnapshots: Schema = kindSchema({
  'spec*': fields({ 'selectedResources*': list(anyObject) }),
  status: fields({ conditions }),
});

export const policySnapshots: Schema = kindSchema({
  'spec*': fields({ 'policyHash*': { type: 'string', format: 'byte' }, policy: copiedPolicy }),
  status: fields({
    'observedCRPGeneration*': int64,
    conditions,
    targetClusters: list(fields(decision), { maxItems: 1000 }),
  }),
});

/** Written by the override controller alone; of each only the placement that it is for is read. */
export const overrideSnapshots: Schema = kindSchema({
  'spec*': knownFields({ overrideSpec: knownFields({ placement: knownFields({ name: text, scope: text }) }) }),
});

/** An object that may have other fields too. */
function knownFields(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties };
}

function fixedName(message: string): Schema {
  const rule: CelRule = { rule: 'self == oldSelf', message };
  return { type: 'string', maxLength: 255, 'x-kubernetes-validations': [rule] };
}

export const evictions: Schema = kindSchema({
  'spec*': fields({
    'placementName*': fixedName('The PlacementName field is immutable'),
    'clusterName*': fixedName('The ClusterName field is immutable'),
  }),
  status: fields({ conditions: list(condition) }),
});

/** Kubernetes' way to write an amount: `100m`, `4Gi`. */
const amounts = dictionary({
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
});

export function memberClusters(version: string): Schema {
  const isFirst = version !== 'v1';
  return kindSchema(
    {
      'spec*': fields({
        'identity*': fields(
          { apiGroup: text, 'kind*': text, 'name*': text, namespace: text },
          { 'x-kubernetes-map-type': 'atomic' },
        ),
        heartbeatPeriodSeconds: { type: 'integer', format: 'int32', minimum: 1, maximum: 600, default: 60 },
        ...(isFirst && { deleteOptions: fields({ validationMode: oneOf(['Skip', 'Strict'], { default: 'Strict' }) }) }),
        taints: list(fields({ 'key*': text, value: text, 'effect*': oneOf(['NoSchedule']) }), { maxItems: 100 }),
      }),
      status: fields({
        conditions,
        ...(isFirst && { namespaces: dictionary(text) }),
        properties: dictionary(fields({ 'value*': text, 'observationTime*': time })),
        resourceUsage: fields({ allocatable: amounts, available: amounts, capacity: amounts, observationTime: time }),
        agentStatus: list(fields({ 'type*': text, conditions, lastReceivedHeartbeat: time })),
      }),
    },
    nameUpTo(63),
  );
}
