import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../src/engine/evaluate.js';
import { previewText } from '../../src/engine/message.js';
import { durationText, planView, type PlanView } from '../../src/fleet/plan-view.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { Facts } from '../../src/fleet/facts.js';
import {
  binding,
  cluster,
  condition,
  creation,
  placement,
  policySnapshot,
  run,
  stage,
  start,
  strategy,
  update,
  type Draft,
} from '../support/builders.js';
import { changeIn, fleetIn, objectIn, scopes, type Scope } from '../support/scopes.js';

const names = ['a', 'b', 'c', 'd', 'e'];
const fleet: readonly Draft[] = [
  placement(),
  policySnapshot(),
  ...names.map((name) => binding(name)),
  binding('gone', { state: 'Unscheduled' }),
  cluster('a', { ring: 'canary' }),
  ...['b', 'c', 'd', 'e'].map((name) => cluster(name, { ring: 'prod' })),
  strategy(
    'rings',
    stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '10m' }, { type: 'Approval' }] }),
    stage('prod', { maxConcurrency: '50%', beforeStageTasks: [{ type: 'Approval' }] }),
  ),
];

function viewIn(scope: Scope, of: Draft, drafts: readonly Draft[] = fleet, version = 'main'): PlanView | undefined {
  return planView(
    objectIn(scope, of as Draft & { family: 'UpdateRun' }),
    new Facts(fleetIn(scope, drafts), scope.namespace),
    version,
  );
}

/** One cluster in the first stage, none in the second, which has a wait of a day and an approval. */
const withEmptyStage: readonly Draft[] = [
  placement(),
  policySnapshot(),
  binding('a'),
  cluster('a', { ring: 'staging' }),
  strategy(
    'rings',
    stage('staging'),
    stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '24h' }, { type: 'Approval' }] }),
    stage('prod'),
  ),
];

describe.each(scopes)('a plan with a stage without clusters, $name', (scope) => {
  const preview = (version: string) =>
    evaluate(changeIn(scope, creation(run('release'))), {
      rules: [],
      fleet: fleetIn(scope, withEmptyStage),
      policy: { ...defaultPolicy, kubefleet: { version } },
      now: 0,
    }).preview;

  test.each([
    ['v0.3.1', 86_415, 'plan: staging 1 -> canary 0 (wait 24h, approval) -> prod 0; snapshot: latest'],
    ['main', 15, 'plan: staging 1 -> canary 0 (skipped) -> prod 0 (skipped); snapshot: latest'],
    ['auto', 15, 'plan: staging 1 -> canary 0 (skipped) -> prod 0 (skipped); snapshot: latest'],
  ])('takes on %s at least %d seconds', (version, seconds, line) => {
    expect(viewIn(scope, run('release'), withEmptyStage, version)?.shortestSeconds).toBe(seconds);
    expect(preview(version)).toBe(line);
  });

  test('says what it takes for granted only where nobody knows the version, and it matters', () => {
    const assumption = (drafts: readonly Draft[], version: string) =>
      viewIn(scope, run('release'), drafts, version)?.assumption;
    expect(assumption(withEmptyStage, 'auto')).toBe(
      'the version of KubeFleet is not known: v0.3.1 and older do not skip the approvals and waits of stages without clusters (canary), and take at least 1d 15s',
    );
    expect(assumption(withEmptyStage, 'main')).toBeUndefined();
    expect(assumption(withEmptyStage, 'v0.3.1')).toBeUndefined();
    expect(assumption(fleet, 'auto')).toBeUndefined();
    const text = JSON.stringify(withEmptyStage).replaceAll('"name":"canary"', '"name":"$(touch x) ##[error]"');
    const evil = JSON.parse(text) as readonly Draft[];
    expect(assumption(evil, 'auto')).toContain('("\\u0024(touch x) #\\u0023[error]")');
  });
});

describe.each(scopes)('the plan of a run, $name', (scope) => {
  test('has the stages in order, their pace and their gates', () => {
    const view = viewIn(scope, run('release'));
    expect(
      view?.stages.map(({ name, atOnce, batches, before, after }) => ({ name, atOnce, batches, before, after })),
    ).toEqual([
      { name: 'canary', atOnce: 1, batches: 1, before: [], after: ['wait 10m', 'approval'] },
      { name: 'prod', atOnce: 2, batches: 2, before: ['approval'], after: [] },
    ]);
    expect(view?.deletion).toEqual(['gone']);
  });

  test('takes 15 s a batch at least, and the longest wait of each stage', () => {
    expect(viewIn(scope, run('release'))?.shortestSeconds).toBe(15 + 600 + 30);
  });

  test('marks clusters that two stages select, that cannot be sorted and that no stage selects', () => {
    const view = viewIn(scope, run('release'), [
      ...fleet.filter(({ family }) => family !== 'UpdateStrategy'),
      strategy('rings', stage('canary', { sortingLabelKey: 'order' }), {
        name: 'all',
        labelSelector: { matchLabels: { ring: 'canary' } },
      }),
    ]);
    expect(view?.stages[0]?.clusters[0]?.errors).toEqual(['also in stage all', 'label order is not a whole number']);
    expect(view?.leftOut.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'e']);
  });

  test('follows the stages that an initialized run has recorded, not the strategy of today', () => {
    const recorded = { stages: [{ name: 'all', labelSelector: {} }] };
    const status = {
      conditions: [condition('Initialized', 'True')],
      stagedUpdateStrategySnapshot: recorded,
      resourceSnapshotIndexUsed: '3',
    };
    const view = viewIn(scope, run('release', { status }));
    expect(view?.stages.map(({ name, clusters }) => [name, clusters.length])).toEqual([['all', 5]]);
    expect(view?.snapshot).toBe('3');
  });

  test('is missing where the placement is', () => {
    expect(viewIn(scope, run('release', { spec: { placementName: 'other' } }))).toBeUndefined();
  });

  const previewWith = (change: Parameters<typeof changeIn>[1]): string | undefined =>
    evaluate(changeIn(scope, change), { rules: [], fleet: fleetIn(scope, fleet), policy: defaultPolicy, now: 0 })
      .preview;

  test('comes in one line with an admitted run, created or started', () => {
    const line =
      'plan: canary 1 (wait 10m, approval) -> prod 4 at 50% (approval first) -> remove from 1 cluster; snapshot: latest';
    expect(previewWith(creation(run('release')))).toBe(line);
    expect(previewWith(start(run('release')))).toBe(line);
    expect(previewWith(creation(run('release', { spec: { resourceSnapshotIndex: '4' } })))).toMatch(/; snapshot: 4$/);
  });

  test('does not come with other writes', () => {
    expect(previewWith(update(run('release'), run('release', { metadata: { labels: { a: 'b' } } })))).toBeUndefined();
    expect(previewWith(creation(strategy('rings', stage('canary'))))).toBeUndefined();
  });
});

test.each([
  [0, '0s'],
  [45, '45s'],
  [60, '1m'],
  [645, '10m 45s'],
  [7_500, '2h 5m'],
  [93_600, '1d 2h'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('a stage of one cluster has no pace', () => {
  const one = {
    name: 'a',
    clusters: [{ name: 'c', labels: {}, errors: [] }],
    atOnce: 1,
    maxConcurrency: '25%',
    batches: 1,
    before: [],
    after: [],
  };
  const view = {
    placement: '',
    strategy: '',
    snapshot: 'latest',
    stages: [one],
    deletion: [],
    leftOut: [],
    shortestSeconds: 0,
  };
  expect(previewText(view)).toBe('plan: a 1; snapshot: latest');
});
