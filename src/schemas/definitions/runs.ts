import { fields, list, oneOf, text, time, type CelRule, type Schema } from '../schema.js';
import { applyStrategy, conditions, kindSchema, nameUpTo, resourceOverrides } from './parts.js';
import { strategySpec, taskType } from './strategies.js';

function immutable(field: string): readonly CelRule[] {
  return [{ rule: 'self == oldSelf', message: `${field} is immutable` }];
}

function noWay(from: string, to: string): CelRule {
  return {
    rule: `!has(oldSelf.state) || oldSelf.state != '${from}' || self.state != '${to}'`,
    message: `invalid state transition: cannot transition from ${from} to ${to}`,
  };
}

const spec = fields(
  {
    'placementName*': { type: 'string', maxLength: 255, 'x-kubernetes-validations': immutable('placementName') },
    resourceSnapshotIndex: { type: 'string', 'x-kubernetes-validations': immutable('resourceSnapshotIndex') },
    'stagedRolloutStrategyName*': {
      type: 'string',
      'x-kubernetes-validations': immutable('stagedRolloutStrategyName'),
    },
    state: oneOf(['Initialize', 'Run', 'Stop'], { default: 'Initialize' }),
  },
  {
    'x-kubernetes-validations': [
      noWay('Initialize', 'Stop'),
      noWay('Run', 'Initialize'),
      noWay('Stop', 'Initialize'),
    ],
  },
);

/** A run through v1alpha1 has no state: it starts at once. */
const oldestSpec = fields(
  {
    'placementName*': { type: 'string', maxLength: 255 },
    'resourceSnapshotIndex*': text,
    'stagedRolloutStrategyName*': text,
  },
  { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'The spec field is immutable' }] },
);

const clusters = list(
  fields({
    'clusterName*': text,
    clusterResourceOverrideSnapshots: list(text),
    resourceOverrideSnapshots: resourceOverrides,
    conditions,
  }),
);

const taskStatus = fields({ 'type*': taskType, approvalRequestName: text, conditions });

function stageStatus(version: string): Schema {
  return fields({
    'stageName*': text,
    startTime: time,
    endTime: time,
    'clusters*': clusters,
    ...(version !== 'v1alpha1' && { beforeStageTaskStatus: list(taskStatus, { maxItems: 1 }) }),
    afterStageTaskStatus: list(taskStatus, { maxItems: 2 }),
    conditions,
  });
}

function status(version: string): Schema {
  return fields({
    policySnapshotIndexUsed: text,
    policyObservedClusterCount: { type: 'integer' },
    ...(version !== 'v1alpha1' && { resourceSnapshotIndexUsed: text }),
    appliedStrategy: applyStrategy,
    stagedUpdateStrategySnapshot: strategySpec(version),
    stagesStatus: list(stageStatus(version)),
    deletionStageStatus: stageStatus(version),
    conditions,
  });
}

export function runs(version: string): Schema {
  const isOldest = version === 'v1alpha1';
  return kindSchema(
    { 'spec*': isOldest ? oldestSpec : spec, status: status(version) },
    nameUpTo(isOldest ? 127 : 63),
  );
}
