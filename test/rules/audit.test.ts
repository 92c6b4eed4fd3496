import { describe, expect, test } from '@jest/globals';
import { audit, placementsToBind } from '../../src/rules/audit.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { catalogue } from '../../src/rules/index.js';
import {
  approval,
  condition,
  resourceSnapshot,
  run,
  soundFleet,
  stage,
  strategy,
  type Draft,
} from '../support/builders.js';
import { fleetIn, scopes } from '../support/scopes.js';
import { bound, updatedBy } from './run/rolled-out.js';

const now = Date.parse('2026-11-17T12:00:00Z');
const world = { rules: catalogue, policy: defaultPolicy, now };
const waiting = run('release', { status: { conditions: [condition('Initialized', 'True')] } });
const approved = (observedGeneration?: number) => ({
  conditions: [{ type: 'Approved', status: 'True', ...(observedGeneration !== undefined && { observedGeneration }) }],
});

/** What KubeFleet writes of the fleet that it takes a run from. */
const initializedFrom = (fleet: readonly Draft[]) => ({
  policySnapshotIndexUsed: '0',
  stagedUpdateStrategySnapshot: fleet.find(({ family }) => family === 'UpdateStrategy')?.json['spec'],
  deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [] },
});

describe.each(scopes)('an audit, $name', (scope) => {
  const findings = (...drafts: readonly Draft[]): string[] =>
    [...audit(fleetIn(scope, drafts), world)].flatMap(({ verdict }) =>
      verdict.findings.map(({ rule }) => `${verdict.subject.name} ${rule}`),
    );

  test('names a strategy that would be refused today', () => {
    const overlapping = strategy('waves', stage('a'), { name: 'all', labelSelector: {} });
    expect(findings(overlapping)).toContain('waves strategy-stages-disjoint');
    expect(findings(strategy('rings', stage('canary')))).toEqual([]);
  });

  test('names a run that waits to be initialized by a strategy that is gone', () => {
    const pending = run('release', { metadata: { creationTimestamp: '2026-11-17T11:59:50Z' } });
    expect(findings(...soundFleet.filter(({ family }) => family !== 'UpdateStrategy'), pending)).toContain(
      'release run-strategy-exists',
    );
    expect(findings(...soundFleet, pending)).not.toContain('release run-strategy-exists');
  });

  test('names two active runs of one placement, and not one that is over', () => {
    const other = run('other', { status: { conditions: [condition('Initialized', 'True')] } });
    expect(findings(...soundFleet, waiting, other)).toEqual(
      expect.arrayContaining(['release run-placement-free', 'other run-placement-free']),
    );
    const over = run('other', { status: { conditions: [condition('Succeeded', 'True')] } });
    expect(findings(...soundFleet, waiting, over).filter((text) => text.includes('run-placement-free'))).toEqual([]);
  });

  test('names a stopped run that is unsafe to resume, and an older one that would roll back', () => {
    const inState = (state: string, updated: readonly string[], ahead: readonly string[]) => {
      const { family, json } = updatedBy('0', updated, ahead);
      const status = { ...initializedFrom(soundFleet), ...(json['status'] as object) };
      return { family, json: { ...json, status, spec: { ...(json['spec'] as object), state } } };
    };
    expect(findings(...soundFleet, inState('Stop', ['eu'], []), bound('eu', 1))).toContain(
      'release run-resume-mixes-versions',
    );
    expect(findings(...soundFleet, inState('Stop', ['eu'], []), bound('eu', 0))).not.toContain(
      'release run-resume-mixes-versions',
    );
    const behind = [...soundFleet, resourceSnapshot(0), bound('eu', 1)];
    expect(findings(...behind, inState('Initialize', [], ['eu']))).toContain('release run-rolls-back');
    // An active run rolls back because somebody wanted it.
    expect(findings(...behind, inState('Run', [], ['eu']))).not.toContain('release run-rolls-back');
  });

  test('names a run that nobody has taken up for minutes', () => {
    const created = (creationTimestamp: string) => run('release', { metadata: { creationTimestamp } });
    expect(findings(...soundFleet, created('2026-11-17T11:50:00Z'))).toContain('release audit-run-not-taken-up');
    expect(findings(...soundFleet, created('2026-11-17T11:59:00Z'))).not.toContain('release audit-run-not-taken-up');
  });

  test('names an approval whose run is gone', () => {
    expect(findings(approval('release-after-canary'))).toEqual(['release-after-canary audit-approval-leftover']);
    expect(findings(...soundFleet, waiting, approval('release-after-canary'))).not.toContain(
      'release-after-canary audit-approval-leftover',
    );
  });

  test.each([
    ['without a generation', undefined, true],
    ['for an older generation', 0, true],
    ['for its generation', 1, false],
  ])('names an approval that was given %s, where the run does not hear it', (_, generation, isNamed) => {
    const given = approval('release-after-canary', { status: approved(generation) });
    const named = findings(...soundFleet, waiting, given).includes('release-after-canary audit-approval-not-heard');
    expect(named).toBe(isNamed);
  });

  test.each([
    ['deny', ['deny']],
    ['off', []],
  ] as const)('takes the mode of its own findings from the settings: %s', (mode, expected) => {
    const policy = { ...defaultPolicy, rules: { 'audit-approval-leftover': mode } };
    const judged = [...audit(fleetIn(scope, [approval('release-after-canary')]), { ...world, policy })];
    expect(judged.flatMap(({ verdict }) => verdict.findings.map(({ severity }) => severity))).toEqual(expected);
  });

  test('asks for the bindings of runs that are not over, once a placement', () => {
    const over = run('old', {
      spec: { placementName: 'other' },
      status: { conditions: [condition('Succeeded', 'True')] },
    });
    expect(placementsToBind(fleetIn(scope, [waiting, run('second'), over]))).toEqual([
      { placement: 'shop', namespace: scope.namespace },
    ]);
  });
});
