import rule from '../../../src/rules/run/run-cluster-in-one-stage.js';
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
const eu = cluster('eu', { ring: 'canary' });
const us = cluster('us', { ring: 'canary' });
const canary = stage('canary');
const all = { name: 'all', labelSelector: {} };
const exists = (name: string, key: string) => ({
  name,
  labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
});

const patched =
  (message: string, patch: readonly string[], severity: 'deny' | 'warn' = 'deny') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      severity,
      message,
      fix: [
        'Change the label selectors so that no cluster fits two stages, then try again.',
        `kubectl patch ${plural('UpdateStrategy')} rings${flag} --type=json -p '`,
        ...patch,
        "'",
      ].join('\n'),
    },
  ];

const without = (stage: number, values: string): readonly string[] => [
  '- op: replace',
  `  path: "/spec/stages/${String(stage)}/labelSelector"`,
  '  value:',
  '    matchExpressions:',
  '      - key: ring',
  '        operator: NotIn',
  `        values: [${values}]`,
];
const allButCanary = without(1, 'canary');

testRule(rule, {
  accepts: {
    'stages with disjoint selectors': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, stage('prod')), eu, binding('eu')],
    },
    'an overlap into which no cluster of the placement falls': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, exists('odd', 'odd')), eu, binding('eu')],
    },
    'an overlap on a cluster that the placement has not picked': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, all), eu, cluster('asia'), binding('asia')],
    },
    'an overlap on a cluster that is on its way out': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, all), eu, binding('eu', { state: 'Unscheduled' })],
    },
    'a stage without a selector, which selects nothing': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, { name: 'none' }), eu, binding('eu')],
    },
    'a cluster in no stage, which another rule tells': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('prod')), eu, binding('eu')],
    },
    'a strategy that does not exist, which another rule tells': {
      change: creation(release),
      fleet: [...scheduled, eu, binding('eu')],
    },
    'the start of a run, whose stages stand': {
      change: lateStart(release),
      fleet: [...scheduled, strategy('rings', canary, all), eu, binding('eu')],
    },
  },
  rejects: {
    'a cluster that two stages select': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, all), eu, binding('eu')],
      findings: patched('stages "all" and "canary" of strategy "rings" select the same cluster: "eu"', allButCanary),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [...scheduled, strategy('rings', canary, all), eu, binding('eu')],
      findings: patched(
        'stages "all" and "canary" of strategy "rings" select the same cluster: "eu"',
        allButCanary,
        'warn',
      ),
    },
    'several clusters of the same two stages in one line': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, all), us, eu, binding('us'), binding('eu')],
      findings: patched(
        'stages "all" and "canary" of strategy "rings" select the same clusters: "eu" and "us"',
        allButCanary,
      ),
    },
    'stages that no selector of one stage can part: labels instead, with a number to sort by': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy(
          'rings',
          { ...exists('a', 'tier'), labelSelector: { matchLabels: { ring: 'canary', tier: 'gold' } } },
          {
            ...all,
            sortingLabelKey: 'order',
          },
        ),
        cluster('eu', { ring: 'canary', tier: 'gold', order: '4' }),
        cluster('us', { ring: 'canary', tier: 'gold' }),
        binding('eu'),
        binding('us'),
      ],
      findings: [
        {
          path,
          message: 'stages "a" and "all" of strategy "rings" select the same clusters: "eu" and "us"',
          fix: [
            'Change the labels of the clusters (this may take a fleet admin) so that only one stage selects each of them (here "all"), then try again.',
            'kubectl label memberclusters eu ring- --overwrite',
            'kubectl label memberclusters us ring- order=5 --overwrite',
          ].join('\n'),
        },
      ],
    },
    'two stages that select alike, which only their author can part': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, stage('canary', { name: 'copy' })), eu, binding('eu')],
      findings: ({ plural, flag }) => [
        {
          path,
          message: 'stages "canary" and "copy" of strategy "rings" select the same cluster: "eu"',
          fix: [
            'Change the label selector of one of these stages, or remove the stage, then try again.',
            `kubectl edit ${plural('UpdateStrategy')} rings${flag}`,
          ].join('\n'),
        },
      ],
    },
    'two stages of one name': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', canary, { ...all, name: 'canary' }), eu, binding('eu')],
      findings: patched('two stages named "canary" of strategy "rings" select the same cluster: "eu"', allButCanary),
    },
    'two different pairs of stages': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', canary, stage('prod'), all),
        eu,
        cluster('us', { ring: 'prod' }),
        binding('eu'),
        binding('us'),
      ],
      findings: (scope) => {
        const patch = without(2, 'canary, prod');
        return [
          ...patched('stages "all" and "canary" of strategy "rings" select the same cluster: "eu"', patch)(scope),
          ...patched('stages "all" and "prod" of strategy "rings" select the same cluster: "us"', patch)(scope),
        ];
      },
    },
    'member clusters that cannot be known': {
      change: creation(release),
      fleet: [placement(), strategy('rings', canary, all)],
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `the ${kind('PolicySnapshot')}s of placement "shop"`),
    },
  },
});
