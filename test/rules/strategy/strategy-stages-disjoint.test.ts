import rule from '../../../src/rules/strategy/strategy-stages-disjoint.js';
import { cluster, creation, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const by = (name: string, matchLabels: object, more: Readonly<Record<string, unknown>> = {}) =>
  stage(name, { labelSelector: { matchLabels }, ...more });
const all = stage('all', { labelSelector: {} });
const canary = by('canary', { canary: 'true' });
const prod = by('prod', { env: 'prod' });
const edit = (...lines: readonly string[]) => lines.join('\n');

const prodWithoutCanary = edit(
  'Give stage "prod" a selector that leaves out stage "canary".',
  'labelSelector:',
  '  matchLabels:',
  '    env: prod',
  '  matchExpressions:',
  '    - key: canary',
  '      operator: NotIn',
  '      values: ["true"]',
);
const canaryAndProd = 'stages "canary" and "prod" can both select a cluster: labels canary=true,env=prod match both';

testRule(rule, {
  accepts: {
    'one key with different values': { change: creation(strategy('rings', stage('a'), stage('b'), stage('c'))) },
    'a stage for everything alone': { change: creation(strategy('rings', all)) },
    'a stage for everything beside one without a selector': {
      change: creation(strategy('rings', all, { name: 'none' }, stage('null', { labelSelector: null }))),
    },
    'the two stages after the edit': {
      change: creation(
        strategy(
          'rings',
          canary,
          stage('prod', {
            labelSelector: {
              matchLabels: { env: 'prod' },
              matchExpressions: [{ key: 'canary', operator: 'NotIn', values: ['true'] }],
            },
          }),
        ),
      ),
    },
    'a stage with a broken selector, which another rule tells': {
      change: creation(
        strategy('rings', all, stage('b', { labelSelector: { matchExpressions: [{ key: 'a', operator: 'in' }] } })),
      ),
    },
    'a stage that can never select anything beside one for everything': {
      change: creation(
        strategy(
          'rings',
          all,
          stage('b', {
            labelSelector: { matchLabels: { a: 'x' }, matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
          }),
        ),
      ),
    },
  },
  rejects: {
    'selectors on different keys': {
      change: creation(strategy('rings', canary, prod)),
      findings: [{ path: 'spec.stages[1].labelSelector', message: canaryAndProd, fix: prodWithoutCanary }],
    },
    'an overlap that has clusters in it, which are named as far as they are known': {
      change: update(strategy('rings', canary), strategy('rings', canary, prod)),
      knowledge: 'partial',
      fleet: [
        cluster('eu-2', { env: 'prod', canary: 'true' }),
        cluster('eu-1', { env: 'prod', canary: 'true', zone: 'a' }),
        cluster('us', { env: 'prod' }),
      ],
      findings: [
        {
          path: 'spec.stages[1].labelSelector',
          message: `${canaryAndProd}; clusters in both now: "eu-1" and "eu-2"`,
          fix: prodWithoutCanary,
        },
      ],
    },
    'a later stage inside an earlier one': {
      change: creation(strategy('rings', by('wide', { group: 'prod' }), by('east', { group: 'prod', region: 'east' }))),
      findings: [
        {
          path: 'spec.stages[0].labelSelector',
          message: 'stages "wide" and "east" can both select a cluster: labels group=prod,region=east match both',
          fix: edit(
            'Give stage "wide" a selector that leaves out stage "east".',
            'labelSelector:',
            '  matchLabels:',
            '    group: prod',
            '  matchExpressions:',
            '    - key: region',
            '      operator: NotIn',
            '      values: [east]',
          ),
        },
      ],
    },
    'a stage for everything beside two others, by one edit': {
      change: creation(strategy('rings', stage('a'), stage('b'), all)),
      fleet: [cluster('one', { ring: 'a' }), cluster('two', { ring: 'b' }), cluster('three')],
      findings: [
        {
          path: 'spec.stages[2].labelSelector',
          message:
            'stage "all" can select clusters of 2 other stages: labels in common with "a" (ring=a), "b" (ring=b); clusters in two stages now: "one" and "two"',
          fix: edit(
            'Give stage "all" a selector that leaves out stages "a" and "b".',
            'labelSelector:',
            '  matchExpressions:',
            '    - key: ring',
            '      operator: NotIn',
            '      values: [a, b]',
          ),
        },
      ],
    },
    'one cluster in three stages, named once': {
      change: creation(strategy('rings', stage('a'), canary, all)),
      fleet: [cluster('eu', { ring: 'a', canary: 'true' })],
      findings: [
        {
          path: 'spec.stages[1].labelSelector',
          message:
            'stages "a" and "canary" can both select a cluster: labels canary=true,ring=a match both; cluster in both now: "eu"',
          fix: edit(
            'Give stage "canary" a selector that leaves out stage "a".',
            'labelSelector:',
            '  matchLabels:',
            '    canary: "true"',
            '  matchExpressions:',
            '    - key: ring',
            '      operator: NotIn',
            '      values: [a]',
          ),
        },
        {
          path: 'spec.stages[2].labelSelector',
          message:
            'stage "all" can select clusters of 2 other stages: labels in common with "a" (ring=a), "canary" (canary=true); cluster in two stages now: "eu"',
          fix: edit(
            'Give stage "all" a selector that leaves out stages "a" and "canary".',
            'labelSelector:',
            '  matchExpressions:',
            '    - key: ring',
            '      operator: NotIn',
            '      values: [a]',
            '    - key: canary',
            '      operator: NotIn',
            '      values: ["true"]',
          ),
        },
      ],
    },
    'two stages for everything': {
      change: creation(strategy('rings', all, { ...all, name: 'rest' })),
      findings: [
        {
          path: 'spec.stages[1].labelSelector',
          message: 'stages "all" and "rest" can both select a cluster: a cluster without labels matches both',
          fix: 'Remove stage "rest": other stages select every cluster that it selects.',
        },
      ],
    },
    'an overlap that takes two stages to end, with all the settings of the one': {
      change: creation(
        strategy('rings', by('first', { env: 'prod', canary: 'yes' }), {
          ...all,
          sortingLabelKey: 'order',
          maxConcurrency: '25%',
          afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }],
        }),
      ),
      findings: [
        {
          path: 'spec.stages[1].labelSelector',
          message: 'stages "first" and "all" can both select a cluster: labels canary=yes,env=prod match both',
          fix: edit(
            'Put these 2 stages in place of stage "all"; they leave out stage "first".',
            ...['all', 'all2'].flatMap((name) => [
              `- name: ${name}`,
              '  labelSelector:',
              ...(name === 'all' ? [] : ['    matchLabels:', '      env: prod']),
              '    matchExpressions:',
              `      - key: ${name === 'all' ? 'env' : 'canary'}`,
              '        operator: NotIn',
              `        values: [${name === 'all' ? 'prod' : '"yes"'}]`,
              '  sortingLabelKey: order',
              '  maxConcurrency: "25%"',
              '  afterStageTasks:',
              '    - type: TimedWait',
              '      waitTime: "1h"',
              '    - type: Approval',
            ]),
          ),
        },
      ],
    },
    'an overlap that takes more stages to end than there can be': {
      change: creation(
        strategy(
          'rings',
          by('first', Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${String(index + 10)}`, 'x']))),
          all,
        ),
      ),
      findings: [
        {
          path: 'spec.stages[1].labelSelector',
          message:
            'stages "first" and "all" can both select a cluster: labels k10=x,k11=x,k12=x,k13=x,k14=x,k15=x,k16=x,k17=x,k18=x,k19=x and 30 more match both',
        },
      ],
    },
    'an overlap that was stored before and is not touched, by a warning': {
      change: update(strategy('rings', canary, prod), strategy('rings', canary, prod)),
      findings: [
        { path: 'spec.stages[1].labelSelector', message: canaryAndProd, fix: prodWithoutCanary, severity: 'warn' },
      ],
    },
    'an overlap in a dry run, which rests on nothing stored': {
      change: creation(strategy('rings', canary, prod), { dryRun: true }),
      findings: [{ path: 'spec.stages[1].labelSelector', message: canaryAndProd, fix: prodWithoutCanary }],
    },
  },
});
