import rule from '../../../src/rules/run/run-placement-scheduled.js';
import {
  binding,
  condition,
  creation,
  placement,
  policySnapshot,
  run,
  lateStart,
  start,
  update,
} from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const path = 'spec.placementName';
const parent = { 'kubernetes-fleet.io/parent-CRP': 'shop' };
const latest = { ...parent, 'kubernetes-fleet.io/is-latest-snapshot': 'true' };
const scheduledAt = (observedGeneration: number, status = 'True', message = '') => ({
  conditions: [{ ...condition('Scheduled', status, 'Reason', message), observedGeneration }],
});
const pickN = { policy: { placementType: 'PickN', numberOfClusters: 3 } };

const settling =
  (what: string, more: Partial<Expected> = {}) =>
  ({ kind, plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message: `placement "shop" is not scheduled yet: the scheduler ${what}`,
      retry: true,
      fix: [
        'Wait until the placement is scheduled, then try again.',
        `kubectl wait ${plural('Placement')} shop${flag} --for=condition=${kind('Placement')}Scheduled --timeout=60s`,
      ].join('\n'),
      ...more,
    },
  ];

const unfulfilled =
  (reason: string) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message: `placement "shop" does not get all the clusters that its policy asks for${reason}`,
      fix: [
        'Ask for fewer clusters or make more of them fit the policy, then try again. This shows which clusters were left out and why:',
        `kubectl describe ${plural('Placement')} shop${flag}`,
      ].join('\n'),
    },
  ];

/** A placement of generation 2 whose selectors KubeFleet has found bad. */
const badSelectors = (observedGeneration: number) => (scope: Scope) =>
  placement('shop', {
    metadata: { generation: 2 },
    status: {
      conditions: [
        {
          ...condition(`${scope.kind('Placement')}Scheduled`, 'False', 'InvalidResourceSelectors'),
          observedGeneration,
        },
      ],
    },
  });

const neverFollowed = placement('shop', {
  spec: { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'kube-system' }] },
});
const pending = policySnapshot('shop', {
  spec: { policy: { placementType: 'PickFixed', clusterNames: [] } },
  status: { conditions: [] },
});
const namesNone = placement('shop', { spec: { policy: { placementType: 'PickFixed', clusterNames: [] } } });

const neverScheduled =
  (more: Partial<Expected> = {}) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message: 'placement "shop" has never been scheduled, because KubeFleet cannot follow its resource selectors',
      fix: [
        'Fix spec.resourceSelectors of the placement, then try again.',
        `kubectl edit ${plural('Placement')} shop${flag}`,
      ].join('\n'),
      ...more,
    },
  ];

