import { expect, test } from '@jest/globals';
import type { Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { catalogue as rules } from '../../src/rules/index.js';
import * as make from '../support/builders.js';
import { testNow } from '../support/rule-tester.js';
import { changeIn, objectIn, scopeOfName } from '../support/scopes.js';

const where = scopeOfName('cluster scope', undefined);

/** Counts how often a part of an object is looked at: work is counted, since time on a busy machine says nothing. */
function counting<T extends object>(object: T, field: keyof T, seen: { count: number }): T {
  const value = object[field];
  return Object.defineProperty({ ...object }, field, {
    enumerable: true,
    get: () => {
      seen.count += 1;
      return value;
    },
  });
}

const members = 50;
const runCount = 1_000;

/** A placement with a thousand runs, of which each is initialized and active. */
function crowded(): {
  readonly fleet: IndexedFleet;
  readonly stages: { count: number };
  readonly picked: { count: number };
} {
  const fleet = new IndexedFleet('complete');
  const [stages, picked] = [{ count: 0 }, { count: 0 }];
  const names = Array.from({ length: members }, (_, index) => `member-${String(index)}`);
  for (const name of names) fleet.put('MemberCluster', objectIn(where, make.cluster(name, { ring: 'a' })));
  fleet.put('Placement', objectIn(where, make.placement()));
  const targetClusters = names.map((clusterName) => ({ clusterName, selected: true }));
  const snapshot = objectIn(where, make.policySnapshot('shop', { status: { targetClusters } }));
  fleet.put('PolicySnapshot', { ...snapshot, status: counting(snapshot.status, 'targetClusters', picked) });
  for (let index = 0; index < runCount; index++) {
    const run = objectIn(
      where,
      make.run(`run-${String(index)}`, {
        spec: { state: 'Run' },
        metadata: { creationTimestamp: '2026-11-16T06:00:00Z' },
        status: {
          conditions: [make.condition('Initialized', 'True')],
          policySnapshotIndexUsed: '0',
          stagedUpdateStrategySnapshot: { stages: [make.stage('a')] },
          stagesStatus: [{ stageName: 'a', clusters: [{ clusterName: 'member-1' }] }],
        },
      }),
    );
    fleet.put('UpdateRun', { ...run, status: counting(run.status, 'stagesStatus', stages) });
  }
  return { fleet, stages, picked };
}

const judge = (change: Change, fleet: IndexedFleet) =>
  evaluate(change, { rules, fleet, policy: defaultPolicy, now: testNow });

const withPolicy = (count: number) =>
  make.placement('shop', { spec: { policy: { placementType: 'PickN', numberOfClusters: count } } });

test.each([
  ['is edited', make.update(withPolicy(2), withPolicy(3))],
  ['is deleted', make.deletion(make.placement())],
])('of a thousand runs of a placement that %s, only those are described that are told', (_, draft) => {
  const { fleet, stages } = crowded();
  const verdict = judge(changeIn(where, draft), fleet);
  expect(verdict.findings.filter(({ rule }) => rule === 'placement-in-use')).toHaveLength(5);
  expect(stages.count).toBeLessThan(100);
});

test('the clusters of a placement are looked through once, however many runs it has', () => {
  const { fleet, picked } = crowded();
  // Ring b is in no stage, and of another cluster nothing is known: no run notices.
  const draft = make.update(
    make.cluster('member-1', { ring: 'a' }),
    make.cluster('member-1', { ring: 'a', zone: 'b' }),
  );
  judge(changeIn(where, draft), fleet);
  expect(picked.count).toBeGreaterThan(0);
  expect(picked.count).toBeLessThan(10);
});

test('of a hundred latest policy snapshots not all are told', () => {
  const { fleet } = crowded();
  for (let index = 1; index < 100; index++) {
    fleet.put('PolicySnapshot', objectIn(where, make.policySnapshot('shop', { index })));
  }
  const { findings } = judge(changeIn(where, make.creation(make.run('release', { spec: { state: 'Run' } }))), fleet);
  const finding = findings.find(({ rule }) => rule === 'run-placement-scheduled');
  expect(finding?.message).toContain('more than one latest policy snapshot');
  expect(finding?.fix.split('\n').length).toBeLessThan(25);
});
