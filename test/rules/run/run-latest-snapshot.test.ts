import rule from '../../../src/rules/run/run-latest-snapshot.js';
import { creation, placement, resourceSnapshot, run, start } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const latest = (index: number, of = 'shop') =>
  resourceSnapshot(index, {
    of,
    metadata: {
      labels: {
        'kubernetes-fleet.io/parent-CRP': of,
        'kubernetes-fleet.io/resource-index': String(index),
        'kubernetes-fleet.io/is-latest-snapshot': 'true',
      },
    },
  });

const mayBeOld =
  (advice: string, name = ' release') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'spec.resourceSnapshotIndex',
      message: `no index is set: if the resources have changed since snapshot "3", the first run may still roll out "3"${advice}`,
      fix: [
        'Create the run with state Initialize and see which snapshot it takes. If that is "3" although the resources have changed, delete the run and create it again 30 seconds later.',
        `kubectl get ${plural('UpdateRun')}${name}${flag} -o custom-columns=NAME:.metadata.name,SNAPSHOT:.status.resourceSnapshotIndexUsed`,
      ].join('\n'),
    },
  ];
const advice = '; create it with state Initialize to see which it takes';

testRule(rule, {
  accepts: {
    'a run of an index': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '3' } })),
      fleet: [placement(), latest(3)],
    },
    'the first run of a placement': { change: creation(release), fleet: [placement()] },
    'a latest snapshot of another placement': { change: creation(release), fleet: [placement(), latest(3, 'store')] },
    'snapshots of which none is the latest': { change: creation(release), fleet: [placement(), resourceSnapshot(3)] },
    'a placement that does not exist, which another rule tells': { change: creation(release), fleet: [latest(3)] },
    'the start of a run, which has its snapshot': { change: start(release), fleet: [placement(), latest(3)] },
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
    'a run whose name is not made yet': {
      change: creation(run('', { metadata: { generateName: 'release-' } })),
      fleet: [placement(), latest(3)],
      findings: mayBeOld(advice, ''),
    },
  },
});