testRule(rule, {
  accepts: {
    'a placement that is scheduled': { change: creation(release), fleet: [placement(), policySnapshot()] },
    'an older policy snapshot beside the latest': {
      change: creation(release),
      fleet: [
        placement(),
        policySnapshot('shop', { index: 1 }),
        policySnapshot('shop', {
          metadata: { labels: { ...parent, 'kubernetes-fleet.io/is-latest-snapshot': 'false' } },
          status: { conditions: [] },
        }),
      ],
    },
    'a latest policy snapshot of another placement': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), policySnapshot('store', { status: { conditions: [] } })],
    },
    'a policy of a number with the number': {
      change: creation(release),
      fleet: [
        placement(),
        policySnapshot('shop', {
          spec: pickN,
          metadata: { annotations: { 'kubernetes-fleet.io/number-of-clusters': '3' } },
        }),
      ],
    },
    'the same generation of a placement that is at its tenth': {
      change: creation(release),
      fleet: [
        placement('shop', { metadata: { generation: 10 } }),
        policySnapshot('shop', {
          metadata: { annotations: { 'kubernetes-fleet.io/CRP-generation': '10' } },
          status: { observedCRPGeneration: 10 },
        }),
      ],
    },
    'bindings of an older policy, for which KubeFleet waits': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { index: 1 }), binding('eu')],
    },
    'a snapshot that stays behind since the resource selectors went bad, for a run of an index': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: (scope) => [badSelectors(2)(scope), policySnapshot()],
    },
    'a placement without a snapshot since its selectors can never be followed, which another rule tells': {
      change: creation(release),
      fleet: [neverFollowed],
    },
    'a list of clusters that is empty, for a scheduler that took it': {
      change: creation(release),
      fleet: [namesNone, policySnapshot('shop', { spec: { policy: { placementType: 'PickFixed' } } })],
    },
    'a placement that does not exist, which another rule tells': { change: creation(release) },
    'a stop, which nothing may hinder': {
      change: update(release, run('release', { spec: { state: 'Stop' } })),
      fleet: [placement()],
    },
    'another write to a run in state Run': {
      change: update(release, run('release', { metadata: { labels: { a: 'b' } } })),
      fleet: [placement()],
    },
  },
  rejects: {
    'no policy snapshot yet': {
      change: creation(release),
      fleet: [placement()],
      findings: settling('has not taken it up yet'),
    },
    'only policy snapshots that are not the latest, as between two of them': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { metadata: { labels: parent } })],
      findings: settling('has not taken it up yet'),
    },
    'a snapshot that says nothing about scheduling yet': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { status: { conditions: [] } })],
      findings: settling('has not picked its clusters yet'),
    },
    'a Scheduled condition of an older generation': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { metadata: { generation: 2 } })],
      findings: settling('has not seen its newest policy yet'),
    },
    'a Scheduled condition that is False, but of an older generation': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { metadata: { generation: 2 }, status: scheduledAt(1, 'False') })],
      findings: settling('has not seen its newest policy yet'),
    },
    'an annotation of an older generation of the placement': {
      change: creation(release),
      fleet: [
        placement('shop', { metadata: { generation: 2 } }),
        policySnapshot('shop', { status: { observedCRPGeneration: 2 } }),
      ],
      findings: settling('has not seen its last change yet'),
    },
    'an observedCRPGeneration below the generation of the placement': {
      change: creation(release),
      fleet: [
        placement('shop', { metadata: { generation: 2 } }),
        policySnapshot('shop', { metadata: { annotations: { 'kubernetes-fleet.io/CRP-generation': '2' } } }),
      ],
      findings: settling('has not seen its last change yet'),
    },
    'a snapshot behind the selectors that were bad one generation ago': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: (scope) => [badSelectors(1)(scope), policySnapshot()],
      findings: settling('has not seen its last change yet'),
    },
    'what has been settling for two minutes, still with hope': {
      change: creation(release),
      fleet: [placement()],
      settlingFor: 120,
      findings: settling('has not taken it up yet'),
    },
    'what has been settling for longer, without': {
      change: creation(release),
      fleet: [placement()],
      settlingFor: 121,
      findings: settling('has not taken it up yet', { retry: false }),
    },
    'on a dry run only softly, and never to be sent again': {
      change: creation(release, { dryRun: true }),
      fleet: [placement()],
      findings: settling('has not taken it up yet', { severity: 'warn', retry: false }),
    },
    'several latest policy snapshots, of which the highest index stays': {
      change: creation(release),
      fleet: [placement(), ...[2, 10, 9].map((index) => policySnapshot('shop', { index }))],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'placement "shop" has more than one latest policy snapshot: "shop-10", "shop-2" and "shop-9"',
          fix: [
            'Leave the label on the newest of them only (this may take a fleet admin), then try again.',
            `kubectl label ${plural('PolicySnapshot')} shop-9${flag} kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
            `kubectl label ${plural('PolicySnapshot')} shop-2${flag} kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
          ].join('\n'),
        },
      ],
    },
    'a policy snapshot without its index': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { index: 7, metadata: { labels: latest } })],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'placement "shop" has policy snapshot "shop-7" without label kubernetes-fleet.io/policy-index',
          fix: [
            'Put the label back (this may take a fleet admin), then try again.',
            `kubectl label ${plural('PolicySnapshot')} shop-7${flag} kubernetes-fleet.io/policy-index=7 --overwrite`,
          ].join('\n'),
        },
      ],
    },
    'a policy of a number whose snapshot has lost the number': {
      change: creation(release),
      fleet: [placement('shop', { spec: pickN }), policySnapshot('shop', { spec: pickN })],
      findings: ({ plural, flag }) => [
        {
          path,
          message:
            'placement "shop" has policy snapshot "shop-0" without a number in annotation kubernetes-fleet.io/number-of-clusters',
          fix: [
            'Put the number back (this may take a fleet admin), then try again.',
            `kubectl annotate ${plural('PolicySnapshot')} shop-0${flag} kubernetes-fleet.io/number-of-clusters=3 --overwrite`,
          ].join('\n'),
        },
      ],
    },
    'a policy that the fleet cannot fulfil': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { status: scheduledAt(1, 'False', 'found 1\n of 3 clusters') })],
      findings: unfulfilled(' ("found 1 of 3 clusters")'),
    },
    'a policy of which nobody says why it is not fulfilled': {
      change: creation(release),
      fleet: [placement(), policySnapshot('shop', { status: scheduledAt(1, 'Unknown') })],
      findings: unfulfilled(''),
    },
    'a start after a cluster has gone that the policy needs': {
      change: start(release),
      fleet: [placement(), policySnapshot('shop', { status: scheduledAt(1, 'False', 'found 1 of 3 clusters') })],
      findings: unfulfilled(' ("found 1 of 3 clusters")'),
    },
    'a start while the scheduler works': {
      change: start(release),
      fleet: [placement(), policySnapshot('shop', { status: { conditions: [] } })],
      findings: settling('has not picked its clusters yet'),
    },
    'a start where selectors can never be followed, of which the rule about selectors does not tell': {
      change: lateStart(release),
      fleet: [neverFollowed],
      findings: neverScheduled(),
    },
    'a new run where selectors can never be followed and the rule about them may not refuse': {
      change: creation(release),
      policy: { rules: { 'run-placement-selectors': 'warn' } },
      fleet: [neverFollowed],
      findings: neverScheduled(),
    },
    'a placement that was never scheduled, since its selectors were bad when KubeFleet last looked': {
      change: creation(release),
      fleet: (scope) => [badSelectors(2)(scope)],
      findings: neverScheduled({ retry: true }),
    },
    'a run of an index whose placement was never scheduled, since its selectors were bad': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: (scope) => [badSelectors(2)(scope)],
      findings: neverScheduled({ retry: true }),
    },
    ...Object.fromEntries(
      [
        { what: 'of a snapshot that the scheduler passes over', snapshots: [pending] },
        { what: 'before there is a snapshot', snapshots: [] },
      ].map(({ what, snapshots }) => [
        `a list of clusters that is empty, ${what}`,
        {
          change: creation(release),
          fleet: [namesNone, ...snapshots],
          findings: ({ plural, flag }: Scope) => [
            {
              path,
              message:
                'placement "shop" names no cluster: spec.policy.clusterNames is empty, and KubeFleet never schedules that',
              fix: [
                'Name the clusters that it is to have, then try again.',
                `kubectl edit ${plural('Placement')} shop${flag}`,
              ].join('\n'),
            },
          ],
        },
      ]),
    ),
    'a list of clusters that has been filled, which the scheduler is still to see': {
      change: creation(release),
      fleet: [placement('shop', { spec: { policy: { placementType: 'PickFixed', clusterNames: ['eu'] } } }), pending],
      findings: settling('has not picked its clusters yet'),
    },
    'policy snapshots that cannot be known': {
      change: creation(release),
      fleet: [placement()],
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `the ${kind('PolicySnapshot')}s of placement "shop"`),
    },
  },
});
