import rule from '../../../src/rules/run/run-stop-effect.js';
import { condition, creation, run, update, type ChangeDraft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

type Json = Readonly<Record<string, unknown>>;
const path = 'spec.state';
const done = condition('Succeeded', 'True');
const started = condition('Started', 'True');
const clusterOf = (clusterName: string, ...conditions: readonly Json[]): Json => ({ clusterName, conditions });
const stageOf = (stageName: string, clusters: readonly Json[], more: Json = {}): Json => ({
  stageName,
  clusters,
  conditions: [condition('Progressing', 'True')],
  ...more,
});
const status = (stages: readonly Json[], more: Json = {}): Json => ({
  conditions: [condition('Initialized', 'True'), condition('Progressing', 'True')],
  stagesStatus: stages,
  ...more,
});
const stuck = { conditions: [condition('Initialized', 'True'), condition('Progressing', 'False', 'UpdateRunStuck')] };
const becomes = (from: string, to: string, of: Json): ChangeDraft =>
  update(run('release', { status: of, spec: { state: from } }), run('release', { status: of, spec: { state: to } }));
const stop = (of: Json): ChangeDraft => becomes('Run', 'Stop', of);
const resume = (of: Json): ChangeDraft => becomes('Stop', 'Run', of);

const half = stageOf('canary', [clusterOf('eu', started, done), clusterOf('us', started), clusterOf('asia')]);
const full = [clusterOf('eu', started, done)];
const wait = (...conditions: readonly Json[]): Json => ({ afterStageTaskStatus: [{ type: 'TimedWait', conditions }] });
const removal = (...conditions: readonly Json[]): Json => ({
  deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [clusterOf('old')], conditions },
});

testRule(rule, {
  accepts: {
    'a stop between two clusters': { change: stop(status([stageOf('canary', full)])) },
    'a stop before the removal has begun': { change: stop(status([stageOf('canary', full)], removal())) },
    'a stop after the removal is done': { change: stop(status([stageOf('canary', full)], removal(done))) },
    'a stop of a run that is not initialized': { change: stop({ conditions: [] }) },
    'a stop of a run that has failed, which another rule tells': {
      change: stop(status([half], { conditions: [condition('Succeeded', 'False')] })),
    },
    'a first start': {
      change: becomes('Initialize', 'Run', status([stageOf('canary', [clusterOf('eu')], { conditions: [] })])),
    },
    'a resumption before the wait has begun': { change: resume(status([{ ...half, ...wait() }])) },
    'a resumption after the wait': {
      change: resume(status([stageOf('canary', full, wait(condition('WaitTimeElapsed', 'True')))])),
    },
    'a resumption after the stage': {
      change: resume(status([stageOf('canary', full, { ...wait(), conditions: [done] })])),
    },
    'a resumption at an approval': {
      change: resume(status([stageOf('canary', full, { afterStageTaskStatus: [{ type: 'Approval' }] })])),
    },
    'a start, which is no resumption': {
      change: becomes('Initialize', 'Run', status([stageOf('canary', full, wait())])),
    },
    'a creation': { change: creation(run('release', { spec: { state: 'Stop' } })) },
  },
  rejects: {
    'a stop during the update of a cluster': {
      change: stop(status([half])),
      findings: [{ path, message: 'the update of "us" goes on to its end; no other cluster is started' }],
    },
    'a stop of a stuck run': {
      change: stop(status([half], stuck)),
      findings: [{ path, message: 'the run is stuck on "us": it does not stop until the cause is fixed' }],
    },
    'a stop of a stuck run that does not say where': {
      change: stop(status([], stuck)),
      findings: [{ path, message: 'the run is stuck: it does not stop until the cause is fixed' }],
    },
    'a stop during the removal': {
      change: stop(status([stageOf('canary', full)], removal(condition('Progressing', 'True')))),
      findings: [
        {
          path,
          message:
            'the run is taking resources away from clusters: what has begun goes on, and it does not come to a stop while some of them still have the resources',
        },
      ],
    },
    'a resumption in the middle of a wait': {
      change: resume(status([stageOf('canary', full, wait(condition('WaitTimeElapsed', 'False')))])),
      findings: [
        {
          path,
          message: 'the timed wait after stage "canary" starts again from zero',
          fix: 'Reckon with the whole wait once more.',
        },
      ],
    },
  },
});
