import rule from '../../../src/rules/run/run-has-clusters.js';
import { binding, creation, placement, policySnapshot, run, lateStart, type Draft } from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
/** The run as it was initialized with that many clusters. */
const counted = (policyObservedClusterCount: number) => run('release', { status: { policyObservedClusterCount } });

/** A second binding of a cluster. */
const again = (cluster: string) => {
  const { family, json } = binding(cluster);
  return { family, json: { ...json, metadata: { ...(json['metadata'] as object), name: `shop-${cluster}-2` } } };
};

const path = 'spec.placementName';
const asksFor = (clusters: number) =>
  policySnapshot('shop', {
    spec: { policy: { placementType: 'PickN', numberOfClusters: clusters } },
    metadata: { annotations: { 'kubernetes-fleet.io/number-of-clusters': String(clusters) } },
  });
const names = (...clusterNames: readonly string[]) =>
  policySnapshot('shop', { spec: { policy: { placementType: 'PickFixed', clusterNames } } });

const wrongCount =
  (wanted: string, bound: string, more: Partial<Expected> = {}) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message: `placement "shop" asks for ${wanted}, but at the moment ${bound} bound to it`,
      retry: true,
      fix: [
        'Wait a few seconds, then try again. This shows the clusters of the placement:',
        `kubectl describe ${plural('Placement')} shop${flag}`,
      ].join('\n'),
      ...more,
    },
  ];

const nothingFits =
  (severity: 'deny' | 'warn' = 'deny') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      severity,
      message: 'placement "shop" is scheduled, but no cluster fits its policy',
      fix: [
        'Join or label clusters so that the policy of the placement picks them, then try again. This shows the policy:',
        `kubectl describe ${plural('Placement')} shop${flag}`,
      ].join('\n'),
    },
  ];

/** A second binding of a cluster. */
function boundAgain(name: string): Draft {
  const { family, json } = binding(name);
  return { family, json: { ...json, metadata: { ...(json['metadata'] as object), name: `shop-${name}-again` } } };
}

