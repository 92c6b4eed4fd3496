import { kinds, type KindOfFamily } from '../src/fleet/kinds.js';

/** A fleet as large as KubeFleet's own scalability report has it, and ten runs a placement. */
export const sizes = {
  memberClusters: 1_000,
  placements: 1_000,
  clustersOfPlacement: 100,
  runs: 10_000,
  approvals: 30_000,
  resourceSnapshots: 10_000,
} as const;

type Json = Readonly<Record<string, unknown>>;

const at = '2026-11-16T08:00:00Z';
const group = 'placement.kubernetes-fleet.io/v1beta1';
const parent = 'kubernetes-fleet.io/parent-CRP';

export function kindNamed(name: string): KindOfFamily {
  const kind = kinds.find((one) => one.kind === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

function metadata(name: string, index: number, more: Json = {}): Json {
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const managedFields = [{ manager: 'hub-agent', operation: 'Update', time: at, fieldsV1: { 'f:spec': {} } }];
  return {
    name,
    uid,
    resourceVersion: String(1000 + index),
    generation: 1,
    creationTimestamp: at,
    managedFields,
    ...more,
  };
}

function condition(type: string, reason: string, message: string): Json {
  return { type, status: 'True', reason, message, observedGeneration: 1, lastTransitionTime: at };
}

export function memberCluster(index: number): Json {
  const labels = { ring: String(index % 3), region: `region-${String(index % 20)}` };
  return {
    apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
    kind: 'MemberCluster',
    metadata: metadata(`member-${String(index)}`, index, { labels }),
  };
}

export const strategy: Json = {
  apiVersion: group,
  kind: 'ClusterStagedUpdateStrategy',
  metadata: metadata('rings', 0),
  spec: {
    stages: ['0', '1', '2'].map((ring) => ({ name: `ring${ring}`, labelSelector: { matchLabels: { ring } } })),
  },
};

/** A placement with all that the controllers tell of each of its clusters: 117 KB. */
export function placement(index: number): Json {
  const name = `placement-${String(index)}`;
  return {
    apiVersion: group,
    kind: 'ClusterResourcePlacement',
    metadata: metadata(name, index),
    spec: { strategy: { type: 'External' }, resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace' }] },
    status: {
      conditions: [condition('ClusterResourcePlacementScheduled', 'SchedulingPolicyFulfilled', 'found all')],
      observedResourceIndex: '9',
      placementStatuses: clustersOf(index).map((clusterName) => ({
        clusterName,
        observedResourceIndex: '9',
        conditions: [
          condition(
            'Scheduled',
            'Scheduled',
            `Successfully scheduled resources for placement in "${clusterName}": picked by scheduling policy`,
          ),
          condition('RolloutStarted', 'RolloutStarted', `Detected the new changes and started the rollout`),
          condition('Overridden', 'NoOverrideSpecified', 'No override rules are configured for the selected resources'),
          condition('WorkSynchronized', 'AllWorkSynced', `All of the works are synchronized to the latest`),
          condition('Applied', 'AllWorkHaveBeenApplied', `All corresponding work objects are applied`),
          condition('Available', 'AllWorkAreAvailable', `All corresponding work objects are available`),
        ],
      })),
    },
  };
}

/** One approval of each stage of the three that a run has, given and accepted. */
export function approval(index: number): Json {
  const run = `run-${String(Math.floor(index / 3))}`;
  const stage = `ring${String(index % 3)}`;
  const labels = {
    'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
    'kubernetes-fleet.io/targetUpdateRun': run,
    'kubernetes-fleet.io/targetUpdatingStage': stage,
    'kubernetes-fleet.io/taskType': 'afterStage',
  };
  return {
    apiVersion: group,
    kind: 'ClusterApprovalRequest',
    metadata: metadata(`${run}-after-${stage}`, index, { labels }),
    spec: { parentStageRollout: run, targetStage: stage },
    status: {
      conditions: [
        condition('Approved', 'lgtm', `approved by the team of ${run} after a look at the dashboards`),
        condition(
          'ApprovalAccepted',
          'ApprovalRequestApprovalAccepted',
          'The approval request has been approved and cannot be reverted.',
        ),
      ],
    },
  };
}

export function policySnapshot(index: number): Json {
  const of = `placement-${String(index)}`;
  const labels = {
    [parent]: of,
    'kubernetes-fleet.io/is-latest-snapshot': 'true',
    'kubernetes-fleet.io/policy-index': '0',
  };
  const annotations = { 'kubernetes-fleet.io/CRP-generation': '1' };
  return {
    apiVersion: group,
    kind: 'ClusterSchedulingPolicySnapshot',
    metadata: metadata(`${of}-0`, index, { labels, annotations }),
    spec: { policyHash: 'aGFzaA==' },
    status: {
      observedCRPGeneration: 1,
      conditions: [condition('Scheduled', 'SchedulingPolicyFulfilled', 'found all')],
      targetClusters: clustersOf(index).map((clusterName) => ({ clusterName, selected: true, reason: 'picked' })),
    },
  };
}

function clustersOf(placementIndex: number): readonly string[] {
  return Array.from({ length: sizes.clustersOfPlacement }, (_, i) => {
    return `member-${String((placementIndex * 7 + i) % sizes.memberClusters)}`;
  });
}

export function bindings(placementIndex: number): readonly Json[] {
  const of = `placement-${String(placementIndex)}`;
  return clustersOf(placementIndex).map((targetCluster, i) => ({
    apiVersion: group,
    kind: 'ClusterResourceBinding',
    metadata: metadata(`${of}-${targetCluster}`, i, { labels: { [parent]: of } }),
    spec: { state: 'Bound', targetCluster, schedulingPolicySnapshotName: `${of}-0`, resourceSnapshotName: '' },
  }));
}

export function resourceSnapshot(index: number): Json {
  const of = `placement-${String(index % sizes.placements)}`;
  const number = String(Math.floor(index / sizes.placements));
  const labels = { [parent]: of, 'kubernetes-fleet.io/resource-index': number };
  const annotations = {
    'kubernetes-fleet.io/resource-hash': String(index).padStart(64, 'a'),
    'kubernetes-fleet.io/number-of-resource-snapshots': '1',
  };
  return {
    apiVersion: group,
    kind: 'ClusterResourceSnapshot',
    metadata: metadata(`${of}-${number}-snapshot`, index, { labels, annotations }),
  };
}

/** A finished run with all that the controller writes about its clusters: 45 KB. */
export function run(index: number): Json {
  const placementIndex = index % sizes.placements;
  const names = [...clustersOf(placementIndex)].sort();
  const stages = ['0', '1', '2'].map((ring) => names.filter((name) => Number(name.slice(7)) % 3 === Number(ring)));
  const cluster = (clusterName: string): Json => ({
    clusterName,
    conditions: [
      condition('Started', 'ClusterUpdatingStarted', 'Cluster update started'),
      condition('Succeeded', 'ClusterUpdatingSucceeded', 'Cluster update completed successfully'),
    ],
  });
  return {
    apiVersion: group,
    kind: 'ClusterStagedUpdateRun',
    metadata: metadata(`run-${String(index)}`, index, {
      finalizers: ['kubernetes-fleet.io/stagedupdaterun-finalizer'],
    }),
    spec: {
      placementName: `placement-${String(placementIndex)}`,
      stagedRolloutStrategyName: 'rings',
      resourceSnapshotIndex: '0',
      state: 'Run',
    },
    status: {
      policySnapshotIndexUsed: '0',
      policyObservedClusterCount: names.length,
      resourceSnapshotIndexUsed: '0',
      stagedUpdateStrategySnapshot: strategy['spec'],
      conditions: [
        condition('Initialized', 'UpdateRunInitializedSuccessfully', 'The update run was initialized'),
        condition('Progressing', 'UpdateRunSucceeded', 'The update run has ended'),
        condition('Succeeded', 'UpdateRunSucceeded', 'The update run was completed successfully'),
      ],
      stagesStatus: stages.map((clusters, i) => ({
        stageName: `ring${String(i)}`,
        startTime: at,
        endTime: at,
        conditions: [condition('Succeeded', 'StageUpdatingSucceeded', 'The stage was completed successfully')],
        clusters: clusters.map(cluster),
      })),
      deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [], conditions: [] },
    },
  };
}

/** The same run half-way: initialized, rolling out, its last stage still to come. */
export function activeRun(index: number): Json {
  const finished = run(index) as { status: { conditions: readonly Json[]; stagesStatus: readonly Json[] } };
  const { conditions, stagesStatus } = finished.status;
  const begun = stagesStatus.map((stage, i) =>
    i < stagesStatus.length - 1
      ? stage
      : {
          ...stage,
          conditions: [],
          clusters: (stage['clusters'] as Json[]).map(({ clusterName }) => ({ clusterName })),
        },
  );
  const status = { ...finished.status, conditions: conditions.slice(0, 1), stagesStatus: begun };
  return { ...finished, status };
}

/** A condition as a person has written it. */
export const approved = {
  type: 'Approved',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-17T09:00:00Z',
  reason: 'lgtm',
  message: 'approved after a look at the dashboards',
};
