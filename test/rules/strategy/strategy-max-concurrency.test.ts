import rule from '../../../src/rules/strategy/strategy-max-concurrency.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';

const atOnce = (maxConcurrency: unknown) => strategy('rings', stage('prod', { maxConcurrency }));
const path = 'spec.stages[0].maxConcurrency';

const rejected: readonly [value: number | string, finding: Omit<Expected, 'path'>][] = [
  [0, { message: 'stage "prod": maxConcurrency is 0; at least 1 cluster has to move at a time' }],
  [-1, { message: 'stage "prod": maxConcurrency is -1; at least 1 cluster has to move at a time' }],
  [
    2147483648,
    {
      message:
        'stage "prod": maxConcurrency is 2147483648, more than the 2147483647 that KubeFleet can read; it would find no new strategy any more',
      fix: 'Set it to as many clusters as may move at a time, or to all of them.\nmaxConcurrency: "100%"',
    },
  ],
  [
    '5',
    {
      message: 'stage "prod": maxConcurrency is the text "5"; a number of clusters is written without quotes',
      fix: 'Write the number without quotes.\nmaxConcurrency: 5',
    },
  ],
  ...['0%', '101%', '01%', '1.5%', '50 %', '', 'all', '0', '-5', '50%\n'].map(
    (value): [string, Omit<Expected, 'path'>] => [
      value,
      { message: `stage "prod": maxConcurrency is "${value}", which is not a percentage from 1% to 100%` },
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
            'stage "prod": maxConcurrency is 3000000000, more than the 2147483647 that KubeFleet can read; it would find no new strategy any more',
          fix: 'Set it to as many clusters as may move at a time, or to all of them.\nmaxConcurrency: "100%"',
        },
      ],
    },
  },
});
