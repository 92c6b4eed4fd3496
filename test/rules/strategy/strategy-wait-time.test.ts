import rule from '../../../src/rules/strategy/strategy-wait-time.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';

const waiting = (waitTime: string) =>
  strategy('rings', stage('prod', { afterStageTasks: [{ type: 'Approval' }, { type: 'TimedWait', waitTime }] }));
const path = 'spec.stages[0].afterStageTasks[1].waitTime';
const write = (time: string) => `Write the time in hours, minutes and seconds.\nwaitTime: "${time}"`;

const accepted = ['1s', '1.5s', '1.0005s', '0.001h', '90m', '0h5m30s', '1h30m', '8760h', '0.02m', '1s'.repeat(40)];
const rejected: Readonly<Record<string, Omit<Expected, 'path'>>> = {
  ...Object.fromEntries(
    ['0s', '0m', '0.0h', '0', '-5s', '0.0000000001s'].map((time) => [
      time,
      {
        message: `stage "prod": waitTime "${time}" is no time at all`,
        fix: 'Wait for at least one second, or remove the task.\nwaitTime: "1s"',
      },
    ]),
  ),
  '0.5s': {
    message:
      'stage "prod": waitTime "0.5s" is under one second; KubeFleet writes it as "500ms", which its own API refuses',
    fix: 'Wait for at least one second.\nwaitTime: "1s"',
  },
  '0.01m': {
    message:
      'stage "prod": waitTime "0.01m" is under one second; KubeFleet writes it as "600ms", which its own API refuses',
    fix: 'Wait for at least one second.\nwaitTime: "1s"',
  },
  '0.999999999s': {
    message:
      'stage "prod": waitTime "0.999999999s" is under one second; KubeFleet writes it as "999.999999ms", which its own API refuses',
    fix: 'Wait for at least one second.\nwaitTime: "1s"',
  },
  '9999999h': {
    message:
      'stage "prod": waitTime "9999999h" is longer than 2562047h47m16.854775807s, the most that KubeFleet can read; it would find no new strategy any more',
  },
  '8760h1s': {
    message: 'stage "prod": waitTime "8760h1s" is longer than a year (8760h)',
    fix: 'Check the waitTime.',
    severity: 'warn',
  },
  '2562047h': {
    message: 'stage "prod": waitTime "2562047h" is longer than a year (8760h)',
    fix: 'Check the waitTime.',
    severity: 'warn',
  },
  // KubeFleet can read it, but the API server cannot tell it from what is too long.
  '2562047h47m16.854775807s': {
    message: 'stage "prod": waitTime "2562047h47m16.854775807s" is longer than a year by far',
    fix: 'Write the time in hours, minutes and seconds.\nwaitTime: "8760h"',
  },
  '5d': {
    message: 'stage "prod": waitTime "5d" is not a time of hours (h), minutes (m) and seconds (s)',
    fix: write('120h'),
  },
  '': {
    message: 'stage "prod": waitTime "" is not a time of hours (h), minutes (m) and seconds (s)',
    fix: write('1h30m'),
  },
  '0abc': {
    message: 'stage "prod": waitTime "0abc" is not a time of hours (h), minutes (m) and seconds (s)',
    fix: write('1h30m'),
  },
  [`0${'1s'.repeat(1000)}`]: {
    message: `stage "prod": waitTime "0${'1s'.repeat(31)}1" is cut here: it is 2001 characters long`,
    fix: write('1h30m'),
  },
  '1500ms': {
    message: 'stage "prod": waitTime "1500ms" is not spelled as the API demands',
    fix: write('1.5s'),
  },
  '05s': {
    message: 'stage "prod": waitTime "05s" is not spelled as the API demands',
    fix: write('5s'),
    severity: 'warn',
  },
};

testRule(rule, {
  accepts: {
    ...Object.fromEntries(accepted.map((time) => [time, { change: creation(waiting(time)) }])),
    'an approval, which has no time': {
      change: creation(strategy('rings', stage('prod', { afterStageTasks: [{ type: 'Approval', waitTime: '0s' }] }))),
    },
    'a missing time, which another rule tells': {
      change: creation(strategy('rings', stage('prod', { afterStageTasks: [{ type: 'TimedWait' }] }))),
    },
  },
  rejects: {
    ...Object.fromEntries(
      Object.entries(rejected).map(([time, finding]) => [
        time.slice(0, 40),
        { change: creation(waiting(time)), findings: [{ path, ...finding }] },
      ]),
    ),
    ...Object.fromEntries(
      [
        ['main', 'deny'],
        ['v0.4.0', 'deny'],
        ['v0.3.1', 'warn'],
      ].map(([version = '', severity]) => [
        `05s on ${version}`,
        {
          change: creation(waiting('05s')),
          policy: { kubefleet: { version } },
          findings: [{ path, ...rejected['05s'], severity } as Expected],
        },
      ]),
    ),
    'an update to zero': {
      change: update(waiting('1s'), waiting('0s')),
      findings: [
        {
          path,
          message: 'stage "prod": waitTime "0s" is no time at all',
          fix: 'Wait for at least one second, or remove the task.\nwaitTime: "1s"',
        },
      ],
    },
  },
});
