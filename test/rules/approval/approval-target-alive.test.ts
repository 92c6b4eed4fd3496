import rule from '../../../src/rules/approval/approval-target-alive.js';
import { approval, condition, run, update, type ChangeDraft, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const path = 'status.conditions';
const name = 'release-after-canary';
const initialized = condition('Initialized', 'True');
const asked = [condition('ApprovalRequestCreated', 'True')];

function grant(more: Json = {}, metadata: Json = {}, before: readonly object[] = []): ChangeDraft {
  const request = (conditions: readonly object[]): Draft =>
    approval(name, { metadata: { creationTimestamp: '2026-11-16T07:00:00Z', ...metadata }, status: { conditions } });
  return update(request(before), request([condition('Approved', 'True')]), { subresource: 'status', ...more });
}

function waiting(conditions: readonly object[], more: { spec?: Json; metadata?: Json; end?: object } = {}): Draft {
  return run('release', {
    ...more,
    status: {
      conditions: [initialized, ...(more.end ? [more.end] : [])],
      stagesStatus: [
        { stageName: 'canary', clusters: [], afterStageTaskStatus: [{ type: 'Approval', conditions }] },
        { stageName: 'prod', clusters: [] },
      ],
    },
  });
}

function cleanUp({ plural, flag }: Scope, request = name): string {
  return [
    'Delete this request, and approve the one of a run that waits for it.',
    `kubectl delete ${plural('ApprovalRequest')} ${request}${flag}`,
    `kubectl get ${plural('ApprovalRequest')}${flag}`,
  ].join('\n');
}

function notAsked({ plural, flag }: Scope): string {
  return [
    'KubeFleet has not asked for this request: delete it, and approve the one that comes when the run gets there.',
    `kubectl delete ${plural('ApprovalRequest')} ${name}${flag}`,
  ].join('\n');
}

function forGate(approvalName: string, targetStage: string): ChangeDraft {
  const request = (conditions: readonly object[]): Draft =>
    approval(approvalName, { spec: { targetStage }, status: { conditions } });
  return update(request([]), request([condition('Approved', 'True')]), { subresource: 'status' });
}

testRule(rule, {
  accepts: {
    'the approval that a run waits for': { change: grant(), fleet: [waiting(asked)] },
    'the same while the run is stopped': { change: grant(), fleet: [waiting(asked, { spec: { state: 'Stop' } })] },
    'one more approval of a gate that is open': {
      change: grant(),
      fleet: [waiting([...asked, condition('ApprovalRequestApproved', 'True')])],
    },
    'an approval that was there before': { change: grant({}, {}, [condition('Approved', 'True')]) },
    'an answer other than yes': {
      change: update(approval(name), approval(name, { status: { conditions: [condition('Approved', 'False')] } }), {
        subresource: 'status',
      }),
    },
    'the removal of an approval': {
      change: update(approval(name, { status: { conditions: [condition('Approved', 'True')] } }), approval(name), {
        subresource: 'status',
      }),
    },
    'a request that no gate looks for, which is another matter': {
      change: forGate('example', 'canary'),
      fleet: [waiting([])],
    },
  },
  rejects: {
    'the approval of a run that is not there': {
      change: grant(),
      findings: (scope) => [
        { path, message: 'run "release" does not exist: this approval would open nothing', fix: cleanUp(scope) },
      ],
    },
    'the approval of no run': {
      change: update(
        approval('a', { spec: { parentStageRollout: '' } }),
        approval('a', { spec: { parentStageRollout: '' }, status: { conditions: [condition('Approved', 'True')] } }),
        { subresource: 'status' },
      ),
      findings: (scope) => [
        { path, message: 'run "" does not exist: this approval would open nothing', fix: cleanUp(scope, 'a') },
      ],
    },
    'the approval of a run that has finished': {
      change: grant(),
      fleet: [waiting(asked, { end: condition('Succeeded', 'True') })],
      findings: (scope) => [
        { path, message: 'run "release" has finished: this approval would open nothing', fix: cleanUp(scope) },
      ],
    },
    'the approval of a run that has failed': {
      change: grant(),
      fleet: [waiting(asked, { end: condition('Succeeded', 'False') })],
      findings: (scope) => [
        { path, message: 'run "release" has failed: this approval would open nothing', fix: cleanUp(scope) },
      ],
    },
    'the approval of a run that is going': {
      change: grant(),
      fleet: [waiting(asked, { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } })],
      findings: (scope) => [
        { path, message: 'run "release" is being deleted: this approval would open nothing', fix: cleanUp(scope) },
      ],
    },
    'an approval in advance': {
      change: grant(),
      fleet: [waiting([])],
      findings: (scope) => [
        {
          path,
          message: 'run "release" is rolling out and has not asked for this approval yet',
          fix: notAsked(scope),
        },
      ],
    },
    'an approval of a run that has not been initialized': {
      change: grant(),
      fleet: [run('release')],
      findings: (scope) => [
        {
          path,
          message: 'run "release" is not initialized yet and has not asked for this approval yet',
          fix: notAsked(scope),
        },
      ],
    },
    'for now, an approval that comes faster than the status of the run': {
      change: grant({}, { creationTimestamp: '2026-11-16T08:59:59Z' }),
      fleet: [waiting([])],
      findings: [
        {
          path,
          message: 'run "release" is rolling out and has not asked for this approval yet',
          fix: 'Send the same again in a few seconds.',
          retry: true,
        },
      ],
    },
    'the approval of a stage that the run does not have': {
      change: forGate('release-after-other', 'other'),
      fleet: [waiting([])],
      findings: (scope) => [
        {
          path,
          message: 'run "release" has no stage "other", only "canary" and "prod"',
          fix: cleanUp(scope, 'release-after-other'),
        },
      ],
    },
    'the approval of a stage without such a gate': {
      change: forGate('release-before-canary', 'canary'),
      fleet: [waiting(asked)],
      findings: (scope) => [
        {
          path,
          message: 'run "release" waits for no approval before stage "canary"',
          fix: cleanUp(scope, 'release-before-canary'),
        },
      ],
    },
    'softly on a dry run': {
      change: grant({ dryRun: true }),
      findings: (scope) => [
        {
          path,
          severity: 'warn',
          message: 'run "release" does not exist: this approval would open nothing',
          fix: cleanUp(scope),
        },
      ],
    },
    'what nobody can tell': {
      change: grant(),
      knowledge: 'partial',
      findings: (scope) => [
        {
          path: '',
          outcome: 'undetermined',
          message: `could not be checked: cannot know ${scope.kind('UpdateRun')} "release"`,
          fix: 'Send the same again in a few seconds.',
          retry: true,
        },
      ],
    },
  },
});
