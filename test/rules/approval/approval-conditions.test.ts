import rule from '../../../src/rules/approval/approval-conditions.js';
import { approval, condition, update, type ChangeDraft, type Draft } from '../../support/builders.js';
import { testRule, type RejectedCase } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const agent = 'system:serviceaccount:fleet-system:hub-agent-sa';
const approved = condition('Approved', 'True');
const accepted = condition('ApprovalAccepted', 'True');

function having(...conditions: readonly object[]): Draft {
  return approval('release-after-canary', { status: { conditions } });
}

function statusWrite(before: Draft, after: Draft, more: Partial<ChangeDraft> = {}): ChangeDraft {
  return update(before, after, { subresource: 'status', ...more });
}

function approve({ plural, flag }: Scope): string {
  return [
    'To approve, set the condition Approved.',
    `kubectl patch ${plural('ApprovalRequest')} release-after-canary${flag} --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}'`,
  ].join('\n');
}

function leaveOut({ plural, flag }: Scope): string {
  return [
    'Leave this condition out: KubeFleet reads Approved alone, and takes no refusal. To halt run "release", stop it.',
    `kubectl patch ${plural('UpdateRun')} release${flag} --type=merge -p '{"spec":{"state":"Stop"}}'`,
  ].join('\n');
}

const forged =
  'with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval; user "alice" may not write it';

const many = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => condition(`Old${String(index)}`, 'True'));

testRule(rule, {
  accepts: {
    'an approval': { change: statusWrite(having(), having(approved)) },
    'an approval beside what KubeFleet has noted': {
      change: statusWrite(having(accepted), having(approved, accepted)),
    },
    'the note of the hub agent': { change: statusWrite(having(approved), having(approved, accepted), { user: agent }) },
    'the removal of a misspelt condition': { change: statusWrite(having(condition('approved', 'True')), having()) },
    'an approval beside a misspelt condition that was there before': {
      change: statusWrite(having(condition('approved', 'True')), having(condition('approved', 'True'), approved)),
    },
    'a change of an unknown condition that was there before': {
      change: statusWrite(having(condition('Reviewed', 'True')), having(condition('Reviewed', 'False'))),
    },
    'the removal of a forged note': { change: statusWrite(having(accepted), having()) },
    'the removal of far too many conditions at once': { change: statusWrite(having(...many(101)), having(approved)) },
    'an approval that is taken back': { change: statusWrite(having(approved), having(condition('Approved', 'False'))) },
  },
  rejects: {
    'more conditions beside those that are stored than the API server can compare': {
      change: statusWrite(having(...many(101)), having(...many(100))),
      findings: [
        {
          path: 'status.conditions',
          message: 'there are 100 conditions, where KubeFleet reads one',
          fix: 'Write the condition Approved alone, by a merge patch, which takes away all others.',
        },
      ],
    },
    'a misspelt condition, with the right word': {
      change: statusWrite(having(), having(condition('approved', 'True'))),
      findings: (scope) => [
        {
          path: 'status.conditions[0].type',
          message: 'KubeFleet knows no condition "approved" and passes over it; did you mean "Approved"?',
          fix: approve(scope),
        },
      ],
    },
    "a condition of one's own beside an approval": {
      change: statusWrite(having(), having(approved, condition('Reviewed', 'True'))),
      findings: (scope) => [
        {
          path: 'status.conditions[1].type',
          message: 'KubeFleet knows no condition "Reviewed" and passes over it',
          fix: approve(scope),
        },
      ],
    },
    'a condition without a type': {
      change: statusWrite(having(), having({ status: 'True' })),
      findings: (scope) => [
        {
          path: 'status.conditions[0].type',
          message: 'KubeFleet knows no condition "" and passes over it',
          fix: leaveOut(scope),
        },
      ],
    },
    'a misspelt no, without a command to approve': {
      change: statusWrite(having(), having(condition('approved', 'False'))),
      findings: (scope) => [
        {
          path: 'status.conditions[0].type',
          message: 'KubeFleet knows no condition "approved" and passes over it; did you mean "Approved"?',
          fix: leaveOut(scope),
        },
      ],
    },
    'a refusal, without a command to approve': {
      change: statusWrite(having(), having(condition('Disapproved', 'True'))),
      findings: (scope) => [
        {
          path: 'status.conditions[0].type',
          message: 'KubeFleet knows no condition "Disapproved" and passes over it',
          fix: leaveOut(scope),
        },
      ],
    },
    'a forged note beside a no': {
      change: statusWrite(having(), having(accepted, condition('Approved', 'False'))),
      findings: (scope) => [{ path: 'status.conditions[0].type', message: forged, fix: leaveOut(scope) }],
    },
    'a refusal of a request that names no run': {
      change: statusWrite(
        approval('any', { spec: { parentStageRollout: '' } }),
        approval('any', { spec: { parentStageRollout: '' }, status: { conditions: [condition('Rejected', 'True')] } }),
      ),
      findings: () => [
        {
          path: 'status.conditions[0].type',
          message: 'KubeFleet knows no condition "Rejected" and passes over it',
          fix: 'Leave this condition out: KubeFleet reads Approved alone, and takes no refusal.',
        },
      ],
    },
    'softly, a condition that a newer hub agent may write': {
      change: statusWrite(having(), having(approved, condition('ApprovalSeen', 'True'))),
      policy: { hubAgent: { users: [agent], confirmed: false } },
      findings: (scope) => [
        {
          path: 'status.conditions[1].type',
          severity: 'warn',
          message: 'KubeFleet knows no condition "ApprovalSeen" and passes over it',
          fix: `If this user is the hub agent, name it under hubAgent.users in the settings of the guard. ${approve(scope)}`,
        },
      ],
    },
    'a forged note': {
      change: statusWrite(having(), having(accepted)),
      findings: (scope) => [{ path: 'status.conditions[0].type', message: forged, fix: approve(scope) }],
    },
    'a note that is changed': {
      change: statusWrite(having(condition('ApprovalAccepted', 'False')), having(accepted)),
      findings: (scope) => [{ path: 'status.conditions[0].type', message: forged, fix: approve(scope) }],
    },
    ...Object.fromEntries(
      Object.entries({
        'where nothing is approved': having(),
        'where the answer was no': having(condition('Approved', 'False')),
        'where the approval is for another generation': having({ ...approved, observedGeneration: 7 }),
      }).map(([where, before]): [string, RejectedCase] => [
        `a note ${where}: under no name would the hub agent write it`,
        {
          change: statusWrite(before, having(accepted)),
          policy: { hubAgent: { users: [agent], confirmed: false } },
          findings: (scope) => [{ path: 'status.conditions[0].type', message: forged, fix: approve(scope) }],
        },
      ]),
    ),
    'softly, a note by somebody who may be the hub agent': {
      change: statusWrite(having(approved), having(approved, accepted)),
      policy: { hubAgent: { users: [agent], confirmed: false } },
      findings: (scope) => [
        {
          path: 'status.conditions[1].type',
          severity: 'warn',
          message: forged,
          fix: `If this user is the hub agent, name it under hubAgent.users in the settings of the guard. ${approve(scope)}`,
        },
      ],
    },
  },
});
