import rule from '../../../src/rules/approval/approval-has-effect.js';
import { approval, condition, run, update, type ChangeDraft, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const path = 'status.conditions';
const accepted = condition('ApprovalAccepted', 'True');

function answer(status: string, before: readonly object[] = [], name = 'release-after-canary'): ChangeDraft {
  const request = (conditions: readonly object[]): Draft => approval(name, { status: { conditions } });
  return update(request(before), request([condition('Approved', status)]), { subresource: 'status' });
}

function takenAway(...before: readonly object[]): ChangeDraft {
  const request = (conditions: readonly object[]): Draft =>
    approval('release-after-canary', { status: { conditions } });
  return update(request(before), request([]), { subresource: 'status' });
}

const over = (status: string): Draft => run('release', { status: { conditions: [condition('Succeeded', status)] } });

function setState({ plural, flag }: Scope, state: string): string {
  return `kubectl patch ${plural('UpdateRun')} release${flag} --type=merge -p '{"spec":{"state":"${state}"}}'`;
}

const halt = 'to halt run "release", set its spec.state to Stop, or delete it';

testRule(rule, {
  accepts: {
    'an approval of a run that is under way': { change: answer('True'), fleet: [run('release')] },
    'an approval of a run that is not there, of which another rule speaks': { change: answer('True') },
    'an answer that was there before': { change: answer('False', [condition('Approved', 'False')]) },
    'a write of other conditions': {
      change: update(approval('a'), approval('a', { status: { conditions: [accepted] } }), { subresource: 'status' }),
    },
    'a no to a run that has finished': { change: answer('False'), fleet: [over('True')] },
    'a no to a run that has failed': {
      change: answer('False', [condition('Approved', 'True'), accepted]),
      fleet: [over('False')],
    },
    'a no to a run that is stopped': {
      change: answer('False'),
      fleet: [run('release', { spec: { state: 'Stop' } })],
    },
    'a no to a request that names no run': {
      change: update(
        approval('any', { spec: { parentStageRollout: '' } }),
        approval('any', { spec: { parentStageRollout: '' }, status: { conditions: [condition('Approved', 'False')] } }),
        { subresource: 'status' },
      ),
    },
    'an approval that is taken away before it was accepted': {
      change: takenAway(condition('Approved', 'True')),
      fleet: [run('release')],
    },
    'a note that is taken away, of which another rule speaks': {
      change: takenAway(accepted),
      fleet: [run('release')],
    },
    'an approval where nobody knows the run': { change: answer('True'), knowledge: 'partial' },
  },
  rejects: {
    'a no, which is no word that KubeFleet knows': {
      change: answer('False'),
      findings: (scope) => [
        {
          path,
          message: `Approved "False" is the same to KubeFleet as no answer, and the run goes on waiting; ${halt}`,
          fix: `Stop the run.\n${setState(scope, 'Stop')}`,
        },
      ],
    },
    'an unknown, even where nobody knows the run': {
      change: answer('Unknown'),
      knowledge: 'partial',
      findings: (scope) => [
        {
          path,
          message: `Approved "Unknown" is the same to KubeFleet as no answer, and the run goes on waiting; ${halt}`,
          fix: `Stop the run.\n${setState(scope, 'Stop')}`,
        },
      ],
    },
    'an approval that is taken back too late': {
      change: answer('False', [condition('Approved', 'True'), accepted]),
      findings: (scope) => [
        {
          path,
          message: `the approval was accepted already and cannot be taken back; ${halt}`,
          fix: `Stop the run.\n${setState(scope, 'Stop')}`,
        },
      ],
    },
    'an approval that is taken away too late': {
      change: takenAway(condition('Approved', 'True'), accepted),
      fleet: [run('release')],
      findings: (scope) => [
        {
          path,
          message: `the approval was accepted already and cannot be taken back; ${halt}`,
          fix: `Stop the run.\n${setState(scope, 'Stop')}`,
        },
      ],
    },
    'an approval of a stopped run': {
      change: answer('True'),
      fleet: [run('release', { spec: { state: 'Stop' } })],
      findings: (scope) => [
        {
          path,
          message:
            'run "release" is stopped: the approval is kept, and takes effect when spec.state of the run is Run again',
          fix: `Start the run when it is to go on.\n${setState(scope, 'Run')}`,
        },
      ],
    },
    'an approval of a request that no run looks for': {
      change: answer('True', [], 'release-canary'),
      fleet: [run('release')],
      findings: ({ plural, flag }) => [
        {
          path,
          message:
            'KubeFleet looks for no request of the name "release-canary" with this target, so that its approval opens no gate',
          fix: `Approve a request that KubeFleet has made.\nkubectl get ${plural('ApprovalRequest')}${flag}`,
        },
      ],
    },
  },
});
