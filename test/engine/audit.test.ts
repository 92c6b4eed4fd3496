import { describe, expect, test } from '@jest/globals';
import { audit, placementsToBind } from '../../src/engine/audit.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { catalogue } from '../../src/rules/index.js';
import {
  approval,
  binding,
  cluster,
  condition,
  placement,
  policySnapshot,
  run,
  stage,
  strategy,
  type Draft,
} from '../support/builders.js';
import { fleetIn, scopes } from '../support/scopes.js';

const now = Date.parse('2026-11-17T12:00:00Z');
const world = { rules: catalogue, policy: defaultPolicy, now };
const sound: readonly Draft[] = [
  placement(),
  strategy('rings', stage('canary')),
  policySnapshot(),
  cluster('eu', { ring: 'canary' }),
  binding('eu'),
];
const waiting = run('release', { status: { conditions: [condition('Initialized', 'True')] } });
const approved = (observedGeneration?: number) => ({
  conditions: [{ type: 'Approved', status: 'True', ...(observedGeneration !== undefined && { observedGeneration }) }],
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
    expect(findings(...sound.filter(({ family }) => family !== 'UpdateStrategy'), pending)).toContain(
      'release run-strategy-exists',
    );
    expect(findings(...sound, pending)).not.toContain('release run-strategy-exists');
  });

  test('names two active runs of one placement, and not one that is over', () => {
    const other = run('other', { status: { conditions: [condition('Initialized', 'True')] } });
    expect(findings(...sound, waiting, other)).toEqual(
      expect.arrayContaining(['release run-placement-free', 'other run-placement-free']),
    );
    const over = run('other', { status: { conditions: [condition('Succeeded', 'True')] } });
    expect(findings(...sound, waiting, over).filter((text) => text.includes('run-placement-free'))).toEqual([]);
  });

  test('names a run that nobody has taken up for minutes', () => {
    const created = (creationTimestamp: string) => run('release', { metadata: { creationTimestamp } });
    expect(findings(...sound, created('2026-11-17T11:50:00Z'))).toContain('release audit-run-not-taken-up');
    expect(findings(...sound, created('2026-11-17T11:59:00Z'))).not.toContain('release audit-run-not-taken-up');
  });

  test('names an approval whose run is gone', () => {
    expect(findings(approval('release-after-canary'))).toEqual(['release-after-canary audit-approval-leftover']);
    expect(findings(...sound, waiting, approval('release-after-canary'))).not.toContain(
      'release-after-canary audit-approval-leftover',
    );
  });

  test.each([
    ['without a generation', undefined, true],
    ['for an older generation', 0, true],
    ['for its generation', 1, false],
  ])('names an approval that was given %s, where the run does not hear it', (_, generation, isNamed) => {
    const given = approval('release-after-canary', { status: approved(generation) });
    const named = findings(...sound, waiting, given).includes('release-after-canary audit-approval-not-heard');
    expect(named).toBe(isNamed);
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
