import rule from '../../../src/rules/approval/approval-created-by-controller.js';
import { approval, creation, run, stage } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const agent = 'system:serviceaccount:fleet-system:hub-agent-sa';
const path = 'metadata.name';
const early =
  'KubeFleet makes this request itself when run "release" gets to stage "canary"; one made by hand can open that gate too early';

const gated = stage('canary', { afterStageTasks: [{ type: 'Approval' }] });
const initialized = run('release', { status: { stagedUpdateStrategySnapshot: { stages: [gated, stage('prod')] } } });

function approveLater({ plural, flag }: Scope, name: string): string {
  return [
    'Let KubeFleet make the request. When it is there, approve it.',
    `kubectl patch ${plural('ApprovalRequest')} ${name}${flag} --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}'`,
  ].join('\n');
}

function leaveOut({ plural, flag }: Scope): string {
  return [
    'Leave this request out, and approve one that KubeFleet has made.',
    `kubectl get ${plural('ApprovalRequest')}${flag}`,
  ].join('\n');
}

testRule(rule, {
  accepts: {
    'the request that the hub agent makes': { change: creation(approval('release-after-canary'), { user: agent }) },
    'what the hub agent makes under any name': { change: creation(approval('anything'), { user: agent }) },
  },
  rejects: {
    'a request made by hand for a gate of a run': {
      change: creation(approval('release-after-canary')),
      fleet: [initialized],
      findings: (scope) => [{ path, message: early, fix: approveLater(scope, 'release-after-canary') }],
    },
    'a request made before there is a run of that name': {
      change: creation(approval('release-before-canary')),
      findings: (scope) => [{ path, message: early, fix: approveLater(scope, 'release-before-canary') }],
    },
    'the same on a dry run': {
      change: creation(approval('release-before-canary'), { dryRun: true }),
      findings: (scope) => [{ path, message: early, fix: approveLater(scope, 'release-before-canary') }],
    },
    'a request that stands in the place of another gate': {
      change: creation(approval('release-v2-before-prod', { spec: { parentStageRollout: 'other' } })),
      findings: (scope) => [
        {
          path,
          message:
            'run "release-v2" would find this request at stage "prod" and be aborted, because it is for stage "canary" of run "other"',
          fix: approveLater(scope, 'release-v2-before-prod'),
        },
      ],
    },
    'softly, as long as nobody is sure who the hub agent is': {
      change: creation(approval('release-after-canary'), { user: 'system:serviceaccount:fleet-system:other' }),
      policy: { hubAgent: { users: [agent], confirmed: false } },
      findings: (scope) => [
        {
          path,
          severity: 'warn',
          message: early,
          fix: `If this user is the hub agent, name it under hubAgent.users in the settings of the guard. Else: ${approveLater(scope, 'release-after-canary')}`,
        },
      ],
    },
    'softly, a request that no run looks for': {
      change: creation(approval('example-run-canary', { spec: { parentStageRollout: 'gone' } })),
      findings: (scope) => [
        {
          path,
          severity: 'warn',
          message: 'KubeFleet looks for no request of the name "example-run-canary", so that it opens no gate',
          fix: leaveOut(scope),
        },
      ],
    },
    'softly, a request of the wrong name, with the right one': {
      change: creation(approval('release-canary')),
      fleet: [initialized],
      findings: (scope) => [
        {
          path,
          severity: 'warn',
          message:
            'KubeFleet looks for no request of the name "release-canary", so that it opens no gate; this stage is opened by "release-after-canary"',
          fix: leaveOut(scope),
        },
      ],
    },
  },
});
