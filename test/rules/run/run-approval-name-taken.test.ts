import rule from '../../../src/rules/run/run-approval-name-taken.js';
import { approval, condition, creation, run, stage, lateStart, strategy } from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const ask = [{ type: 'Approval' }];
const gated = strategy(
  'rings',
  stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1m' }, ...ask] }),
  stage('prod', { beforeStageTasks: ask }),
);
const approved = (type = 'Approved') => ({ status: { conditions: [condition(type, 'True')] } });
const aim = (parentStageRollout: string, targetStage: string) => ({ spec: { parentStageRollout, targetStage } });

const taken =
  (name: string, what: string, severity: 'deny' | 'warn' = 'deny') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'metadata.name',
      severity,
      message: `approval request "${name}" exists and ${what}`,
      fix: [
        'Delete the approval request, or give the run another name, then apply it again.',
        `kubectl delete ${plural('ApprovalRequest')} ${name}${flag}`,
      ].join('\n'),
    },
  ];
const open = 'is approved already: stage "canary" would go ahead without anyone approving this run';

testRule(rule, {
  accepts: {
    'a gate without a request': { change: creation(release), fleet: [gated] },
    'a request that waits for exactly this gate': {
      change: creation(release),
      fleet: [gated, approval('release-after-canary')],
    },
    'an approval of another run': {
      change: creation(release),
      fleet: [gated, approval('release-2-after-canary', { ...aim('release-2', 'canary'), ...approved() })],
    },
    'an approval of an older generation, which KubeFleet does not take': {
      change: creation(release),
      fleet: [gated, approval('release-after-canary', { metadata: { generation: 2 }, ...approved() })],
    },
    'an approval that says no': {
      change: creation(release),
      fleet: [gated, approval('release-after-canary', { status: { conditions: [condition('Approved', 'False')] } })],
    },
    'an approval of a moment at which nobody is asked': {
      change: creation(release),
      fleet: [gated, approval('release-before-canary', approved())],
    },
    'a name that is not made yet': {
      change: creation(run('', { metadata: { generateName: 'release-' } })),
      fleet: [gated, approval('-after-canary', approved())],
    },
    'a strategy that does not exist, which another rule tells': {
      change: creation(release),
      fleet: [approval('release-after-canary', approved())],
    },
    'the start of a run that has its approvals': {
      change: lateStart(release),
      fleet: [gated, approval('release-after-canary', approved())],
    },
  },
  rejects: {
    'an approval made beforehand': {
      change: creation(release),
      fleet: [gated, approval('release-after-canary', approved())],
      findings: taken('release-after-canary', open),
    },
    'an approval that was accepted in an earlier run of this name': {
      change: creation(release),
      fleet: [gated, approval('release-after-canary', approved('ApprovalAccepted'))],
      findings: taken('release-after-canary', open),
    },
    'a request of that name for another stage, approved or not': {
      change: creation(release),
      fleet: [gated, approval('release-before-prod', aim('release', 'canary'))],
      findings: taken(
        'release-before-prod',
        'is for stage "canary" of run "release": KubeFleet would abort this run at stage "prod"',
      ),
    },
    'a request of that name for another run': {
      change: creation(release),
      fleet: [gated, approval('release-before-prod', { ...aim('other', 'prod'), ...approved() })],
      findings: taken(
        'release-before-prod',
        'is for stage "prod" of run "other": KubeFleet would abort this run at stage "prod"',
      ),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [gated, approval('release-after-canary', approved())],
      findings: taken('release-after-canary', open, 'warn'),
    },
    'approval requests that cannot be known': {
      change: creation(release),
      fleet: [gated],
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('ApprovalRequest')} "release-after-canary"`),
    },
  },
});
