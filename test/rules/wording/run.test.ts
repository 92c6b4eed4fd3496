import { describe, expect, test } from '@jest/globals';
import {
  deleteRun,
  describeRun,
  describeSnapshot,
  snapshotIndexOf,
  waitForRun,
} from '../../../src/rules/wording/run.js';
import type { UpdateRun } from '../../../src/fleet/model.js';
import { condition, run } from '../../support/builders.js';
import { objectIn, scopes } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const [clusterScope] = scopes;

function stored(more: { spec?: Json; status?: Json; metadata?: Json }): UpdateRun {
  if (clusterScope === undefined) throw new Error('there is a cluster scope');
  return objectIn(clusterScope, { ...run('release', more), family: 'UpdateRun' });
}

const initialized = condition('Initialized', 'True');
const done = { clusterName: 'a', conditions: [condition('Succeeded', 'True')] };
const open = { clusterName: 'b', conditions: [condition('Started', 'True')] };
const finishedStage = { stageName: 'canary', clusters: [done], conditions: [condition('Succeeded', 'True')] };
const openStage = { stageName: 'prod', clusters: [open, open], conditions: [condition('Progressing', 'True')] };
const stagesStatus = [finishedStage, openStage];

function inPhase(...conditions: readonly Json[]): Json {
  return { conditions: [initialized, ...conditions], stagesStatus };
}

/** Waits after the stage for the second of two tasks. */
function atGate(passed: string, open: string): Json {
  const done = { Approval: 'ApprovalRequestApproved', TimedWait: 'WaitTimeElapsed' }[passed] ?? '';
  const afterStageTaskStatus = [{ type: passed, conditions: [condition(done, 'True')] }, { type: open }];
  const status = inPhase(condition('Progressing', 'False', 'UpdateRunWaiting'));
  return { ...status, stagesStatus: [finishedStage, { ...openStage, afterStageTaskStatus }] };
}

describe('a run is described', () => {
  test.each<[string, UpdateRun, string]>([
    ['before anyone has looked at it', stored({}), 'not initialized yet'],
    [
      'that waits for its start',
      stored({ spec: { state: 'Initialize' }, status: { conditions: [initialized] } }),
      'initialized but not started',
    ],
    [
      'that is under way',
      stored({ status: inPhase(condition('Progressing', 'True')) }),
      'rolling out in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'between two stages',
      stored({ status: { conditions: [initialized], stagesStatus: [finishedStage] } }),
      'rolling out, 1 of 1 cluster updated',
    ],
    [
      'that waits at a gate',
      stored({ status: inPhase(condition('Progressing', 'False', 'UpdateRunWaiting')) }),
      'waiting for an approval or a timed wait in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that waits for an approval, its timed wait being over',
      stored({ status: atGate('TimedWait', 'Approval') }),
      'waiting for an approval in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that waits for time to pass, its approval being given',
      stored({ status: atGate('Approval', 'TimedWait') }),
      'waiting for its timed wait to pass in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that is stuck',
      stored({ status: inPhase(condition('Progressing', 'False', 'UpdateRunStuck')) }),
      'stuck in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that is stopping',
      stored({ spec: { state: 'Stop' }, status: inPhase(condition('Progressing', 'Unknown', 'UpdateRunStopping')) }),
      'stopping in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that is stopped',
      stored({ spec: { state: 'Stop' }, status: inPhase(condition('Progressing', 'False', 'UpdateRunStopped')) }),
      'stopped in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that has failed half-way',
      stored({ status: inPhase(condition('Succeeded', 'False')) }),
      'failed in stage "prod", 1 of 3 clusters updated',
    ],
    [
      'that has finished',
      stored({ status: { conditions: [initialized, condition('Succeeded', 'True')], stagesStatus: [finishedStage] } }),
      'finished, 1 of 1 cluster updated',
    ],
    [
      'that is being deleted',
      stored({ metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' }, status: inPhase() }),
      'being deleted, 1 of 3 clusters updated',
    ],
  ])('%s', (_name, given, text) => {
    expect(describeRun(given)).toBe(text);
  });
});

describe('what a run rolls out', () => {
  test.each<[string, UpdateRun, string | undefined]>([
    ['is what KubeFleet has chosen', stored({ status: { resourceSnapshotIndexUsed: '4' } }), '4'],
    ['is what its spec says before', stored({ spec: { resourceSnapshotIndex: '3' } }), '3'],
    [
      'is what its spec says where the status is empty',
      stored({ spec: { resourceSnapshotIndex: '3' }, status: { resourceSnapshotIndexUsed: '' } }),
      '3',
    ],
    ['is open where neither says it', stored({ spec: { resourceSnapshotIndex: '' } }), undefined],
  ])('%s', (_name, given, index) => {
    expect(snapshotIndexOf(given)).toBe(index);
  });

  test('is told in words', () => {
    expect(describeSnapshot('4')).toBe('resource snapshot "4"');
    expect(describeSnapshot(undefined)).toBe('the latest resources');
  });
});

test('commands name the kind of the scope', () => {
  const over = `'--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`;
  const active = { conditions: [condition('Initialized', 'True')] };
  const [ofCluster, ofNamespace] = scopes.map((scope) => [
    objectIn(scope, run('release', { status: active })),
    objectIn(scope, run('release')),
  ]);
  expect(ofCluster?.map(waitForRun)).toEqual([
    `kubectl wait clusterstagedupdateruns release ${over}`,
    `kubectl wait clusterstagedupdateruns release --for=condition=Initialized --timeout=1m && kubectl wait clusterstagedupdateruns release ${over}`,
  ]);
  expect(ofNamespace?.map(waitForRun)).toEqual([
    `kubectl wait stagedupdateruns release -n team-a ${over}`,
    `kubectl wait stagedupdateruns release -n team-a --for=condition=Initialized --timeout=1m && kubectl wait stagedupdateruns release -n team-a ${over}`,
  ]);
  expect(deleteRun('release', 'team-a')).toBe('kubectl delete stagedupdateruns release -n team-a');
});
