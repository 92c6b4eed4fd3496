import rule from '../../../src/rules/run/run-rolls-back.js';
import { binding, condition, creation, run, start, type Draft, type Json } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { bound, initialized, stopped, updatedBy } from './rolled-out.js';
import { rolloutLines } from './run-lines.js';

const prepared = updatedBy('1', [], ['eu', 'us', 'ap'], [initialized]);

function createdAtEight({ family, json }: Draft<'UpdateRun'>): Draft<'UpdateRun'> {
  const metadata = { ...(json['metadata'] as Json), creationTimestamp: '2026-11-16T08:00:00Z' };
  return { family, json: { ...json, metadata } };
}

function named(release: Draft<'UpdateRun'>): Draft<'UpdateRun'> {
  const { family, json } = createdAtEight(release);
  return { family, json: { ...json, spec: { ...(json['spec'] as Json), resourceSnapshotIndex: '1' } } };
}

/** A wanted way back: it names the older snapshot. */
const rollback = named(prepared);

const takesBack =
  (what: string) =>
  (scope: Scope): readonly Expected[] => [
    {
      path: 'spec.state',
      message: `the run takes ${what}`,
      fix: [
        'If the clusters are to go back, say so with a new run that names the index, such as this; in any case delete this one.',
        ...rolloutLines(scope, 'release-2', 'resourceSnapshotIndex: "1"', 'state: Run'),
        `# kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'clusters with the same snapshot, an older one or none': {
      change: start(prepared),
      fleet: [bound('eu', 1), bound('us', 0), binding('ap')],
    },
    'indices of several digits, which are numbers and no texts': {
      change: start(updatedBy('10', [], ['eu'], [initialized])),
      fleet: [bound('eu', 9)],
    },
    'a new run with an explicit index, which is how to roll back': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '1' } })),
      fleet: [bound('eu', 2)],
    },
    'a run that names the older snapshot, created when the newer one was there': {
      change: start(rollback),
      fleet: ['eu', 'us', 'ap'].map((name) => bound(name, 2, { rolledOutAt: '2026-11-16T07:00:00Z' })),
    },
    'the same run when it goes on half-way': {
      change: stopped(named(updatedBy('1', ['eu'], ['us', 'ap']))),
      fleet: [bound('eu', 1), bound('us', 2, { rolledOutAt: '2026-11-16T07:59:59Z' }), binding('ap')],
    },
    'a cluster that is no part of the run': { change: start(prepared), fleet: [bound('af', 2)] },
    'a run that is not initialized': { change: start(run('release')), fleet: [bound('eu', 2)] },
    'a run that is over, which another rule tells': {
      change: start(updatedBy('1', [], ['eu'], [condition('Initialized', 'False')])),
      fleet: [bound('eu', 2)],
    },
    'what cannot be known': { change: start(prepared), knowledge: 'partial' },
  },
  rejects: {
    'a run that was prepared before a newer snapshot was rolled out': {
      change: start(prepared),
      fleet: [bound('eu', 2), bound('us', 2), bound('ap', 1)],
      findings: takesBack('2 clusters back to resource snapshot "1": "eu" and "us" have "2"'),
    },
    'a run that names the older snapshot, created before the newer one was rolled out': {
      change: start(rollback),
      fleet: [
        bound('eu', 2, { rolledOutAt: '2026-11-16T08:00:00Z' }),
        bound('us', 2, { rolledOutAt: 'yesterday' }),
        bound('ap', 2, { rolledOutAt: '2026-11-16T07:00:00Z' }),
      ],
      findings: takesBack('2 clusters back to resource snapshot "1": "eu" and "us" have "2"'),
    },
    'a run that names none, whenever it was created': {
      change: start(createdAtEight(prepared)),
      fleet: [bound('eu', 2, { rolledOutAt: '2026-11-16T07:00:00Z' })],
      findings: takesBack('1 cluster back to resource snapshot "1": "eu" has "2"'),
    },
    'a run that was stopped, with newer clusters ahead': {
      change: stopped(updatedBy('1', ['us'], ['eu'])),
      fleet: [bound('eu', 10), bound('us', 1)],
      findings: takesBack('1 cluster back to resource snapshot "1": "eu" has "10"'),
    },
  },
});
