/** Labels and annotations that KubeFleet puts on what it writes (apis/placement/v1beta1/commons.go). */
export const fleetKeys = {
  parentPlacement: 'kubernetes-fleet.io/parent-CRP',
  isLatest: 'kubernetes-fleet.io/is-latest-snapshot',
  policyIndex: 'kubernetes-fleet.io/policy-index',
  resourceIndex: 'kubernetes-fleet.io/resource-index',
  resourceHash: 'kubernetes-fleet.io/resource-hash',
  snapshotCount: 'kubernetes-fleet.io/number-of-resource-snapshots',
  partIndex: 'kubernetes-fleet.io/subindex-of-resource-snapshot',
  changeNoted: 'kubernetes-fleet.io/next-resource-snapshot-candidate-detection-time',
  placementGeneration: 'kubernetes-fleet.io/CRP-generation',
  numberOfClusters: 'kubernetes-fleet.io/number-of-clusters',
  targetRun: 'kubernetes-fleet.io/targetUpdateRun',
} as const;
