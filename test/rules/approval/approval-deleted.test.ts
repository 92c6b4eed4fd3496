import rule from '../../../src/rules/approval/approval-deleted.js';
import { approval, condition, deletion, run, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const name = 'release-before-canary';
const created = condition('ApprovalRequestCreated', 'True');

function request(...conditions: readonly object[]): Draft {
  return approval(name, { status: { conditions } });
}

const stopped = (draft: Draft): Draft => ({
  ...draft,
  json: { ...draft.json, spec: { ...(draft.json['spec'] as object), state: 'Stop' } },
});

function runAt(taskConditions: readonly object[], ...conditions: readonly object[]): Draft {
  return run('release', {
    status: {
      conditions: [condition('Initialized', 'True'), ...conditions],
      stagesStatus: [
        { stageName: 'canary', beforeStageTaskStatus: [{ type: 'Approval', conditions: taskConditions }] },
        { stageName: 'prod' },
      ],
    },
  });
}

function fix({ plural, flag }: Scope): string {
  return [
    'To open the gate, approve the request; to end the rollout, stop or delete the run.',
    `kubectl patch ${plural('ApprovalRequest')} ${name}${flag} --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}'`,
  ].join('\n');
}

const end = 'to end the rollout, set spec.state of the run to Stop, or delete it';

testRule(rule, {
  accepts: {
    'a request that was accepted': {
      change: deletion(request(condition('Approved', 'True'), condition('ApprovalAccepted', 'True'))),
      fleet: [runAt([created])],
    },
    'a request of a gate that is open': {
      change: deletion(request()),
      fleet: [runAt([created, condition('ApprovalRequestApproved', 'True')])],
    },
    'a request of a run that is over': {
      change: deletion(request()),
      fleet: [runAt([created], condition('Succeeded', 'False'))],
    },
    'a request of a run that is stopped, which makes none': {
      change: deletion(request()),
      fleet: [stopped(runAt([created]))],
    },
    'a request of a run that is gone': { change: deletion(request()) },
    'a request made by hand, before the run gets there': { change: deletion(request()), fleet: [runAt([])] },
    'a request of a name that no run looks for': {
      change: deletion(approval('release-canary')),
      fleet: [runAt([created])],
    },
    'a request that is going already': {
      change: deletion(approval(name, { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } })),
      fleet: [runAt([created])],
    },
  },
  rejects: {
    'a request that a run waits for': {
      change: deletion(request()),
      fleet: [runAt([created])],
      findings: (scope) => [
        {
          path: '',
          message: `run "release" makes this request again at once, and it waits for an approval as before; ${end}`,
          fix: fix(scope),
        },
      ],
    },
    'a request whose approval has not been accepted yet': {
      change: deletion(request(condition('Approved', 'True'))),
      fleet: [runAt([created])],
      findings: (scope) => [
        {
          path: '',
          message: `run "release" makes this request again at once, and the approval that was given is lost; ${end}`,
          fix: fix(scope),
        },
      ],
    },
  },
});
