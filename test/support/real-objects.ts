import type { Family } from '../../src/fleet/kinds.js';

const apiVersion = 'placement.kubernetes-fleet.io/v1beta1';
const at = '2026-11-16T09:55:02Z';

/** One object a family as a KubeFleet hub stores it, fields that stageguard does not read included. */
export const clusterObjects: Readonly<Record<Family, unknown>> = {
  UpdateRun: {
    apiVersion,
    kind: 'ClusterStagedUpdateRun',
    metadata: {
      creationTimestamp: at,
      generation: 1,
      managedFields: [
        {
          apiVersion,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { '.': {}, 'f:placementName': {}, 'f:state': {} } },
          manager: 'kubectl-create',
          operation: 'Update',
          time: at,
        },
      ],
      name: 'r1',
      uid: '36101001-8e4f-4b95-8ff5-5f9170f60808',
    },
    spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' },
  },
  UpdateStrategy: {
    apiVersion,
    kind: 'ClusterStagedUpdateStrategy',
    metadata: { name: 'rings', generation: 1 },
    spec: {
      stages: [
        {
          name: 'canary',
          labelSelector: {
            matchLabels: { env: 'canary' },
            matchExpressions: [{ key: 'region', operator: 'In', values: ['eu', 'us'] }],
          },
          maxConcurrency: 1,
          beforeStageTasks: [{ type: 'Approval' }],
          afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }],
        },
        { name: 'prod', labelSelector: {}, sortingLabelKey: 'order', maxConcurrency: '50%' },
      ],
    },
  },
  ApprovalRequest: {
    apiVersion,
    kind: 'ClusterApprovalRequest',
    metadata: {
      name: 'r1-after-canary',
      generation: 1,
      labels: {
        'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
        'kubernetes-fleet.io/targetUpdateRun': 'r1',
        'kubernetes-fleet.io/targetUpdatingStage': 'canary',
      },
    },
    spec: { parentStageRollout: 'r1', targetStage: 'canary' },
    status: {
      conditions: [
        {
          type: 'Approved',
          status: 'True',
          reason: 'lgtm',
          message: 'looks good',
          observedGeneration: 1,
          lastTransitionTime: at,
        },
      ],
    },
  },
  Placement: {
    apiVersion,
    kind: 'ClusterResourcePlacement',
    metadata: {
      name: 'shop',
      generation: 1,
      finalizers: ['kubernetes-fleet.io/crp-cleanup', 'kubernetes-fleet.io/scheduler-cleanup'],
    },
    spec: {
      policy: { placementType: 'PickN', numberOfClusters: 2 },
      resourceSelectors: [
        { group: '', kind: 'Namespace', name: 'shop', selectionScope: 'NamespaceWithResources', version: 'v1' },
      ],
      revisionHistoryLimit: 10,
      statusReportingScope: 'ClusterScopeOnly',
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
    },
    status: {
      conditions: [
        {
          type: 'ClusterResourcePlacementScheduled',
          status: 'True',
          reason: 'SchedulingPolicyFulfilled',
          message: 'found all cluster needed as specified by the scheduling policy, found 2 cluster(s)',
          observedGeneration: 1,
          lastTransitionTime: at,
        },
      ],
    },
  },
  ResourceSnapshot: {
    apiVersion,
    kind: 'ClusterResourceSnapshot',
    metadata: {
      name: 'shop-0-snapshot',
      generation: 1,
      labels: {
        'kubernetes-fleet.io/is-latest-snapshot': 'true',
        'kubernetes-fleet.io/parent-CRP': 'shop',
        'kubernetes-fleet.io/resource-index': '0',
      },
      annotations: { 'kubernetes-fleet.io/number-of-resource-snapshots': '1' },
    },
    spec: { selectedResources: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }] },
  },
  PolicySnapshot: {
    apiVersion,
    kind: 'ClusterSchedulingPolicySnapshot',
    metadata: {
      name: 'shop-0',
      generation: 1,
      labels: { 'kubernetes-fleet.io/is-latest-snapshot': 'true', 'kubernetes-fleet.io/parent-CRP': 'shop' },
      annotations: { 'kubernetes-fleet.io/CRP-generation': '1', 'kubernetes-fleet.io/number-of-clusters': '2' },
    },
    spec: { policy: { placementType: 'PickN' }, policyHash: 'YWJj' },
    status: {
      observedCRPGeneration: 1,
      conditions: [{ type: 'Scheduled', status: 'True', reason: 'SchedulingPolicyFulfilled', observedGeneration: 1 }],
      targetClusters: [{ clusterName: 'eu-1', selected: true, reason: 'picked by scheduling policy' }],
    },
  },
  Binding: {
    apiVersion,
    kind: 'ClusterResourceBinding',
    metadata: {
      name: 'shop-eu-1-30e3a6a1',
      labels: { 'kubernetes-fleet.io/parent-CRP': 'shop' },
      deletionTimestamp: null,
    },
    spec: {
      state: 'Bound',
      targetCluster: 'eu-1',
      resourceSnapshotName: 'shop-0-snapshot',
      schedulingPolicySnapshotName: 'shop-0',
      clusterDecision: { clusterName: 'eu-1', selected: true, reason: 'picked by scheduling policy' },
    },
    status: { conditions: [] },
  },
  MemberCluster: {
    apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
    kind: 'MemberCluster',
    metadata: { name: 'eu-1', labels: { env: 'canary', order: '1' } },
    spec: {
      heartbeatPeriodSeconds: 60,
      identity: { kind: 'ServiceAccount', name: 'eu-1', namespace: 'fleet-system' },
      taints: [{ key: 'maintenance', value: 'soon', effect: 'NoSchedule' }],
    },
  },
  Eviction: {
    apiVersion,
    kind: 'ClusterResourcePlacementEviction',
    metadata: { name: 'shop-off-eu-1' },
    spec: { placementName: 'shop', clusterName: 'eu-1' },
  },
  OverrideSnapshot: {
    apiVersion,
    kind: 'ClusterResourceOverrideSnapshot',
    metadata: {
      name: 'replicas-0',
      labels: {
        'kubernetes-fleet.io/is-latest-snapshot': 'true',
        'kubernetes-fleet.io/override-index': '0',
        'kubernetes-fleet.io/parent-clusterResourceOverride': 'replicas',
      },
    },
    spec: { overrideHash: 'aA==', overrideSpec: { clusterResourceSelectors: [], policy: { overrideRules: [] } } },
  },
};

