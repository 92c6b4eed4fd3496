import rule from '../../../src/rules/run/run-fixed-fields.js';
import { creation, run, update, type ChangeDraft } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const becomes = (before: Json, now: Json): ChangeDraft =>
  update(run('release', { spec: before }), run('release', { spec: now }));

const newRun = ({ kind, namespace }: Scope, ...spec: readonly string[]): string =>
  [
    'Give the new run a name of its own, for example this one.',
    'apiVersion: placement.kubernetes-fleet.io/v1beta1',
    `kind: ${kind('UpdateRun')}`,
    'metadata:',
    '  name: release-2',
    ...(namespace === undefined ? [] : [`  namespace: ${namespace}`]),
    'spec:',
    ...spec.map((line) => `  ${line}`),
  ].join('\n');

const way = (from: string, to: string, fix: string): { change: ChangeDraft; findings: readonly Expected[] } => ({
  change: becomes({ state: from }, { state: to }),
  findings: [
    {
      path: 'spec.state',
      message: `the state of a run does not go from ${from} to ${to}`,
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
    'an index that is taken away': { change: becomes({ resourceSnapshotIndex: '3' }, {}) },
  },
  rejects: {
    'another index': {
      change: becomes({ resourceSnapshotIndex: '3' }, { resourceSnapshotIndex: '4' }),
      findings: (scope) => [
        {
          path: 'spec.resourceSnapshotIndex',
          message: 'run "release" is there already, with resourceSnapshotIndex "3", and keeps it',
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
            message: 'run "release" is there already, with placementName "shop", and keeps it',
            fix,
          },
          {
            path: 'spec.stagedRolloutStrategyName',
            message: 'run "release" is there already, with stagedRolloutStrategyName "rings", and keeps it',
            fix,
          },
        ];
      },
    },
    'the way from Run to Initialize': way(
      'Run',
      'Initialize',
      'Write the state that the run has; a manifest without one means Initialize.',
    ),
    'the way from Stop to Initialize': way(
      'Stop',
      'Initialize',
      'Write the state that the run has; a manifest without one means Initialize.',
    ),
    'the way from Initialize to Stop': way('Initialize', 'Stop', 'A run that was never started needs no stop.'),
  },
});
