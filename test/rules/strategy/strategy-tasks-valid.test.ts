import rule from '../../../src/rules/strategy/strategy-tasks-valid.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const approval = { type: 'Approval' };
const wait = { type: 'TimedWait', waitTime: '1h' };
const before = (...tasks: readonly object[]) => creation(strategy('rings', stage('prod', { beforeStageTasks: tasks })));
const after = (...tasks: readonly object[]) => creation(strategy('rings', stage('prod', { afterStageTasks: tasks })));
const path = (rest: string) => `spec.stages[0].${rest}`;

testRule(rule, {
  accepts: {
    'no tasks': { change: after() },
    'an approval before the stage': { change: before(approval) },
    'one task of each type after the stage': { change: after(wait, approval) },
    'the same task in two stages': {
      change: creation(
        strategy('rings', stage('a', { afterStageTasks: [wait] }), stage('b', { afterStageTasks: [wait] })),
      ),
    },
    'a waitTime of null, which is none': { change: after({ type: 'Approval', waitTime: null }) },
    'a time that another rule judges': { change: after({ type: 'TimedWait', waitTime: 'soon' }) },
  },
  rejects: {
    'two timed waits': {
      change: after(wait, { ...wait, waitTime: '2h' }),
      findings: [
        {
          path: path('afterStageTasks[1]'),
          message: 'there are two TimedWait tasks after stage "prod", but KubeFleet allows only one',
          fix: 'Remove one of the two TimedWait tasks.',
        },
      ],
    },
    'three tasks, by the one that is too many': {
      change: after(approval, wait, approval),
      findings: [
        {
          path: path('afterStageTasks[2]'),
          message: 'there are two Approval tasks after stage "prod", but KubeFleet allows only one',
          fix: 'Remove one of the two Approval tasks.',
        },
      ],
    },
    'two approvals before the stage': {
      change: before(approval, approval),
      findings: [
        {
          path: path('beforeStageTasks[1]'),
          message: 'there are two Approval tasks before stage "prod", but KubeFleet allows only one',
          fix: 'Remove one of the two Approval tasks.',
        },
      ],
    },
    'a timed wait before the stage': {
      change: before(wait),
      findings: [
        {
          path: path('beforeStageTasks[0].type'),
          message: 'there is a TimedWait before stage "prod", but KubeFleet allows only an Approval there',
          fix: 'Move the TimedWait to the afterStageTasks of the previous stage, or remove it.',
        },
      ],
    },
    'a timed wait without a time': {
      change: update(
        strategy('rings', stage('prod')),
        strategy('rings', stage('prod', { afterStageTasks: [{ type: 'TimedWait' }] })),
      ),
      findings: [
        {
          path: path('afterStageTasks[0].waitTime'),
          message: 'the TimedWait after stage "prod" has no waitTime',
          fix: 'Set how long to wait, for example waitTime: 1h.',
        },
      ],
    },
    'an approval with a time': {
      change: after({ type: 'Approval', waitTime: '1h' }),
      findings: [
        {
          path: path('afterStageTasks[0].waitTime'),
          message:
            'the Approval after stage "prod" has waitTime "1h", but an Approval waits for a person, not for a time',
          fix: 'Remove the waitTime, or change the type to TimedWait.',
        },
      ],
    },
    'an unknown type': {
      change: after({ type: 'approval' }),
      findings: [
        {
          path: path('afterStageTasks[0].type'),
          message: 'a task after stage "prod" is of the unknown type "approval"',
          fix: 'Write type: Approval',
        },
      ],
    },
    'a task without a type': {
      change: before({}),
      findings: [
        {
          path: path('beforeStageTasks[0].type'),
          message: 'a task before stage "prod" has no type',
          fix: 'Set the type to Approval.',
        },
      ],
    },
  },
});
