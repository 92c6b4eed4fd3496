import fc from 'fast-check';
import { mostly, nearlyAlways, optional, text } from './write-parts.js';

const namespace = { group: '', version: 'v1', kind: 'Namespace', name: 'shop' };

const withSelectors = { ...namespace, selectionScope: 'NamespaceWithResourceSelectors' };

/** A namespace whose content is selected piece by piece, beside another one. */
export const doubtfulSelectors = [
  [withSelectors, { ...withSelectors, name: 'other' }],
  [withSelectors, { ...namespace, name: 'other' }],
];

/** What patches are sent to. */
export const storedSpecs = {
  Placement: {
    all: { resourceSelectors: [namespace], policy: { placementType: 'PickAll' }, strategy: { type: 'External' } },
    some: { resourceSelectors: [namespace], policy: { placementType: 'PickN', numberOfClusters: 2 } },
    named: { resourceSelectors: [namespace], policy: { placementType: 'PickFixed', clusterNames: ['eu-1'] } },
    bare: { resourceSelectors: [namespace] },
  },
  Eviction: { drain: { placementName: 'shop', clusterName: 'eu-1' } },
  MemberCluster: { stored: { identity: { kind: 'User', name: 'stored' } } },
} as const;

const selector = optional(
  {
    group: nearlyAlways(fc.constantFrom('', 'apps'), 1),
    version: nearlyAlways(fc.constantFrom('v1'), null),
    kind: nearlyAlways(fc.constantFrom('Namespace', 'Deployment'), []),
    name: nearlyAlways(fc.constantFrom('shop', ''), 5),
    labelSelector: fc.constant({ matchLabels: { team: 'shop' } }),
    selectionScope: nearlyAlways(
      fc.constantFrom('NamespaceOnly', 'NamespaceWithResources', 'NamespaceWithResourceSelectors'),
      'Everything',
    ),
  },
  ['group', 'version', 'kind'],
);

const toleration = optional({
  key: nearlyAlways(fc.constantFrom('gpu', ''), 1),
  operator: nearlyAlways(fc.constantFrom('Exists', 'Equal'), 'Like'),
  value: nearlyAlways(fc.constantFrom('', 'yes'), 1),
  effect: nearlyAlways(fc.constant('NoSchedule'), 'NoExecute'),
});

const policyChange: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: optional({
      placementType: nearlyAlways(fc.constantFrom('PickAll', 'PickN', 'PickFixed'), 'PickSome', null),
      numberOfClusters: nearlyAlways(fc.constantFrom(0, 2), -1, '2', 1.5),
      clusterNames: nearlyAlways(fc.constantFrom([], ['eu-1']), Array(101).fill('a'), 'eu-1'),
      tolerations: nearlyAlways(fc.array(toleration, { maxLength: 2 }), 'x', null),
    }),
  },
);

/** The fields of a type that go together, with now and then one that does not. */
const policy = fc
  .constantFrom(
    {},
    { placementType: 'PickAll' },
    { placementType: 'PickN', numberOfClusters: 3 },
    { placementType: 'PickFixed', clusterNames: ['eu-1'] },
  )
  .chain((good) => fc.tuple(fc.constant(good), policyChange))
  .map(([good, change]) => ({ ...good, ...(change as object) }));

const applyStrategy = optional({
  type: nearlyAlways(fc.constantFrom('ClientSideApply', 'ServerSideApply', 'ReportDiff'), 'Patch'),
  comparisonOption: nearlyAlways(fc.constantFrom('PartialComparison', 'FullComparison'), 'None'),
  whenToApply: nearlyAlways(fc.constantFrom('Always', 'IfNotDrifted'), 'Never'),
  whenToTakeOver: nearlyAlways(fc.constantFrom('Always', 'IfNoDiff', 'Never'), 'Maybe'),
  allowCoOwnership: nearlyAlways(fc.boolean(), 'yes'),
  serverSideApplyConfig: nearlyAlways(fc.constantFrom({}, { force: true }), { force: 1 }),
});

const reportBackStrategy = optional(
  {
    type: nearlyAlways(fc.constantFrom('Disabled', 'Mirror'), 'Copy', null),
    destination: nearlyAlways(fc.constantFrom('OriginalResource', 'WorkAPI'), 'Elsewhere', 1),
  },
  ['type'],
);

const strategy = optional({
  type: nearlyAlways(fc.constantFrom('External', 'RollingUpdate'), 'Staged', null),
  applyStrategy,
  deleteStrategy: optional({ propagationPolicy: nearlyAlways(fc.constantFrom('Abandon', 'Delete'), 'Orphan') }),
  reportBackStrategy,
});

export const placementSpec = optional(
  {
    resourceSelectors: nearlyAlways(
      fc.array(selector, { minLength: 1, maxLength: 2 }),
      [],
      null,
      Array(101).fill(namespace),
    ),
    policy: nearlyAlways(policy, null, 'x'),
    strategy: nearlyAlways(strategy, null, []),
    revisionHistoryLimit: nearlyAlways(fc.constantFrom(1, 1000), 0, 1001, '1'),
    statusReportingScope: nearlyAlways(fc.constantFrom('ClusterScopeOnly', 'NamespaceAccessible'), 'Nowhere'),
  },
  ['resourceSelectors'],
);

export const evictionSpec = optional({
  placementName: mostly(text, 'x'.repeat(256), 1, null),
  clusterName: mostly(text, 'x'.repeat(256), {}, null),
});

const taint = optional(
  {
    key: mostly(fc.constant('gpu'), 1),
    value: mostly(text, 1),
    effect: mostly(fc.constant('NoSchedule'), 'NoExecute', null),
  },
  ['key', 'effect'],
);

/** Not every version can say how a member leaves. */
export function memberSpec(version: string): fc.Arbitrary<unknown> {
  const identity = optional({ kind: mostly(text, 1), name: mostly(text, null), namespace: text, apiGroup: text }, [
    'kind',
    'name',
  ]);
  const deleteOptions = mostly(fc.constantFrom({}, { validationMode: 'Skip' }), { validationMode: 'Loose' });
  return optional(
    {
      identity: mostly(identity, null, {}, 'x'),
      heartbeatPeriodSeconds: mostly(fc.constantFrom(1, 600), 0, 601, '60'),
      taints: mostly(fc.array(taint, { maxLength: 2 }), Array(101).fill({ key: 'a', effect: 'NoSchedule' }), null),
      ...(version === 'v1beta1' && { deleteOptions }),
    },
    ['identity'],
  );
}
