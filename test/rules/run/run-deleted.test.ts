import rule from '../../../src/rules/run/run-deleted.js';
import { condition, deletion, run, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

type Json = Readonly<Record<string, unknown>>;

const begun = [condition('Started', 'True')];
const done = [...begun, condition('Succeeded', 'True')];
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

const begins = 'the rollout ends half-way and nothing is rolled back: ';

testRule(rule, {
  accepts: {
    'a run that has finished': {
      change: deletion(halfWay([cluster('a', done), cluster('b', done)], { end: condition('Succeeded', 'True') })),
    },
    'a run that has finished, whatever is left in its record': {
      change: deletion(halfWay([cluster('a', done), cluster('b')], { end: condition('Succeeded', 'True') })),
    },
    'a run that has not begun': { change: deletion(halfWay([cluster('a'), cluster('b')])) },
    'a run that was never initialized': { change: deletion(run('release')) },
    'a run that waits after its last cluster': { change: deletion(halfWay([cluster('a', done), cluster('b', done)])) },
    'a run that is going already': {
      change: deletion(
        halfWay([cluster('a', done), cluster('b')], { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } }),
      ),
    },
  },
  rejects: {
    'a run half-way': {
      change: deletion(halfWay([cluster('a', done), cluster('b', begun), cluster('c')])),
      findings: [
        {
          path: '',
          message: `${begins}"a" and "b" have resource snapshot "3"; "c" has what was there before`,
        },
      ],
    },
    'a run that has failed half-way': {
      change: deletion(halfWay([cluster('a', done), cluster('b')], { end: condition('Succeeded', 'False') })),
      findings: [{ path: '', message: `${begins}"a" has resource snapshot "3"; "b" has what was there before` }],
    },
    'a run with more clusters than a line can hold': {
      change: deletion(halfWay(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => cluster(name, name === 'a' ? done : [])))),
      findings: [
        {
          path: '',
          message: `${begins}"a" has resource snapshot "3"; "b", "c", "d" and 2 more have what was there before`,
        },
      ],
    },
    'a run that has yet to take resources away': {
      change: deletion(halfWay([cluster('a', done)], { deletion: [cluster('old', begun), cluster('older')] })),
      findings: [
        {
          path: '',
          message: `${begins}"a" has resource snapshot "3"; "older" still has the resources that were to be removed`,
        },
      ],
    },
  },
});
