import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stageLabelsFinder, type StageLabels } from '../../src/fleet/labels-for-stage.js';
import { memberIn } from '../../src/fleet/members-by-name.js';
import { planStages, rankOf, type PlannedStage } from '../../src/fleet/plan.js';
import { matches } from '../../src/fleet/selector.js';
import { arbitraryLabels, arbitraryStages } from '../support/arbitrary-fleet.js';
import { cluster, stage, strategy } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

type Labels = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;
const [scope] = scopes as readonly [(typeof scopes)[number]];

function planned(stages: readonly Json[], members: Readonly<Record<string, Labels>> = {}): readonly PlannedStage[] {
  return planStages({
    stages: objectIn(scope, strategy('rings', ...stages)).spec.stages,
    scheduled: Object.keys(members),
    toDelete: [],
    memberOf: memberIn(Object.entries(members).map(([name, labels]) => objectIn(scope, cluster(name, labels)))),
  }).stages;
}

function place(labels: Labels, stages: readonly PlannedStage[]): StageLabels | undefined {
  return stageLabelsFinder(stages)(objectIn(scope, cluster('eu', labels)));
}

const selecting = (name: string, ...matchExpressions: readonly Json[]): Json => ({
  name,
  labelSelector: { matchExpressions },
});
const is = (key: string, operator: string, ...values: readonly string[]): Json => ({ key, operator, values });

describe('a cluster is put into one stage', () => {
  const cases: readonly [string, Labels, readonly Json[], string, Record<string, string | undefined>][] = [
    ['the last of equals', {}, [stage('canary'), stage('prod')], 'prod', { ring: 'prod' }],
    ['the stage it is in already', { ring: 'canary' }, [stage('canary'), stage('prod')], 'canary', {}],
    [
      'the stage that takes fewer labels',
      { tier: 'a' },
      [
        selecting('x', is('tier', 'In', 'a'), is('ring', 'In', 'b')),
        stage('prod', { labelSelector: { matchLabels: { p: '1', q: '2' } } }),
      ],
      'x',
      { ring: 'b' },
    ],
    ['a label that must go', { old: '1' }, [selecting('x', is('old', 'DoesNotExist'))], 'x', { old: undefined }],
    ['a label that must be there', {}, [selecting('x', is('new', 'Exists'))], 'x', { new: 'true' }],
    [
      'two conditions on one key',
      {},
      [selecting('x', is('r', 'In', 'a', 'b'), is('r', 'NotIn', 'a'))],
      'x',
      { r: 'b' },
    ],
    [
      'one of two stages that both select it',
      { ring: 'canary' },
      [stage('canary'), selecting('rest', is('ring', 'Exists'))],
      'rest',
      { ring: 'true' },
    ],
    [
      'a value that neither stage names',
      {},
      [selecting('x', is('r', 'In', 'true')), selecting('y', is('r', 'Exists'))],
      'y',
      { r: 'other' },
    ],
  ];
  test.each(cases)('%s', (...[, labels, stages, into, changes]) => {
    const placing = place(labels, planned(stages));
    expect([placing?.stage.name, Object.fromEntries(placing?.labels ?? [])]).toEqual([into, changes]);
  });

  test('last in the order of a stage that sorts', () => {
    const stages = planned([stage('prod', { sortingLabelKey: 'order' })], { us: { ring: 'prod', order: '41' } });
    expect([...(place({ order: 'x' }, stages)?.labels ?? [])]).toEqual([
      ['ring', 'prod'],
      ['order', '42'],
    ]);
    expect([...(place({ order: '3' }, stages)?.labels ?? [])]).toEqual([['ring', 'prod']]);
  });
});

describe('a cluster is left where it is', () => {
  const cases: readonly [string, readonly Json[]][] = [
    ['if no stage has a selector', [{ name: 'none' }]],
    ['if no labels satisfy a stage', [selecting('x', is('r', 'Exists'), is('r', 'DoesNotExist'))]],
    ['if two stages select alike', [stage('a', { labelSelector: {} }), stage('b', { labelSelector: {} })]],
    ['if the selector cannot be read', [selecting('x', is('r', 'Is', 'a'))]],
    ['if KubeFleet sets the label itself', [selecting('x', is('kubernetes-fleet.io/member-name', 'In', 'us'))]],
    ['if nobody can set the label to sort by', [stage('x', { sortingLabelKey: '' })]],
  ];
  test.each(cases)('%s', (_, stages) => {
    expect(place({}, planned(stages))).toBeUndefined();
  });
});

test('whatever the stages and labels are, afterwards exactly one stage selects the cluster and can sort it', () => {
  let placed = 0;
  fc.assert(
    fc.property(arbitraryStages, arbitraryLabels, (drafts, labels) => {
      const stages = planned(drafts);
      const placing = place(labels, stages);
      if (placing === undefined) return;
      placed++;
      const after = Object.fromEntries(
        Object.entries({ ...labels, ...Object.fromEntries(placing.labels) }).filter(([, value]) => value !== undefined),
      ) as Labels;
      expect(stages.filter(({ stage: each }) => matches(each.labelSelector, after)).map((each) => each.stage)).toEqual([
        placing.stage,
      ]);
      const key = placing.stage.sortingLabelKey;
      expect(key === undefined || rankOf(after, key) !== undefined).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(placed).toBeGreaterThan(200);
});