/** A namespaced run that was initialized and has begun. */
export const namespacedRun: unknown = {
  apiVersion,
  kind: 'StagedUpdateRun',
  metadata: {
    creationTimestamp: at,
    finalizers: ['kubernetes-fleet.io/stagedupdaterun-finalizer'],
    generateName: 'web-',
    generation: 2,
    name: 'web-vq7w4',
    namespace: 'shop',
    resourceVersion: '433',
    uid: 'd3919424-f9bb-443b-a4c6-21998cf497e3',
  },
  spec: { placementName: 'web', resourceSnapshotIndex: '', stagedRolloutStrategyName: 'rings', state: 'Run' },
  status: {
    appliedStrategy: {
      comparisonOption: 'PartialComparison',
      type: 'ClientSideApply',
      whenToApply: 'Always',
      whenToTakeOver: 'Always',
    },
    conditions: [
      {
        lastTransitionTime: at,
        message: 'The UpdateRun initialized successfully',
        observedGeneration: 2,
        reason: 'UpdateRunInitializedSuccessfully',
        status: 'True',
        type: 'Initialized',
      },
      {
        lastTransitionTime: at,
        message: 'The update run is making progress',
        observedGeneration: 2,
        reason: 'UpdateRunProgressing',
        status: 'True',
        type: 'Progressing',
      },
    ],
    deletionStageStatus: { clusters: [], stageName: 'kubernetes-fleet.io/deleteStage' },
    policyObservedClusterCount: 4,
    policySnapshotIndexUsed: '0',
    resourceSnapshotIndexUsed: '0',
    stagedUpdateStrategySnapshot: {
      stages: [
        { labelSelector: { matchLabels: { env: 'staging' } }, maxConcurrency: 1, name: 'staging' },
        {
          afterStageTasks: [{ type: 'Approval' }],
          labelSelector: { matchLabels: { env: 'canary' } },
          maxConcurrency: 1,
          name: 'canary',
        },
        {
          labelSelector: { matchLabels: { env: 'prod' } },
          maxConcurrency: '50%',
          name: 'prod',
          sortingLabelKey: 'order',
        },
      ],
    },
    stagesStatus: [
      { clusters: [{ clusterName: 'eu-1' }], stageName: 'staging' },
      {
        afterStageTaskStatus: [{ approvalRequestName: 'web-vq7w4-after-canary', type: 'Approval' }],
        clusters: [{ clusterName: 'eu-2' }],
        stageName: 'canary',
      },
      { clusters: [{ clusterName: 'us-2' }, { clusterName: 'us-1' }], stageName: 'prod' },
    ],
  },
};
