import { describe, expect, test } from '@jest/globals';
import {
  families,
  kindIn,
  kindOf,
  kindOfResource,
  kinds,
  scopeOf,
  splitApiVersion,
  storageVersion,
} from '../../src/fleet/kinds.js';

/** What KubeFleet's CRDs define: kind, plural, namespaced, served versions (sorted), family. */
const served: readonly [string, string, boolean, string, string][] = [
  ['ClusterStagedUpdateRun', 'clusterstagedupdateruns', false, 'v1 v1alpha1 v1beta1', 'UpdateRun'],
  ['StagedUpdateRun', 'stagedupdateruns', true, 'v1 v1beta1', 'UpdateRun'],
  ['ClusterStagedUpdateStrategy', 'clusterstagedupdatestrategies', false, 'v1 v1alpha1 v1beta1', 'UpdateStrategy'],
  ['StagedUpdateStrategy', 'stagedupdatestrategies', true, 'v1 v1beta1', 'UpdateStrategy'],
  ['ClusterApprovalRequest', 'clusterapprovalrequests', false, 'v1 v1alpha1 v1beta1', 'ApprovalRequest'],
  ['ApprovalRequest', 'approvalrequests', true, 'v1 v1beta1', 'ApprovalRequest'],
  ['ClusterResourcePlacement', 'clusterresourceplacements', false, 'v1 v1beta1', 'Placement'],
  ['ResourcePlacement', 'resourceplacements', true, 'v1 v1beta1', 'Placement'],
  ['ClusterResourceSnapshot', 'clusterresourcesnapshots', false, 'v1 v1beta1', 'ResourceSnapshot'],
  ['ResourceSnapshot', 'resourcesnapshots', true, 'v1beta1', 'ResourceSnapshot'],
  ['ClusterSchedulingPolicySnapshot', 'clusterschedulingpolicysnapshots', false, 'v1 v1beta1', 'PolicySnapshot'],
  ['SchedulingPolicySnapshot', 'schedulingpolicysnapshots', true, 'v1beta1', 'PolicySnapshot'],
  ['ClusterResourceBinding', 'clusterresourcebindings', false, 'v1 v1beta1', 'Binding'],
  ['ResourceBinding', 'resourcebindings', true, 'v1beta1', 'Binding'],
  ['MemberCluster', 'memberclusters', false, 'v1 v1beta1', 'MemberCluster'],
  ['ClusterResourcePlacementEviction', 'clusterresourceplacementevictions', false, 'v1alpha1 v1beta1', 'Eviction'],
  [
    'ClusterResourceOverrideSnapshot',
    'clusterresourceoverridesnapshots',
    false,
    'v1 v1alpha1 v1beta1',
    'OverrideSnapshot',
  ],
  ['ResourceOverrideSnapshot', 'resourceoverridesnapshots', true, 'v1 v1alpha1 v1beta1', 'OverrideSnapshot'],
];

const groupOf = (kind: string): string =>
  kind === 'MemberCluster' ? 'cluster.kubernetes-fleet.io' : 'placement.kubernetes-fleet.io';

test('the table holds every kind that KubeFleet serves for staged rollouts, and no other', () => {
  const held = kinds.map((kind) => [
    kind.kind,
    kind.plural,
    kind.namespaced,
    [...kind.versions].sort().join(' '),
    kind.family,
  ]);
  expect(held).toEqual(served);
  expect(kinds.map(({ group }) => group)).toEqual(served.map(([kind]) => groupOf(kind)));
});

test('every kind is served in the version that is stored', () => {
  expect(kinds.filter(({ versions }) => !versions.includes(storageVersion))).toEqual([]);
});

describe.each(served)('%s', (kind, ...row) => {
  const [plural, namespaced, versions, family] = row;
  const group = groupOf(kind);

  test('is found by apiVersion and kind, in every served version', () => {
    for (const version of versions.split(' ')) {
      expect(kindOf(`${group}/${version}`, kind)).toMatchObject({ family, namespaced, plural });
    }
  });

  test('is found by group and plural', () => {
    expect(kindOfResource(group, plural)).toMatchObject({ family, kind });
  });

  test('is not found in another group', () => {
    expect([kindOf('apps/v1', kind), kindOf('v1', kind), kindOfResource('', plural)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('kinds of others', () => {
  test.each([
    ['v1', 'ConfigMap'],
    ['placement.kubernetes-fleet.io/v1beta1', 'ClusterResourceOverride'],
    ['placement.kubernetes-fleet.io/v1beta1', 'constructor'],
    ['placement.kubernetes-fleet.io/v1beta1', 'clusterstagedupdaterun'],
    ['', ''],
    ['placement.kubernetes-fleet.io', 'ClusterStagedUpdateRun'],
  ])('%p %p is none of ours', (apiVersion, kind) => {
    expect(kindOf(apiVersion, kind)).toBeUndefined();
  });
});

describe('the twin of a scope', () => {
  test.each(families.filter((family) => family !== 'MemberCluster' && family !== 'Eviction'))(
    '%s has one in both',
    (family) => {
      expect([kindIn(family, undefined).namespaced, kindIn(family, 'team-a').namespaced]).toEqual([false, true]);
      expect([scopeOf(family, undefined), scopeOf(family, 'team-a')]).toEqual([undefined, 'team-a']);
    },
  );

  test('MemberCluster lives in cluster scope, whoever asks', () => {
    expect([kindIn('MemberCluster', undefined).kind, kindIn('MemberCluster', 'team-a').kind]).toEqual([
      'MemberCluster',
      'MemberCluster',
    ]);
    expect([scopeOf('MemberCluster', undefined), scopeOf('MemberCluster', 'team-a')]).toEqual([undefined, undefined]);
  });
});

test.each([
  ['placement.kubernetes-fleet.io/v1', { group: 'placement.kubernetes-fleet.io', version: 'v1' }],
  ['v1', { group: '', version: 'v1' }],
  ['', { group: '', version: '' }],
])('apiVersion %p comes apart', (apiVersion, parts) => {
  expect(splitApiVersion(apiVersion)).toEqual(parts);
});
