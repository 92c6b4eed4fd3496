import rule from '../../../src/rules/run/run-fixed-fields.js';
import { creation, run, update, type ChangeDraft } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { runLines } from './run-lines.js';

type Json = Readonly<Record<string, unknown>>;

const becomes = (before: Json, now: Json): ChangeDraft =>
  update(run('release', { spec: before }), run('release', { spec: now }));

const newRun = (scope: Scope, ...spec: readonly string[]): string =>
  ['Create a run with another name, for example this one.', ...runLines(scope, 'release-2', spec)].join('\n');

const way = (from: string, to: string, fix: string): { change: ChangeDraft; findings: readonly Expected[] } => ({
  change: becomes({ state: from }, { state: to }),
  findings: [
    {
      path: 'spec.state',
      message: `the state of a run cannot change from ${from} to ${to}`,
      fix: `${fix}\nstate: ${from}`,
    },
  ],
});

testRule(rule, {
  accepts: {
    'a new run': { change: creation(run('release')) },
    'a run that stays as it is': { change: becomes({}, {}) },
    'a start': { change: becomes({ state: 'Initialize' }, { state: 'Run' }) },
    'a stop': { change: becomes({ state: 'Run' }, { state: 'Stop' }) },
    'a resumption': { change: becomes({ state: 'Stop' }, { state: 'Run' }) },
    'a first index': { change: becomes({}, { resourceSnapshotIndex: '3' }) },
    'an index that is written out as nothing': { change: becomes({}, { resourceSnapshotIndex: '' }) },
    'an index of nothing that is left out': { change: becomes({ resourceSnapshotIndex: '' }, {}) },
    'an index of nothing that stays': {
      change: becomes({ resourceSnapshotIndex: '' }, { resourceSnapshotIndex: '' }),
    },
    'an index that is taken away': { change: becomes({ resourceSnapshotIndex: '3' }, {}) },
  },
  rejects: {
    'another index': {
      change: becomes({ resourceSnapshotIndex: '3' }, { resourceSnapshotIndex: '4' }),
      findings: (scope) => [
        {
          path: 'spec.resourceSnapshotIndex',
          message: 'run "release" already exists with resourceSnapshotIndex "3", which cannot be changed',
          fix: newRun(
            scope,
            'placementName: shop',
            'stagedRolloutStrategyName: rings',
            'resourceSnapshotIndex: "4"',
            'state: Run',
          ),
        },
      ],
    },
    ...Object.fromEntries(
      [
        { what: 'an index where KubeFleet has noted that there is none', from: '', to: '4' },
        { what: 'no index where there was one', from: '4', to: '' },
      ].map(({ what, from, to }) => [
        what,
        {
          change: becomes({ resourceSnapshotIndex: from }, { resourceSnapshotIndex: to }),
          findings: (scope: Scope) => [
            {
              path: 'spec.resourceSnapshotIndex',
              message: `run "release" already exists with resourceSnapshotIndex "${from}", which cannot be changed`,
              fix: newRun(
                scope,
                'placementName: shop',
                'stagedRolloutStrategyName: rings',
                ...(to === '' ? [] : [`resourceSnapshotIndex: "${to}"`]),
                'state: Run',
              ),
            },
          ],
        },
      ]),
    ),
    'another placement and another strategy, whatever the state': {
      change: becomes(
        { state: 'Run' },
        { placementName: 'cart', stagedRolloutStrategyName: 'all', state: 'Initialize' },
      ),
      fleet: [run('release')],
      findings: (scope) => {
        const fix = newRun(scope, 'placementName: cart', 'stagedRolloutStrategyName: all', 'state: Initialize');
        return [
          {
            path: 'spec.placementName',
            message: 'run "release" already exists with placementName "shop", which cannot be changed',
            fix,
          },
          {
            path: 'spec.stagedRolloutStrategyName',
            message: 'run "release" already exists with stagedRolloutStrategyName "rings", which cannot be changed',
            fix,
          },
        ];
      },
    },
    'the way from Run to Initialize': way(
      'Run',
      'Initialize',
      'Keep the state that the run has; a manifest without a state means Initialize.',
    ),
    'the way from Stop to Initialize': way(
      'Stop',
      'Initialize',
      'Keep the state that the run has; a manifest without a state means Initialize.',
    ),
    'the way from Initialize to Stop': way(
      'Initialize',
      'Stop',
      'The run was never started, so there is nothing to stop: keep its state.',
    ),
  },
});
