import { expect, test } from '@jest/globals';
import { warningText } from '../../../src/engine/message.js';
import rule from '../../../src/rules/run/run-deleted.js';
import { condition, deletion, run, type Draft } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';

type Json = Readonly<Record<string, unknown>>;

const begun = [condition('Started', 'True')];
const done = [...begun, condition('Succeeded', 'True')];
const failed = [...begun, condition('Succeeded', 'False', 'ClusterUpdatingFailed')];
const initialized = condition('Initialized', 'True');

function cluster(clusterName: string, conditions: readonly object[] = []): Json {
  return { clusterName, conditions };
}

function halfWay(
  clusters: readonly Json[],
  more: { end?: object; deletion?: readonly Json[]; metadata?: Json } = {},
): Draft {
  return run('release', {
    metadata: more.metadata ?? {},
    status: {
      resourceSnapshotIndexUsed: '3',
      conditions: [initialized, ...(more.end ? [more.end] : [])],
      stagesStatus: [
        { stageName: 'canary', clusters: clusters.slice(0, 1) },
        { stageName: 'prod', clusters: clusters.slice(1) },
      ],
      deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: more.deletion ?? [] },
    },
  });
}

const said = (...messages: readonly string[]): readonly Expected[] =>
  messages.map((message) => ({ path: '', message }));

/** Names of ordinary length, of which few fit into a warning. */
const platform = 'gke-acme-platform-production-europe-west';
const four = `"${platform}-0", "${platform}-1", "${platform}-2" and "${platform}-3"`;
const lastFour = four.replaceAll('platform', 'payments');
const updatedLong = `nothing is rolled back, so 4 clusters keep resource snapshot "3": ${four}`;
const waitingLong = `nothing more is rolled out, so 4 clusters keep what was there before: ${lastFour}`;

test('what a warning loses that is too long is names', () => {
  const [updated, waiting] = [updatedLong, waitingLong].map((message) => warningText(`[run-deleted] ${message}`));
  expect(updated).toMatch(/so 4 clusters keep resource snapshot "3": "gke.*"gke.*"gke.*…$/);
  expect(waiting).toMatch(/so 4 clusters keep what was there before: "gke.*"gke.*"gke.*…$/);
});

testRule(rule, {
  accepts: {
    'a run that has finished': {
      change: deletion(halfWay([cluster('a', done), cluster('b', done)], { end: condition('Succeeded', 'True') })),
    },
    'a run that has finished, whatever is left in its record': {
      change: deletion(halfWay([cluster('a', done), cluster('b')], { end: condition('Succeeded', 'True') })),
    },
    'a run that has not begun': { change: deletion(halfWay([cluster('a'), cluster('b')])) },
    'a run that has not begun, by what its clusters say': {
      change: deletion(
        halfWay([cluster('a', [condition('Started', 'False')]), cluster('b', [condition('Started', 'Unknown')])]),
      ),
    },
    'a run that was never initialized': { change: deletion(run('release')) },
    'a run that waits after its last cluster': { change: deletion(halfWay([cluster('a', done), cluster('b', done)])) },
    'a run that takes resources away from its last cluster': {
      change: deletion(halfWay([cluster('a', done)], { deletion: [cluster('old', begun)] })),
    },
    'a run that has yet to begin to take resources away': {
      change: deletion(halfWay([], { deletion: [cluster('old'), cluster('older')] })),
    },
    'a run that is going already': {
      change: deletion(
        halfWay([cluster('a', done), cluster('b')], { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } }),
      ),
    },
  },
  rejects: {
    'a run half-way': {
      change: deletion(halfWay([cluster('a', done), cluster('b', begun), cluster('c')])),
      findings: said(
        'nothing is rolled back, so 2 clusters keep resource snapshot "3": "a" and "b"',
        'nothing more is rolled out, so 1 cluster keeps what was there before: "c"',
      ),
    },
    'a run that has failed half-way': {
      change: deletion(halfWay([cluster('a', done), cluster('b')], { end: condition('Succeeded', 'False') })),
      findings: said(
        'nothing is rolled back, so 1 cluster keeps resource snapshot "3": "a"',
        'nothing more is rolled out, so 1 cluster keeps what was there before: "b"',
      ),
    },
    'a run half-way, by clusters of which it is sure that they were begun': {
      change: deletion(
        halfWay([
          cluster('a', done),
          cluster('b', [condition('Started', 'False')]),
          cluster('c', [condition('Started', 'Unknown')]),
        ]),
      ),
      findings: said(
        'nothing is rolled back, so 1 cluster keeps resource snapshot "3": "a"',
        'nothing more is rolled out, so 2 clusters keep what was there before: "b" and "c"',
      ),
    },
    'a run that has failed at a cluster, of which nobody knows then what it has': {
      change: deletion(
        halfWay([cluster('a', done), cluster('b', failed), cluster('c')], { end: condition('Succeeded', 'False') }),
      ),
      findings: said(
        'nothing is rolled back, so 1 cluster keeps resource snapshot "3": "a"',
        'nothing more is rolled out, so 1 cluster keeps what was there before: "c"',
        'the update of 1 cluster failed, so the run does not know what is there now: "b"',
      ),
    },
    'a run that has failed at its last clusters': {
      change: deletion(halfWay([cluster('a', failed), cluster('b', failed)], { end: condition('Succeeded', 'False') })),
      findings: said('the update of 2 clusters failed, so the run does not know what is there now: "a" and "b"'),
    },
    'a run with more clusters than a line can hold': {
      change: deletion(
        halfWay('a b c d e f g h i j k l m'.split(' ').map((name) => cluster(name, name === 'a' ? done : []))),
      ),
      findings: said(
        'nothing is rolled back, so 1 cluster keeps resource snapshot "3": "a"',
        'nothing more is rolled out, so 12 clusters keep what was there before: "b", "c", "d", "e", "f", "g", "h", "i", "j", "k" and 2 more',
      ),
    },
    'a run of clusters with long names': {
      change: deletion(
        halfWay([
          ...[0, 1, 2, 3].map((index) => cluster(`${platform}-${String(index)}`, done)),
          ...[0, 1, 2, 3].map((index) => cluster(`${platform.replace('platform', 'payments')}-${String(index)}`)),
        ]),
      ),
      findings: said(updatedLong, waitingLong),
    },
    'a run that has yet to take resources away': {
      change: deletion(halfWay([cluster('a', done)], { deletion: [cluster('old', begun), cluster('older')] })),
      findings: said(
        'nothing is rolled back, so 1 cluster keeps resource snapshot "3": "a"',
        'nothing will be removed any more, so 1 cluster keeps the resources that were to go: "older"',
      ),
    },
    'a run that only takes resources away, half-way': {
      change: deletion(halfWay([], { deletion: [cluster('old', begun), cluster('older'), cluster('oldest')] })),
      findings: said(
        'nothing will be removed any more, so 2 clusters keep the resources that were to go: "older" and "oldest"',
      ),
    },
  },
});
