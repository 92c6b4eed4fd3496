const group = 'placement.kubernetes-fleet.io';
const apiVersion = `${group}/v1beta1`;
const stages = ['staging', 'canary', 'production'];

/** A fleet of so many clusters, and a run that updates them all: few, then more, then most. */
export function largeFleet(size: number): { readonly fleet: unknown; readonly run: unknown } {
  const clusters = Array.from({ length: size }, (_, index) => {
    const stage = stages[index < size / 20 ? 0 : index < size / 5 ? 1 : 2] ?? '';
    return { stage, name: `member-${stage}-${String(index).padStart(4, '0')}` };
  });
  const items = [
    ...clusters.map(({ stage, name }) => ({
      ...{ apiVersion: 'cluster.kubernetes-fleet.io/v1beta1', kind: 'MemberCluster' },
      ...{ metadata: { name, labels: { environment: stage } }, spec: {} },
    })),
    ...clusters.map(({ name }) => ({
      ...{ apiVersion, kind: 'ClusterResourceBinding' },
      metadata: { name: `web-${name}`, labels: { 'kubernetes-fleet.io/parent-CRP': 'web' } },
      spec: { state: 'Bound', targetCluster: name, schedulingPolicySnapshotName: 'web-0', resourceSnapshotName: '' },
    })),
    {
      ...{ apiVersion, kind: 'ClusterResourcePlacement', metadata: { name: 'web', generation: 1 } },
      spec: { resourceSelectors: [], policy: { placementType: 'PickAll' }, strategy: { type: 'External' } },
    },
    {
      ...{ apiVersion, kind: 'ClusterSchedulingPolicySnapshot' },
      metadata: {
        ...{ name: 'web-0', generation: 1, annotations: { 'kubernetes-fleet.io/CRP-generation': '1' } },
        labels: {
          'kubernetes-fleet.io/parent-CRP': 'web',
          'kubernetes-fleet.io/is-latest-snapshot': 'true',
          'kubernetes-fleet.io/policy-index': '0',
        },
      },
      spec: {},
      status: {
        observedCRPGeneration: 1,
        conditions: [{ type: 'Scheduled', status: 'True', observedGeneration: 1, reason: 'SchedulingPolicyFulfilled' }],
      },
    },
    {
      ...{ apiVersion, kind: 'ClusterStagedUpdateStrategy', metadata: { name: 'rings' } },
      spec: {
        stages: stages.map((name) => ({
          ...{ name, labelSelector: { matchLabels: { environment: name } }, maxConcurrency: '10%' },
          afterStageTasks: [{ type: 'TimedWait', waitTime: '24h' }, { type: 'Approval' }],
        })),
      },
    },
  ];
  const run = {
    ...{ apiVersion, kind: 'ClusterStagedUpdateRun', metadata: { name: 'web-1' } },
    spec: { placementName: 'web', stagedRolloutStrategyName: 'rings', state: 'Run' },
  };
  return { fleet: { apiVersion: 'v1', kind: 'List', items }, run };
}
