import rule from '../../../src/rules/run/run-resume-mixes-versions.js';
import {
  binding,
  condition,
  creation,
  lateStart,
  run,
  start,
  update,
  type Draft,
  type Json,
} from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { bound, initialized, overrideFields, stopped, updatedBy } from './rolled-out.js';
import { rolloutLines } from './run-lines.js';

const release = updatedBy('0', ['eu'], ['us', 'ap']);

/** The overrides of the cluster that it has updated. */
function withOverrides(...overrides: readonly string[]): Draft<'UpdateRun'> {
  const { family, json } = updatedBy('0', ['eu'], ['us']);
  const status = json['status'] as { stagesStatus: [{ clusters: Json[] }] };
  const [{ clusters }] = status.stagesStatus;
  const given = clusters.map((one, at) => (at === 0 ? { ...one, ...overrideFields(overrides) } : one));
  return { family, json: { ...json, status: { ...status, stagesStatus: [{ stageName: 'canary', clusters: given }] } } };
}

const message = (clusters: string, what: string): string =>
  `${clusters} something else by now: ${what}; KubeFleet would leave that so, finish the other clusters, and report success with clusters on different versions`;

function newRun(scope: Scope, since: string | undefined, name = 'release-2'): string {
  return [
    'Create a new run, which takes all clusters to one resource snapshot, and delete this one. This one takes them to that of the old run:',
    ...rolloutLines(scope, name, 'resourceSnapshotIndex: "0"', 'state: Run'),
    `# kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
    ...(since === undefined ? [] : [`# To what was rolled out since: resourceSnapshotIndex: "${since}"`]),
  ].join('\n');
}

const mixed =
  (text: string, since: string | undefined, name?: string) =>
  (scope: Scope): readonly Expected[] => [{ path: 'spec.state', message: text, fix: newRun(scope, since, name) }];

testRule(rule, {
  accepts: {
    'a run that goes on where it stopped': {
      change: stopped(release),
      fleet: [bound('eu', 0), binding('us'), binding('ap')],
    },
    'a run whose clusters another run has brought to the same snapshot': {
      change: stopped(release),
      fleet: [bound('eu', 0), bound('us', 0), bound('ap', 0)],
    },
    'a run before its first cluster, wherever the clusters are': {
      change: stopped(updatedBy('0', [], ['eu', 'us'])),
      fleet: [bound('eu', 1), bound('us', 1)],
    },
    'a new run with an explicit index, which is how to roll back': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: [bound('eu', 1), bound('us', 1)],
    },
    'a stop': {
      change: update(release, { ...release, json: { ...release.json, spec: { state: 'Stop' } } }),
      fleet: [bound('eu', 1)],
    },
    'a cluster that the run has updated and that leaves the placement': {
      change: stopped(release),
      fleet: [bound('eu', 1, { state: 'Unscheduled' }), binding('us')],
    },
    'a binding that is on its way out beside the one that counts': {
      change: stopped(release),
      fleet: [bound('eu', 0), bound('eu', 1, { name: 'old', deletionTimestamp: '2026-11-16T08:00:00Z' })],
    },
    'a cluster that is bound twice, once as the run has left it': {
      change: stopped(release),
      fleet: [bound('eu', 0), bound('eu', 1, { name: 'again' })],
    },
    'clusters with the overrides that the run gave them': {
      change: stopped(withOverrides('replicas-0', 'team-a/images-2')),
      fleet: [bound('eu', 0, { overrides: ['replicas-0', 'team-a/images-2'] })],
    },
    'other overrides of clusters that the run has yet to update': {
      change: stopped(release),
      fleet: [bound('eu', 0), bound('us', 0, { overrides: ['replicas-0'] })],
    },
    'a run that is not initialized': { change: start(run('release')), fleet: [bound('eu', 1)] },
    'a run that has lost the index in its status, which another rule tells': {
      change: lateStart(run('release')),
      fleet: [bound('eu', 1)],
    },
    'a run that is over, which another rule tells': {
      change: stopped(updatedBy('0', ['eu'], [], [initialized, condition('Succeeded', 'False')])),
      fleet: [bound('eu', 1)],
    },
  },
  rejects: {
    'a cluster that another run has updated since': {
      change: stopped(release),
      fleet: [bound('eu', 1), bound('us', 1), bound('ap', 1), run('release-2')],
      findings: mixed(
        message('1 cluster that this run has updated to resource snapshot "0" has', '"eu" has "1"'),
        '1',
        'release-3',
      ),
    },
    'clusters with several other snapshots, and one that was bound anew': {
      change: stopped(updatedBy('0', ['eu', 'us', 'ap', 'af'], ['sa'])),
      fleet: [bound('eu', 1), bound('us', 12), bound('ap', 1), binding('af'), bound('sa', 12)],
      findings: mixed(
        message(
          '4 clusters that this run has updated to resource snapshot "0" have',
          '"af" has none, "ap" and "eu" have "1", "us" has "12"',
        ),
        '12',
      ),
    },
    'a cluster with the same snapshot and other overrides': {
      change: stopped(withOverrides('replicas-0')),
      fleet: [bound('eu', 0, { overrides: ['replicas-1'] }), binding('us')],
      findings: mixed(
        message(
          '1 cluster that this run has updated to resource snapshot "0" has',
          '"eu" has "0" with other overrides',
        ),
        '0',
      ),
    },
    'a cluster that has lost the overrides of a namespace': {
      change: stopped(withOverrides('team-a/replicas-0')),
      fleet: [bound('eu', 0)],
      findings: mixed(
        message(
          '1 cluster that this run has updated to resource snapshot "0" has',
          '"eu" has "0" with other overrides',
        ),
        '0',
      ),
    },
    'a cluster that is bound twice, never as the run has left it': {
      change: stopped(release),
      fleet: [bound('eu', 1), bound('eu', 2, { name: 'again' })],
      findings: mixed(
        message('1 cluster that this run has updated to resource snapshot "0" has', '"eu" has "2", "eu" has "1"'),
        '2',
      ),
    },
    'a cluster that was bound anew and has nothing': {
      change: stopped(release),
      fleet: [binding('eu'), binding('us')],
      findings: mixed(
        message('1 cluster that this run has updated to resource snapshot "0" has', '"eu" has none'),
        undefined,
      ),
    },
    'bindings that cannot be known': {
      change: stopped(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `the ${kind('Binding')}s of placement "shop"`),
    },
  },
});
