import rule from '../../../src/rules/run/run-sorting-label.js';
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
const sorted = strategy('rings', stage('canary'), stage('prod', { sortingLabelKey: 'order' }));
const inProd = (name: string, order?: string) => [
  cluster(name, { ring: 'prod', ...(order !== undefined && { order }) }),
  binding(name),
];
const largest = '9223372036854775807';

const unsorted = ({ plural, flag }: Scope, index = 1): string =>
  `kubectl patch ${plural('UpdateStrategy')} rings${flag} --type=json -p '[{"op":"remove","path":"/spec/stages/${String(index)}/sortingLabelKey"}]'`;

const cannotSort =
  (what: string, command: string, severity: 'deny' | 'warn' = 'deny') =>
  (scope: Scope): readonly Expected[] => [
    {
      path,
      severity,
      message: `stage "prod" of strategy "rings" sorts its clusters by label "order", which must be a whole number on each of them: ${what}`,
      fix: [
        'Set the label to a whole number on each of these clusters (this may take a fleet admin); lower numbers go first, and with the number below they go last. Or remove sortingLabelKey, so that stage "prod" sorts by name.',
        command,
        `# or: ${unsorted(scope)}`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'whole numbers': {
      change: creation(release),
      fleet: [...scheduled, sorted, ...inProd('eu', '1'), ...inProd('us', '0')],
    },
    'a number with leading zeros': { change: creation(release), fleet: [...scheduled, sorted, ...inProd('eu', '007')] },
    'the largest number that Go can hold': {
      change: creation(release),
      fleet: [...scheduled, sorted, ...inProd('eu', largest)],
    },
    'a cluster of another stage without the label': {
      change: creation(release),
      fleet: [...scheduled, sorted, cluster('eu', { ring: 'canary' }), binding('eu')],
    },
    'a cluster without the label that the placement has not picked': {
      change: creation(release),
      fleet: [...scheduled, sorted, cluster('us', { ring: 'prod' }), ...inProd('eu', '1')],
    },
    'a stage that does not sort': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('prod')), ...inProd('eu', 'x')],
    },
    'the start of a run, whose stages another rule compares': {
      change: lateStart(release),
      fleet: [...scheduled, sorted, ...inProd('eu')],
    },
    'a strategy that does not exist, which another rule tells': { change: creation(release), fleet: [...scheduled] },
  },
  rejects: {
    'a cluster without the label': {
      change: creation(release),
      fleet: [...scheduled, sorted, ...inProd('eu', '12'), ...inProd('us')],
      findings: cannotSort('"us" does not have it', 'kubectl label memberclusters us order=13 --overwrite'),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [...scheduled, sorted, ...inProd('us')],
      findings: cannotSort('"us" does not have it', 'kubectl label memberclusters us order=1 --overwrite', 'warn'),
    },
    'everything that is not a whole number': {
      change: creation(release),
      fleet: [
        ...scheduled,
        sorted,
        ...inProd('a', ''),
        ...inProd('b', '1.0'),
        ...inProd('c', 'one'),
        ...inProd('d', '9223372036854775808'),
        ...inProd('e'),
        ...inProd('f'),
      ],
      findings: cannotSort(
        '"e" and "f" do not have it, "a" has "", "b" has "1.0", "c" has "one", "d" has "9223372036854775808"',
        'kubectl label memberclusters a b c d e f order=1 --overwrite',
      ),
    },
    'more wrong values than one would read': {
      change: creation(release),
      fleet: [...scheduled, sorted, ...'abcdefghijkl'.split('').flatMap((name) => inProd(name, 'x'))],
      findings: cannotSort(
        `${'abcdefghij'
          .split('')
          .map((name) => `"${name}" has "x"`)
          .join(', ')}, 2 more have no number`,
        'kubectl label memberclusters a b c d e f g h i j k l order=1 --overwrite',
      ),
    },
    'a last place after the largest number there is': {
      change: creation(release),
      fleet: [...scheduled, sorted, ...inProd('eu', largest), ...inProd('us')],
      findings: cannotSort('"us" does not have it', `kubectl label memberclusters us order=${largest} --overwrite`),
    },
    'an empty sortingLabelKey, under which no cluster can have a number': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('prod', { sortingLabelKey: '' })), ...inProd('eu', '1')],
      findings: (scope) => [
        {
          path,
          message:
            'stage "prod" of strategy "rings" sorts its clusters by label "", which must be a whole number on each of them: "eu" does not have it',
          fix: [
            'Remove sortingLabelKey from stage "prod", so that it sorts by name, or use another label: this one cannot hold a number, because it cannot be set or a stage selects by it.',
            unsorted(scope, 0),
          ].join('\n'),
        },
      ],
    },
    'a label that a stage selects by: a number would move the cluster': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('prod', { sortingLabelKey: 'ring' })), ...inProd('eu')],
      findings: (scope) => [
        {
          path,
          message:
            'stage "prod" of strategy "rings" sorts its clusters by label "ring", which must be a whole number on each of them: "eu" has "prod"',
          fix: [
            'Remove sortingLabelKey from stage "prod", so that it sorts by name, or use another label: this one cannot hold a number, because it cannot be set or a stage selects by it.',
            unsorted(scope, 0),
          ].join('\n'),
        },
      ],
    },
    'bindings that cannot be known': {
      change: creation(release),
      fleet: [sorted],
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});
