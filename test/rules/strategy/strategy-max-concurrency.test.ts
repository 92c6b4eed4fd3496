import rule from '../../../src/rules/strategy/strategy-max-concurrency.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';

const atOnce = (maxConcurrency: unknown) => strategy('rings', stage('prod', { maxConcurrency }));
const path = 'spec.stages[0].maxConcurrency';

const rejected: readonly [value: number | string, finding: Omit<Expected, 'path'>][] = [
  [0, { message: 'stage "prod": maxConcurrency is 0, but must be at least 1' }],
  [-1, { message: 'stage "prod": maxConcurrency is -1, but must be at least 1' }],
  [
    2147483648,
    {
      message:
        'stage "prod": maxConcurrency is 2147483648, but KubeFleet can read at most 2147483647; beyond that it no longer finds any new strategy on the hub',
      fix: 'Set the number of clusters that are updated at the same time, or a percentage of them.\nmaxConcurrency: "100%"',
    },
  ],
  [
    '5',
    {
      message: 'stage "prod": maxConcurrency is the text "5", but a number must be written without quotes',
      fix: 'Remove the quotes.\nmaxConcurrency: 5',
    },
  ],
  ...['0%', '101%', '01%', '1.5%', '50 %', '', 'all', '0', '-5', '50%\n'].map(
    (value): [string, Omit<Expected, 'path'>] => [
      value,
      {
        message: `stage "prod": maxConcurrency is ${JSON.stringify(value)}, but must be a whole number or a percentage from 1% to 100%`,
      },
    ],
  ),
];

testRule(rule, {
  accepts: Object.fromEntries(
    [undefined, null, 1, 101, 2147483647, '1%', '10%', '99%', '100%'].map((value) => [
      String(value),
      { change: creation(atOnce(value)) },
    ]),
  ),
  rejects: {
    ...Object.fromEntries(
      rejected.map(([value, finding]) => [
        JSON.stringify(value),
        { change: creation(atOnce(value)), findings: [{ path, ...finding }] },
      ]),
    ),
    'an update to a number that cannot be read': {
      change: update(atOnce(1), atOnce(3000000000)),
      findings: [
        {
          path,
          message:
            'stage "prod": maxConcurrency is 3000000000, but KubeFleet can read at most 2147483647; beyond that it no longer finds any new strategy on the hub',
          fix: 'Set the number of clusters that are updated at the same time, or a percentage of them.\nmaxConcurrency: "100%"',
        },
      ],
    },
  },
});
