import { expect, test } from '@jest/globals';
import type { Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { overlay } from '../../src/engine/overlay.js';
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

/** Runs of a placement whose clusters all stand in stage `a`; what is counted is how often a cluster is looked at. */
function beside(runs: readonly object[]): { readonly fleet: IndexedFleet; readonly looks: { count: number } } {
  const fleet = new IndexedFleet('complete');
  const looks = { count: 0 };
  const names = Array.from({ length: members }, (_, index) => `member-${String(index).padStart(2, '0')}`);
  for (const name of names) {
    fleet.put('MemberCluster', counting(objectIn(where, make.cluster(name, { ring: 'a' })), 'metadata', looks));
  }
  fleet.put('Placement', objectIn(where, make.placement()));
  const targetClusters = names.map((clusterName) => ({ clusterName, selected: true }));
  fleet.put('PolicySnapshot', objectIn(where, make.policySnapshot('shop', { status: { targetClusters } })));
  for (const [index, status] of runs.entries()) {
    const conditions = [make.condition('Initialized', 'True')];
    const more = { spec: { state: 'Run' }, status: { conditions, policySnapshotIndexUsed: '0', ...status } };
    fleet.put('UpdateRun', objectIn(where, make.run(`run-${String(index)}`, more)));
  }
  looks.count = 0;
  return { fleet, looks };
}

const moved = make.update(make.cluster('member-01', { ring: 'a' }), make.cluster('member-01', { ring: 'b' }));
const stageA = (key = 'order') =>
  make.stage('a', { labelSelector: { matchLabels: { ring: 'a' } }, sortingLabelKey: key });
const inStageA = (count: number) => [
  {
    stageName: 'a',
    clusters: Array.from({ length: count }, (_, index) => ({
      clusterName: `member-${String(index).padStart(2, '0')}`,
    })),
  },
];
const thousand = Array.from({ length: runCount }, (_, index) => index);

test('of a thousand runs that are lost already, as their clusters are too few, no plan is made', () => {
  const { fleet, looks } = beside(
    thousand.map((index) => ({
      stagedUpdateStrategySnapshot: { stages: [stageA(`key-${String(index)}`)] },
      stagesStatus: inStageA(members - 1),
    })),
  );
  const { findings, undetermined } = judge(changeIn(where, moved), fleet);
  expect([findings, undetermined]).toEqual([[], []]);
  expect(looks.count).toBeLessThan(10 * members);
});

test('a thousand runs of the same stages and clusters have their plans in common', () => {
  const { spec: strategy } = objectIn(where, make.strategy('rings', stageA()));
  // No cluster has a number to be sorted by, so that all of them are lost already, and each is looked at.
  const { fleet, looks } = beside(thousand.map(() => ({ stagesStatus: inStageA(members) })));
  for (const run of fleet.list('UpdateRun', {}).items) {
    fleet.put('UpdateRun', { ...run, status: { ...run.status, stagedUpdateStrategySnapshot: strategy } });
  }
  const { findings, undetermined } = judge(changeIn(where, moved), fleet);
  expect([findings, undetermined]).toEqual([[], []]);
  expect(looks.count).toBeLessThan(20 * members);
});

test('runs that each take a plan to tell end in a word that nobody knows', () => {
  const { fleet, looks } = beside(
    thousand.map((index) => ({
      stagedUpdateStrategySnapshot: { stages: [stageA(`key-${String(index)}`)] },
      stagesStatus: inStageA(members),
    })),
  );
  expect(judge(changeIn(where, moved), fleet).undetermined).toEqual(['member-cluster-in-use']);
  // A plan looks some ten times at each cluster.
  expect(looks.count).toBeLessThan((runCount * members * 10) / 2);
});

test('among a thousand objects, the changed one is found without looking at each', () => {
  const fleet = new IndexedFleet('complete');
  const looks = { count: 0 };
  for (const index of thousand) {
    fleet.put('UpdateRun', counting(objectIn(where, make.run(`run-${String(index)}`)), 'metadata', looks));
  }
  looks.count = 0;
  const after = overlay(fleet, changeIn(where, make.creation(make.run('run-500-again'))));
  expect(after.list('UpdateRun', { placement: 'shop' }).items).toHaveLength(runCount + 1);
  expect(looks.count).toBeLessThan(100);
});

test('a policy that asks for labels without end is not held against a cluster', () => {
  const matchLabels = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`key-${String(index)}`, 'v']));
  const terms = [{ labelSelector: { matchLabels } }];
  const policy = {
    affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: terms } } },
  };
  const [term] = objectIn(where, make.placement('shop', { spec: { policy } })).spec.policy?.clusterSelectorTerms ?? [];
  expect(term).toEqual({ isOpen: true });
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

test('clusters that all stages of a strategy select are looked at once, not for every two stages', () => {
  const { fleet, looks } = beside([]);
  const stages = Array.from({ length: 31 }, (_, index) => make.stage(`s${String(index)}`, { labelSelector: {} }));
  const { findings } = judge(changeIn(where, make.creation(make.strategy('all', ...stages))), fleet);
  const finding = findings.find(({ rule }) => rule === 'strategy-stages-disjoint');
  expect(finding?.message).toContain('"member-00"');
  expect(looks.count).toBeLessThan(3 * members);
});
