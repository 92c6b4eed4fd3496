import rule from '../../../src/rules/run/run-finished.js';
import { condition, run, start, update, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { bound } from './rolled-out.js';
import { rolloutLines } from './run-lines.js';

type Json = Readonly<Record<string, unknown>>;

const path = 'spec.state';
const initialized = condition('Initialized', 'True');
const finished = { conditions: [initialized, condition('Succeeded', 'True')] };
const failed = {
  conditions: [
    initialized,
    condition('Succeeded', 'False', 'UpdateRunFailed', 'cannot continue the updateRun:\n  parent placement not found'),
  ],
};
const preempted = {
  ...failed,
  resourceSnapshotIndexUsed: '0',
  stagesStatus: [
    {
      stageName: 'canary',
      clusters: [
        { clusterName: 'eu', conditions: [condition('Started', 'True'), condition('Succeeded', 'True')] },
        { clusterName: 'us', conditions: [condition('Started', 'True'), condition('Succeeded', 'False')] },
      ],
    },
  ],
};
const neverInitialized = {
  conditions: [condition('Initialized', 'False', 'UpdateRunInitializedFailed', 'x'.repeat(300))],
};

function inState(state: string, status: Json, more: Json = {}): Draft {
  return run('release', { spec: { state, ...more }, status });
}

const reasonOfFailed = 'cannot continue the updateRun: parent placement not found';

function newRun(scope: Scope, name: string, index?: string): string {
  return [
    'Create a new run, for example this one.',
    ...rolloutLines(scope, name, ...(index === undefined ? [] : [`resourceSnapshotIndex: "${index}"`]), 'state: Run'),
  ].join('\n');
}

testRule(rule, {
  accepts: {
    'the start of an initialized run': { change: start(run('release', { status: { conditions: [initialized] } })) },
    'the start of a run that KubeFleet has not looked at yet': { change: start(run('release')) },
    'the resumption of a stopped run': {
      change: update(
        inState('Stop', { conditions: [initialized, condition('Progressing', 'False', 'UpdateRunStopped')] }),
        inState('Run', { conditions: [initialized, condition('Progressing', 'False', 'UpdateRunStopped')] }),
      ),
    },
    'the stop of a stuck run': {
      change: update(
        inState('Run', { conditions: [initialized, condition('Progressing', 'False', 'UpdateRunStuck')] }),
        inState('Stop', { conditions: [initialized, condition('Progressing', 'False', 'UpdateRunStuck')] }),
      ),
    },
    'a finished run that stays in its state': {
      change: update(
        inState('Run', finished),
        run('release', { metadata: { labels: { team: 'a' } }, status: finished }),
      ),
    },
    'a run that is being deleted': {
      change: start(run('release', { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' }, status: failed })),
    },
  },
  rejects: {
    'a run that failed because another has written to what it was updating, with the binding': {
      change: update(inState('Stop', preempted), inState('Run', preempted)),
      fleet: [bound('eu', 1), bound('us', 1)],
      findings: (scope) => [
        {
          path,
          message: `the run has failed, and KubeFleet does not start it again; it had lost binding "shop-us" of cluster "us", which has resource snapshot "1" by now; KubeFleet said: "${reasonOfFailed}"`,
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the start of a run that has failed, with a new run to paste': {
      change: update(inState('Stop', failed), inState('Run', failed)),
      findings: (scope) => [
        {
          path,
          message: `the run has failed, and KubeFleet does not start it again; KubeFleet said: "${reasonOfFailed}"`,
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the start of a run that could not be initialized, its reason cut short': {
      change: update(inState('Initialize', neverInitialized), inState('Run', neverInitialized)),
      findings: (scope) => [
        {
          path,
          message: `the run has failed, and KubeFleet does not start it again; KubeFleet said: "${'x'.repeat(253)} …"`,
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the start of a run that has finished, with an index and a name that nobody has': {
      change: update(
        inState('Stop', finished, { resourceSnapshotIndex: '3' }),
        inState('Run', finished, { resourceSnapshotIndex: '3' }),
      ),
      fleet: [run('release-2')],
      findings: (scope) => [
        {
          path,
          message: 'the run has finished, and KubeFleet does not start it again',
          fix: newRun(scope, 'release-3', '3'),
        },
      ],
    },
    'the start of a failed run whose neighbours nobody knows': {
      change: update(inState('Stop', failed), inState('Run', failed)),
      knowledge: 'partial',
      findings: (scope) => [
        {
          path,
          message: `the run has failed, and KubeFleet does not start it again; KubeFleet said: "${reasonOfFailed}"`,
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the start of a failed run whose reason holds words that would make Flux delete it': {
      change: start(
        run('release', { status: { conditions: [condition('Succeeded', 'False', 'Failed', 'spec is immutable')] } }),
      ),
      findings: (scope) => [
        {
          path,
          message: 'the run has failed, and KubeFleet does not start it again',
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the start of a failed run on a dry run too': {
      change: update(inState('Stop', failed), inState('Run', failed), { dryRun: true }),
      findings: (scope) => [
        {
          path,
          message: `the run has failed, and KubeFleet does not start it again; KubeFleet said: "${reasonOfFailed}"`,
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the stop of a run that has finished, softly': {
      change: update(inState('Run', finished), inState('Stop', finished)),
      findings: [
        {
          path,
          severity: 'warn',
          message: 'the run has finished: there is nothing left to stop',
          fix: 'Leave the run as it is.',
        },
      ],
    },
    'the stop of a run that has failed without a reason, softly': {
      change: update(
        inState('Run', { conditions: [condition('Succeeded', 'False')] }),
        inState('Stop', { conditions: [condition('Succeeded', 'False')] }),
      ),
      findings: [
        {
          path,
          severity: 'warn',
          message: 'the run has failed: there is nothing left to stop',
          fix: 'Leave the run as it is.',
        },
      ],
    },
  },
});
