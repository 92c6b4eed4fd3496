import rule from '../../../src/rules/run/run-latest-snapshot.js';
import { creation, placement, resourceSnapshot, run, lateStart, snapshotMaster } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const latest = (index: number, of = 'shop', more: object = {}) =>
  resourceSnapshot(index, {
    of,
    metadata: {
      ...more,
      labels: {
        'kubernetes-fleet.io/parent-CRP': of,
        'kubernetes-fleet.io/resource-index': String(index),
        'kubernetes-fleet.io/is-latest-snapshot': 'true',
      },
    },
  });

/** The latest snapshot, on which KubeFleet has noted that the resources are no longer those. */
const noted = (at: string, more: object = {}) =>
  latest(3, 'shop', {
    annotations: {
      'kubernetes-fleet.io/resource-hash': 'abc',
      'kubernetes-fleet.io/number-of-resource-snapshots': '1',
      'kubernetes-fleet.io/next-resource-snapshot-candidate-detection-time': at,
    },
    ...more,
  });

const unnoted = (from = '09:00:15') =>
  `if the resources have changed since snapshot "3", this run may still roll out "3"; KubeFleet takes a new snapshot at ${from} UTC or later`;
const mayBeOld =
  (advice: string, name = ' release', what = `: ${unnoted()}`) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'spec.resourceSnapshotIndex',
      message: `no index is set${what}${advice}`,
      fix: [
        'Create the run with state Initialize and check with this command which snapshot it takes. If it is "3" although the resources have changed, delete the run and create it again 30 seconds later.',
        `kubectl get ${plural('UpdateRun')}${name}${flag} -o custom-columns=NAME:.metadata.name,SNAPSHOT:.status.resourceSnapshotIndexUsed`,
      ].join('\n'),
    },
  ];
const changedAt = (time: string) =>
  `, and the resources have changed since snapshot "3": KubeFleet takes a new snapshot at ${time} UTC, and until then rolls out "3"`;
const advice = '; create it with state Initialize to see which one it takes';

testRule(rule, {
  accepts: {
    'a run of an index': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '3' } })),
      fleet: [placement(), latest(3)],
    },
    'the first run of a placement': { change: creation(release), fleet: [placement()] },
    'a latest snapshot of another placement': { change: creation(release), fleet: [placement(), latest(3, 'store')] },
    'snapshots of which none is the latest': { change: creation(release), fleet: [placement(), resourceSnapshot(3)] },
    'a latest snapshot that cannot be read, which another rule tells': {
      change: creation(release),
      fleet: [placement(), snapshotMaster(3, { 'number-of-resource-snapshots': '1' })],
    },
    'a placement that does not exist, which another rule tells': { change: creation(release), fleet: [latest(3)] },
    'the start of a run, which has its snapshot': { change: lateStart(release), fleet: [placement(), latest(3)] },
    'a change that KubeFleet has noted 15 seconds ago, which this run rolls out': {
      change: creation(release),
      fleet: [placement(), noted('2026-11-16T08:59:45Z')],
    },
    'a KubeFleet that takes whichever snapshot is the latest': {
      change: creation(release),
      fleet: [placement(), latest(3)],
      policy: { kubefleet: { version: 'v0.2.2' } },
    },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'a run without an index where there is a snapshot': {
      change: creation(release),
      fleet: [placement(), resourceSnapshot(2), latest(3)],
      findings: mayBeOld(advice),
    },
    'an empty index, which is none': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '' } })),
      fleet: [placement(), latest(3)],
      findings: mayBeOld(advice),
    },
    'a run that is created with state Initialize, as one should': {
      change: creation(run('release', { spec: { state: 'Initialize' } })),
      fleet: [placement(), latest(3)],
      findings: mayBeOld(''),
    },
    'a run that starts at once, as firmly as the operator wants': {
      change: creation(release),
      fleet: [placement(), latest(3)],
      policy: { rules: { 'run-latest-snapshot': 'deny' } },
      findings: (scope) => mayBeOld(advice)(scope).map((found) => ({ ...found, severity: 'deny' })),
    },
    'a run with state Initialize, softly even where the operator refuses others': {
      change: creation(run('release', { spec: { state: 'Initialize' } })),
      fleet: [placement(), latest(3)],
      policy: { rules: { 'run-latest-snapshot': 'deny' } },
      findings: mayBeOld(''),
    },
    'a snapshot of a moment ago, after which the next is made to wait': {
      change: creation(release),
      fleet: [placement(), latest(3, 'shop', { creationTimestamp: '2026-11-16T08:59:50Z' })],
      findings: mayBeOld(advice, ' release', `: ${unnoted('09:00:20')}`),
    },
    'a change that KubeFleet has noted less than 15 seconds ago': {
      change: creation(release),
      fleet: [placement(), noted('2026-11-16T10:59:46+02:00')],
      findings: mayBeOld(advice, ' release', changedAt('09:00:01')),
    },
    'a change that was noted on a snapshot of a moment ago': {
      change: creation(release),
      fleet: [placement(), noted('2026-11-16T08:59:40Z', { creationTimestamp: '2026-11-16T08:59:35Z' })],
      findings: mayBeOld(advice, ' release', changedAt('09:00:05')),
    },
    'a note that is no time, which KubeFleet writes anew': {
      change: creation(release),
      fleet: [placement(), noted('yesterday')],
      findings: mayBeOld(advice),
    },
    'a run whose name is not made yet': {
      change: creation(run('', { metadata: { generateName: 'release-' } })),
      fleet: [placement(), latest(3)],
      findings: mayBeOld(advice, ''),
    },
  },
});
