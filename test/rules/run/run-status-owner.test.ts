import { defaultPolicy } from '../../../src/engine/policy.js';
import rule from '../../../src/rules/run/run-status-owner.js';
import { condition, run, update, type ChangeDraft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const agent = 'system:serviceaccount:fleet-system:hub-agent-sa';
const before = run('release', { status: { conditions: [condition('Initialized', 'True')] } });
const after = run('release', { status: { conditions: [] } });
const write = (user: string, more: Partial<ChangeDraft> = {}): ChangeDraft =>
  update(before, after, { subresource: 'status', user, ...more });
const message = `user "alice" changes the status of the run, which only the hub agent (${agent}) may write`;

testRule(rule, {
  accepts: {
    'the hub agent': { change: write(agent) },
    'a hub agent of another name that the settings know': {
      change: write('fleet'),
      policy: { hubAgent: { users: [agent, 'fleet'], confirmed: true } },
    },
    'a write that changes nothing of the status': {
      change: update(before, before, { subresource: 'status', user: 'alice' }),
    },
    'a write to the run itself, from which the API server keeps the status away': {
      change: update(before, after, { user: 'alice' }),
    },
  },
  rejects: {
    'a user': { change: write('alice'), findings: [{ path: 'status', message }] },
    'a user on a dry run, since the fault lies in the write': {
      change: write('alice', { dryRun: true }),
      findings: [{ path: 'status', message }],
    },
    'a name that only begins like the hub agent': {
      change: write(`${agent}2`),
      findings: [{ path: 'status', message: message.replace('alice', `${agent}2`) }],
    },
    'whoever it is only softly, until the name of the hub agent is confirmed': {
      change: write('alice'),
      policy: { hubAgent: { ...defaultPolicy.hubAgent, confirmed: false } },
      findings: [
        {
          path: 'status',
          severity: 'warn',
          message,
          fix: 'Leave the status alone. If this user is the hub agent, name it under hubAgent.users in the settings of the guard.',
        },
      ],
    },
  },
});
