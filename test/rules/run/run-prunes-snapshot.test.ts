import rule from '../../../src/rules/run/run-prunes-snapshot.js';
import {
  condition,
  creation,
  lateStart,
  placement,
  resourceSnapshot,
  run,
  snapshotPart,
  type Draft,
} from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const path = 'spec.resourceSnapshotIndex';
const keeping = (revisionHistoryLimit: number): Draft => placement('shop', { spec: { revisionHistoryLimit } });
const holding = (index: string, more: Json = {}, name = 'older'): Draft =>
  run(name, {
    spec: { state: 'Initialize' },
    status: {
      resourceSnapshotIndexUsed: index,
      stagesStatus: [{ stageName: 'canary', clusters: [{ clusterName: 'eu' }] }],
      conditions: [condition('Initialized', 'True')],
      ...more,
    },
  });
const updated = {
  stagesStatus: [
    { stageName: 'canary', clusters: [{ clusterName: 'eu', conditions: [condition('Succeeded', 'True')] }] },
  ],
};
const release = run('release');

const loses =
  (index: string, limit: number) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message: `if the resources have changed, this run removes resource snapshot "${index}" from under run "older" (initialized but not started, 0 of 1 cluster updated), which then gets stuck`,
      fix: [
        'Let the other run finish first, or have the placement keep more snapshots.',
        `kubectl patch ${plural('Placement')} shop${flag} --type=merge -p '{"spec":{"revisionHistoryLimit":${String(limit)}}}'`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'a snapshot for which there is room': {
      change: creation(release),
      fleet: [keeping(2), resourceSnapshot(1), holding('1')],
    },
    'the default, which keeps ten': {
      change: creation(release),
      fleet: [placement(), ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => resourceSnapshot(index)), holding('1')],
    },
    'a run of an index, which makes no snapshot': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '1' } })),
      fleet: [keeping(1), resourceSnapshot(1), holding('1')],
    },
    'a run that has no cluster left to update': {
      change: creation(release),
      fleet: [keeping(1), resourceSnapshot(1), holding('1', updated)],
    },
    'a run that is over': {
      change: creation(release),
      fleet: [
        keeping(1),
        resourceSnapshot(1),
        holding('1', { conditions: [condition('Initialized', 'True'), condition('Succeeded', 'False')] }),
      ],
    },
    'a run that is not initialized': {
      change: creation(release),
      fleet: [keeping(1), resourceSnapshot(1), holding('1', { conditions: [] })],
    },
    'a run of another snapshot': {
      change: creation(release),
      fleet: [keeping(2), resourceSnapshot(1), resourceSnapshot(2), holding('2')],
    },
    'a start, which makes no snapshot': {
      change: lateStart(release),
      fleet: [keeping(1), resourceSnapshot(1), holding('1')],
    },
    'a version in which runs make no snapshots': {
      change: creation(release),
      fleet: [keeping(1), resourceSnapshot(1), holding('1')],
      policy: { kubefleet: { version: 'v0.2.2' } },
    },
    'a placement that does not exist, which another rule tells': { change: creation(release) },
  },
  rejects: {
    'the only snapshot that is kept': {
      change: creation(release),
      fleet: [keeping(1), resourceSnapshot(1), holding('1')],
      findings: loses('1', 2),
    },
    'the oldest that is kept, in parts': {
      change: creation(release),
      fleet: [keeping(2), resourceSnapshot(9), snapshotPart(9, 0), resourceSnapshot(10), holding('9')],
      findings: loses('9', 3),
    },
    'the oldest by default': {
      change: creation(release),
      fleet: [placement(), ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((index) => resourceSnapshot(index)), holding('1')],
      findings: loses('1', 11),
    },
    'one that a thousand runs hold, told of the first': {
      change: creation(release),
      fleet: [
        keeping(1),
        resourceSnapshot(1),
        ...Array.from({ length: 1000 }, (_, index) => holding('1', {}, `older-${String(index).padStart(3, '0')}`)),
      ],
      findings: (scope) =>
        ['000', '001', '002', '003', '004'].flatMap((number) =>
          loses(
            '1',
            2,
          )(scope).map((finding) => ({
            ...finding,
            message: finding.message.replace('"older"', `"older-${number}"`),
          })),
        ),
    },
  },
});
