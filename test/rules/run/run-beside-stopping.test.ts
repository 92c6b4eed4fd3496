import rule from '../../../src/rules/run/run-beside-stopping.js';
import { condition, creation, lateStart, run } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const path = 'spec.placementName';
const release = run('release');
const underWay = [{ clusterName: 'eu', conditions: [condition('Started', 'True')] }, { clusterName: 'us' }];

const other = (state: string, reason: string, more: { clusters?: object[]; spec?: object } = {}) =>
  run('earlier', {
    spec: { state, ...more.spec },
    status: {
      resourceSnapshotIndexUsed: '3',
      stagesStatus: [{ stageName: 'canary', clusters: more.clusters ?? underWay }],
      conditions: [condition('Initialized', 'True'), condition('Progressing', 'Unknown', reason)],
    },
  });
const both = 'until it has, both runs work on the same clusters';

const stopping =
  (message: string) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message,
      fix: [
        'Wait until run "earlier" has stopped, or delete it (nothing is rolled back), then try again.',
        `kubectl wait ${plural('UpdateRun')} earlier${flag} --for=condition=Progressing=False --timeout=30m`,
        `# or: kubectl delete ${plural('UpdateRun')} earlier${flag}`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'a run that has stopped': { change: creation(release), fleet: [other('Stop', 'UpdateRunStopped')] },
    'a run that is active, which another rule tells': {
      change: creation(release),
      fleet: [other('Run', 'UpdateRunProgressing')],
    },
    'a run of another placement': {
      change: creation(release),
      fleet: [other('Stop', 'UpdateRunStopping', { spec: { placementName: 'store' } })],
    },
    'a run that starts nothing': {
      change: creation(run('release', { spec: { state: 'Initialize' } })),
      fleet: [other('Stop', 'UpdateRunStopping')],
    },
    'a run that may be active beside it': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '3' } })),
      fleet: [other('Stop', 'UpdateRunStopping', { spec: { resourceSnapshotIndex: '3' } })],
      policy: { concurrency: 'compatible' },
    },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'a run that is stopping': {
      change: creation(release),
      fleet: [other('Stop', 'UpdateRunStopping')],
      findings: stopping(
        `run "earlier" has been told to stop, but has not stopped yet; it is still updating "eu" to resource snapshot "3": ${both}`,
      ),
    },
    'a run that is stopping and has no cluster under way, at the start of one that was prepared': {
      change: lateStart(release),
      fleet: [other('Stop', 'UpdateRunWaiting', { clusters: [] })],
      findings: stopping(`run "earlier" has been told to stop, but has not stopped yet: ${both}`),
    },
    'a run that is stuck and told to stop': {
      change: creation(release),
      fleet: [other('Stop', 'UpdateRunStuck')],
      findings: ({ plural, flag }) => [
        {
          path,
          message: `run "earlier" has been told to stop, but is stuck and does not stop by itself; it is still updating "eu" to resource snapshot "3": ${both}`,
          fix: [
            'See why run "earlier" hangs and put that right, or delete it (nothing is rolled back), then try again.',
            `kubectl describe ${plural('Placement')} shop${flag}`,
            `kubectl delete ${plural('UpdateRun')} earlier${flag}`,
          ].join('\n'),
        },
      ],
    },
  },
});