testRule(rule, {
  accepts: {
    'a placement of all clusters that has one': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu')],
    },
    'a placement whose only cluster is to lose the resources': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu', { state: 'Unscheduled' })],
    },
    'as many clusters as the policy asks for, one more on its way out': {
      change: creation(release),
      fleet: [placement(), asksFor(2), binding('eu'), binding('us'), binding('asia', { state: 'Unscheduled' })],
    },
    'a number of 0 while the last cluster is on its way out': {
      change: creation(release),
      fleet: [placement(), asksFor(0), binding('eu', { state: 'Unscheduled' })],
    },
    'all clusters that the policy names': {
      change: creation(release),
      fleet: [placement(), names('eu', 'us'), binding('eu'), binding('us', { state: 'Bound' })],
    },
    'nothing but clusters of an older policy, for which KubeFleet waits': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu', { policySnapshot: 'shop-7' })],
    },
    'clusters of an older policy among too few of the new, however long that lasts': {
      change: creation(release),
      fleet: [placement(), asksFor(3), binding('eu'), binding('us', { policySnapshot: 'shop-7' })],
      settlingFor: 9999,
    },
    'a placement that is not scheduled yet, which another rule tells': {
      change: creation(release),
      fleet: [placement()],
    },
    'the start of a run, whose clusters another rule compares': {
      change: lateStart(release),
      fleet: [placement(), policySnapshot()],
    },
    'the start of a run that has all its clusters': {
      change: lateStart(counted(2)),
      fleet: [placement(), asksFor(2), binding('eu'), binding('us')],
    },
    'the start of a run whose placement asks for another number by now, which another rule tells': {
      change: lateStart(counted(2)),
      fleet: [placement(), asksFor(3), binding('eu'), binding('us')],
    },
    'the start of a run while clusters of an older policy are bound, for which KubeFleet waits': {
      change: lateStart(counted(2)),
      fleet: [placement(), asksFor(2), binding('eu'), binding('us', { policySnapshot: 'shop-7' })],
    },
    'the start of a run of a policy that takes all clusters, without its count': {
      change: lateStart(release),
      fleet: [placement(), policySnapshot(), binding('eu')],
    },
  },
  rejects: {
    'a policy that no cluster fits': {
      change: creation(release),
      fleet: [placement(), policySnapshot()],
      findings: nothingFits(),
    },
    'a policy that no cluster fits, on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [placement(), policySnapshot()],
      findings: nothingFits('warn'),
    },
    'bindings of another placement alone': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu', { of: 'store', policySnapshot: 'shop-0' })],
      findings: nothingFits(),
    },
    'fewer clusters than the policy asks for': {
      change: creation(release),
      fleet: [placement(), asksFor(3), binding('eu'), binding('us')],
      findings: wrongCount('3 clusters', '2 are'),
    },
    'more clusters than the policy asks for': {
      change: creation(release),
      fleet: [placement(), asksFor(1), binding('eu'), binding('us')],
      findings: wrongCount('1 cluster', '2 are'),
    },
    'one cluster too few by names': {
      change: creation(release),
      fleet: [placement(), names('eu', 'us'), binding('eu'), binding('us', { state: 'Unscheduled' })],
      findings: wrongCount('2 clusters', '1 is'),
    },
    'a count that has not caught up for too long': {
      change: creation(release),
      fleet: [placement(), asksFor(1)],
      settlingFor: 121,
      findings: wrongCount('1 cluster', '0 are', { retry: false }),
    },
    'a count that has not caught up, on a dry run': {
      change: creation(release, { dryRun: true }),
      fleet: [placement(), asksFor(1)],
      findings: wrongCount('1 cluster', '0 are', { retry: false, severity: 'warn' }),
    },
    'the start of a run while a cluster is evicted and picked anew': {
      change: lateStart(counted(2)),
      fleet: [placement(), asksFor(2), binding('eu'), binding('us'), again('eu')],
      findings: wrongCount('2 clusters', '3 are'),
    },
    'the start of a run that has lost a cluster for now': {
      change: lateStart(counted(2)),
      fleet: [placement(), asksFor(2), binding('eu')],
      findings: wrongCount('2 clusters', '1 is'),
    },
    'a policy that asks for no cluster': {
      change: creation(release),
      fleet: [placement(), asksFor(0)],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'placement "shop" asks for no cluster: spec.policy.numberOfClusters is 0',
          fix: [
            'Say how many clusters it is to have, wait until it is scheduled, then try again.',
            `kubectl patch ${plural('Placement')} shop${flag} --type=merge -p '{"spec":{"policy":{"numberOfClusters":1}}}'`,
          ].join('\n'),
        },
      ],
    },
    'a policy that names no cluster': {
      change: creation(release),
      fleet: [placement(), names()],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'placement "shop" names no cluster: spec.policy.clusterNames is empty',
          fix: [
            'Name the clusters that it is to have, wait until it is scheduled, then try again.',
            `kubectl edit ${plural('Placement')} shop${flag}`,
          ].join('\n'),
        },
      ],
    },
    'a policy that names a cluster twice, which never heals': {
      change: creation(release),
      fleet: [placement(), names('eu', 'us', 'eu'), binding('eu'), binding('us')],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'placement "shop" names "eu" more than once in spec.policy.clusterNames',
          fix: [
            'Name each cluster once, wait until the placement is scheduled, then try again.',
            `kubectl patch ${plural('Placement')} shop${flag} --type=merge -p '{"spec":{"policy":{"clusterNames":["eu","us"]}}}'`,
          ].join('\n'),
        },
      ],
    },
    'a policy that names a cluster twice, and has it bound twice, softly': {
      change: creation(release),
      fleet: [placement(), names('eu', 'eu'), binding('eu'), boundAgain('eu')],
      findings: ({ plural, flag }) => [
        {
          path,
          severity: 'warn',
          message: 'placement "shop" names "eu" more than once in spec.policy.clusterNames, and each time counts',
          fix: [
            'Name each cluster once, wait until the placement is scheduled, then try again.',
            `kubectl patch ${plural('Placement')} shop${flag} --type=merge -p '{"spec":{"policy":{"clusterNames":["eu"]}}}'`,
          ].join('\n'),
        },
      ],
    },
    'a placement that cannot be known': {
      change: creation(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});
