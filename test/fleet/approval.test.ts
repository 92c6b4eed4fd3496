import { describe, expect, test } from '@jest/globals';
import { approvalGatesOf, isGranted } from '../../src/fleet/approval.js';
import { approval, condition, stage, strategy } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

const [scope] = scopes as readonly [(typeof scopes)[number]];
const ask = { type: 'Approval' };
const wait = { type: 'TimedWait', waitTime: '1h' };

test('a run has a gate wherever a stage asks for an approval, under the name that KubeFleet looks for', () => {
  const rings = strategy(
    'rings',
    stage('dev', { afterStageTasks: [wait] }),
    stage('canary', { beforeStageTasks: [ask], afterStageTasks: [wait, ask] }),
    stage('prod', { beforeStageTasks: [ask] }),
  );
  expect(approvalGatesOf('release-1', objectIn(scope, rings).spec.stages)).toMatchObject([
    { stage: 'canary', moment: 'before', approvalName: 'release-1-before-canary' },
    { stage: 'canary', moment: 'after', approvalName: 'release-1-after-canary' },
    { stage: 'prod', moment: 'before', approvalName: 'release-1-before-prod' },
  ]);
});

describe('a request is granted', () => {
  const granted = (type: string, status: string, observedGeneration?: number): boolean => {
    const conditions = [{ ...condition(type, status), observedGeneration }];
    return isGranted(objectIn(scope, approval('a', { metadata: { generation: 2 }, status: { conditions } })));
  };
  test.each([
    ['Approved', 'True', 2, true],
    ['ApprovalAccepted', 'True', 2, true],
    ['Approved', 'True', 1, false],
    ['Approved', 'True', 3, false],
    ['Approved', 'True', undefined, false],
    ['Approved', 'False', 2, false],
    ['Approved', 'Unknown', 2, false],
    ['approved', 'True', 2, false],
  ] as const)('%s %s of generation %s: %s', (type, status, generation, expected) => {
    expect(granted(type, status, generation)).toBe(expected);
  });

  test('or not, where nobody has said anything', () => {
    expect(isGranted(objectIn(scope, approval('a')))).toBe(false);
  });
});
