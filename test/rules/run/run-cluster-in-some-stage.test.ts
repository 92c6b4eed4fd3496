import rule from '../../../src/rules/run/run-cluster-in-some-stage.js';
import {
  binding,
  cluster,
  creation,
  placement,
  policySnapshot,
  run,
  stage,
  lateStart,
  strategy,
} from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const path = 'spec.stagedRolloutStrategyName';
const scheduled = [placement(), policySnapshot()];
const rings = strategy('rings', stage('canary'), stage('prod'));
const eu = cluster('eu', { ring: 'canary' });
const many = Array.from({ length: 12 }, (_, index) => `c${String(index).padStart(2, '0')}`);

const leftOut = (which: string, commands: readonly string[], more: Partial<Expected> = {}): readonly Expected[] => [
  {
    path,
    message: `no stage of strategy "rings" selects ${which}`,
    fix: [
      'Label the clusters (this may take a fleet admin) so that one stage selects each of them (here "prod"), or add a stage that does.',
      ...commands,
    ].join('\n'),
    ...more,
  },
];

const addStage = ({ plural, flag }: Scope): readonly Expected[] => [
  {
    path,
    message: 'no stage of strategy "rings" selects 1 cluster of placement "shop": "us"',
    fix: [
      'Add a stage whose label selector takes these clusters, or change the policy of the placement so that it leaves them out. These show their labels, and open the stages:',
      'kubectl get memberclusters us --show-labels',
      `kubectl edit ${plural('UpdateStrategy')} rings${flag}`,
    ].join('\n'),
  },
];

testRule(rule, {
  accepts: {
    'a cluster that a stage selects': { change: creation(release), fleet: [...scheduled, rings, eu, binding('eu')] },
    'a cluster outside of all stages that the placement has not picked': {
      change: creation(release),
      fleet: [...scheduled, rings, eu, cluster('us'), binding('eu')],
    },
    'a cluster outside of all stages that is on its way out': {
      change: creation(release),
      fleet: [...scheduled, rings, eu, cluster('us'), binding('eu'), binding('us', { state: 'Unscheduled' })],
    },
    'a cluster that two stages select, which another rule tells': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('canary'), { name: 'all', labelSelector: {} }), eu, binding('eu')],
    },
    'a strategy without stages, which another rule tells': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings'), eu, binding('eu')],
    },
    'a selector that cannot be read, which another rule tells': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', { name: 'odd', labelSelector: { matchExpressions: [{ key: 'ring', operator: 'Is' }] } }),
        eu,
        binding('eu'),
      ],
    },
    'the start of a run, whose stages another rule compares': {
      change: lateStart(release),
      fleet: [...scheduled, rings, cluster('us'), binding('us')],
    },
  },
  rejects: {
    'a cluster without labels': {
      change: creation(release),
      fleet: [...scheduled, rings, eu, cluster('us'), binding('eu'), binding('us')],
      findings: leftOut('1 cluster of placement "shop": "us"', [
        'kubectl label memberclusters us ring=prod --overwrite',
      ]),
    },
    'a cluster whose label is in another case': {
      change: creation(release),
      fleet: [...scheduled, rings, cluster('us', { ring: 'Prod' }), binding('us')],
      findings: leftOut('1 cluster of placement "shop": "us"', [
        'kubectl label memberclusters us ring=prod --overwrite',
      ]),
    },
    'a cluster whose label means something else: it is left as it is': {
      change: creation(release),
      fleet: [...scheduled, rings, cluster('us', { ring: 'staging' }), binding('us')],
      findings: addStage,
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [...scheduled, rings, cluster('us'), binding('us')],
      findings: leftOut(
        '1 cluster of placement "shop": "us"',
        ['kubectl label memberclusters us ring=prod --overwrite'],
        { severity: 'warn' },
      ),
    },
    'all of many clusters, by name and in one command': {
      change: creation(release),
      fleet: [...scheduled, rings, ...many.flatMap((name) => [cluster(name), binding(name)])],
      findings: leftOut(`12 clusters of placement "shop": ${many.map((name) => `"${name}"`).join(', ')}`, [
        `kubectl label memberclusters ${many.join(' ')} ring=prod --overwrite`,
      ]),
    },
    'a stage that sorts: the new cluster goes last': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', stage('prod', { sortingLabelKey: 'order' })),
        cluster('eu', { ring: 'prod', order: '7' }),
        cluster('us', { order: 'x' }),
        cluster('asia', { order: '3' }),
        binding('eu'),
        binding('us'),
        binding('asia'),
      ],
      findings: leftOut('2 clusters of placement "shop": "asia", "us"', [
        'kubectl label memberclusters asia ring=prod --overwrite',
        'kubectl label memberclusters us ring=prod order=8 --overwrite',
      ]),
    },
    'a stage of a label that KubeFleet sets itself': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', { name: 'eu', labelSelector: { matchLabels: { 'kubernetes-fleet.io/member-name': 'eu' } } }),
        cluster('us', { 'kubernetes-fleet.io/member-name': 'us' }),
        binding('us'),
      ],
      findings: addStage,
    },
    'a binding to a cluster that has left the fleet': {
      change: creation(release),
      fleet: [...scheduled, rings, eu, binding('eu'), binding('gone')],
      findings: [
        {
          path,
          message: 'placement "shop" is still bound to "gone", but there is no such member cluster',
          fix: 'Wait until the scheduler has dropped what is gone, then try again.',
          retry: true,
        },
      ],
    },
    'a binding to a cluster that has left long ago': {
      change: creation(release),
      fleet: [...scheduled, rings, eu, binding('eu'), binding('gone')],
      settlingFor: 600,
      findings: [
        {
          path,
          message: 'placement "shop" is still bound to "gone", but there is no such member cluster',
          fix: 'Wait until the scheduler has dropped what is gone, then try again.',
        },
      ],
    },
    'a strategy that cannot be known': {
      change: creation(release),
      fleet: scheduled,
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('UpdateStrategy')} "rings"`),
    },
  },
});
