import type { Derived } from '../diagnosis-table.js';
import type { HubEdits } from '../hub-edits.js';

const approval = { state: 'waiting for an approval', health: 'waiting', from: 'waits-for-approval-after' } as const;
const wait = { state: 'waiting for a time to pass', health: 'waiting', from: 'timed-wait' } as const;
const approved = 'status.conditions[Approved]';
const task = 'status.stagesStatus[canary].afterStageTaskStatus';

/** The gate that stands open after a stage stands before it, and no cluster of the stage has begun. */
function beforeStage(hub: HubEdits): void {
  const [run, strategy] = [hub.run, 'status.stagedUpdateStrategySnapshot.stages[canary]'];
  const request = hub.request;
  const name = String(request.at('metadata.name')).replace(/-after-(?=[a-z]+$)/, '-before-');
  run.set(`${strategy}.beforeStageTasks`, [{ type: 'Approval' }]).drop(`${strategy}.afterStageTasks`);
  run.set('status.stagesStatus[canary].beforeStageTaskStatus', run.at(task)).drop(task);
  run.set('status.stagesStatus[canary].beforeStageTaskStatus[Approval].approvalRequestName', name);
  run.set('status.stagesStatus[canary].clusters', [{ clusterName: 'eu-can-1' }, { clusterName: 'us-can-1' }]);
  hub.copy(request, name);
  hub.remove(request);
}

/** Runs that wait for people, or for time to pass. */
export const gateStates: Readonly<Record<string, Derived>> = {
  'an approval before a stage is asked for': {
    ...approval,
    edit: beforeStage,
    cause: /nobody has approved "waits-for-approval-after-release-before-canary", the gate before stage "canary"/,
    fix: /kubectl patch (?:cluster)?approvalrequests waits-for-approval-after-release-before-canary/,
  },
  'it was approved a moment ago': {
    ...approval,
    edit: (hub) => {
      hub.request.says(approved, 'True', { at: '2026-11-18T11:00:01Z' });
    },
    cause: /was approved 4s ago; KubeFleet goes on within a minute/,
    evidence: /ApprovalRequest status\.conditions\[Approved\]/,
    never: /hub agent may be down/,
  },
  'it was approved and accepted an hour ago, and the run does not go on': {
    ...approval,
    at: '2026-11-18T12:30:00Z',
    edit: (hub) => {
      hub.request
        .says(approved, 'True', { at: '2026-11-18T11:00:10Z' })
        .says('status.conditions[ApprovalAccepted]', 'True', { at: '2026-11-18T11:00:11Z' });
    },
    health: 'wrong',
    cause: /was approved 1h 29m ago; KubeFleet has not gone on since, so its hub agent may be down/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'it was accepted, and the approval taken back': {
    ...approval,
    edit: (hub) => {
      hub.request
        .says(approved, 'False', { at: '2026-11-18T11:00:03Z' })
        .says('status.conditions[ApprovalAccepted]', 'True', { at: '2026-11-18T11:00:02Z' });
    },
    cause: /was approved.*goes on/,
    never: /takes that for no answer/,
  },
  'it was approved without an observedGeneration': {
    ...approval,
    edit: (hub) => {
      hub.request.says(approved, 'True').drop(`${approved}.observedGeneration`);
    },
    health: 'wrong',
    cause: /is approved, but with no observedGeneration/,
    evidence: /ApprovalRequest status\.conditions\[Approved\]\.observedGeneration/,
    fix: /"observedGeneration":1/,
  },
  'it was answered with Unknown': {
    ...approval,
    edit: (hub) => {
      hub.request.says(approved, 'Unknown', { message: 'not yet' });
    },
    health: 'wrong',
    cause: /answered with Approved=Unknown \("not yet"\)/,
  },
  'it was answered with a condition of another name': {
    ...approval,
    edit: (hub) => {
      hub.request.says('status.conditions[approved]', 'True');
    },
    health: 'wrong',
    cause: /answered with condition approved.*Approved/,
    evidence: /ApprovalRequest status\.conditions\[approved\]/,
    fix: /kubectl patch (?:cluster)?approvalrequests \S+-after-canary/,
  },
  'the request is for another stage': {
    ...approval,
    edit: (hub) => {
      hub.request.set('spec.targetStage', 'prod');
    },
    health: 'wrong',
    cause: /was made for stage "prod".*give the run up|give the run up.*was made for/,
    evidence: /ApprovalRequest spec\.targetStage/,
    fix: /kubectl delete (?:cluster)?approvalrequests/,
  },
  'an approval and a wait stand open together': {
    ...approval,
    edit: (hub) => {
      const planned = 'status.stagedUpdateStrategySnapshot.stages[canary].afterStageTasks';
      hub.run.set(planned, [{ type: 'TimedWait', waitTime: '10m' }, { type: 'Approval' }]);
      hub.run.set(task, [{ type: 'TimedWait' }, hub.run.at(`${task}[Approval]`)]);
    },
    also: /the wait of 10m after stage "canary" ends at 2026-11-18 11:10:04 UTC, in 9m 59s/,
    fix: /kubectl patch (?:cluster)?approvalrequests/,
  },
  'the wait is over, and the approval is not given': {
    ...approval,
    edit: (hub) => {
      const planned = 'status.stagedUpdateStrategySnapshot.stages[canary].afterStageTasks';
      hub.run.set(planned, [{ type: 'TimedWait', waitTime: '10m' }, { type: 'Approval' }]);
      hub.run.set(task, [{ type: 'TimedWait' }, hub.run.at(`${task}[Approval]`)]);
      hub.run.says(`${task}[TimedWait].conditions[WaitTimeElapsed]`, 'True');
    },
    cause: /nobody has approved/,
    never: /the wait of/,
  },
  'the run was stopped while the gate stood open, and approved since': {
    ...approval,
    state: 'stopped',
    edit: (hub) => {
      hub.run.set('spec.state', 'Stop').says('status.conditions[Progressing]', 'False', { reason: 'UpdateRunStopped' });
      hub.request.says(approved, 'True');
    },
    cause: /somebody has stopped the run/,
    also: /"waits-for-approval-after-release-after-canary".* approved .*when the run is resumed/,
    fix: /"Run"/,
  },
  'the approval is given, and the run has moved on to the next stage': {
    ...approval,
    state: 'under way',
    health: 'well',
    edit: (hub) => {
      hub.request.says(approved, 'True');
      hub.run
        .says(`${task}[Approval].conditions[ApprovalRequestApproved]`, 'True')
        .says('status.stagesStatus[canary].conditions[Succeeded]', 'True')
        .says('status.conditions[Progressing]', 'True', { reason: 'UpdateRunProgressing', at: '2026-11-18T11:00:04Z' });
    },
    never: /approv/,
  },
  'the wait is over by seconds': {
    ...wait,
    at: '2026-11-18T11:59:40Z',
    edit: () => undefined,
    cause: /was over at 2026-11-18 11:59:19 UTC; KubeFleet looks every minute/,
  },
  'the clock of whoever looks is behind': {
    ...wait,
    at: '2026-11-18T10:30:00Z',
    edit: () => undefined,
    cause: /ends at 2026-11-18 11:59:19 UTC, in 1h 29m/,
    never: / -\d/,
  },
  'the wait has no time': {
    ...wait,
    edit: (hub) => {
      hub.run.drop('status.stagedUpdateStrategySnapshot.stages[staging].afterStageTasks[0].waitTime');
    },
    cause: /the wait after stage "staging" is not over/,
  },
  'a wait of no time at all': {
    ...wait,
    edit: (hub) => {
      hub.run.set('status.stagedUpdateStrategySnapshot.stages[staging].afterStageTasks[0].waitTime', '0s');
    },
    cause: /the wait of 0s after stage "staging" was over at/,
  },
  'the strategy was edited while the run waits, which does nothing to it': {
    ...wait,
    edit: (hub) => {
      hub.strategy.set('spec.stages[staging].labelSelector', { matchLabels: { env: 'other' } });
    },
    cause: /ends at 2026-11-18 11:59:19 UTC/,
    never: /strategy/,
  },
  'the strategy was deleted while the run waits, which does nothing to it': {
    ...wait,
    edit: (hub) => {
      hub.remove(hub.strategy);
    },
    cause: /ends at 2026-11-18 11:59:19 UTC/,
    never: /strategy/,
  },
  'the placement was taken off External while the run waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.placement.set('spec.strategy', { type: 'RollingUpdate' });
    },
    cause: /give the run up when it next looks: .*RollingUpdate/,
    fix: /External/,
  },
  'the policy of the placement was changed while the run waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.policySnapshot
        .set('metadata.name', 'plc-timed-wait-1')
        .set(['metadata', 'labels', 'kubernetes-fleet.io/policy-index'], '1');
      for (const name of ['eu-can-1', 'eu-prod-1', 'eu-stg-1', 'us-can-1', 'us-prod-1'])
        hub.binding(name).set('spec.schedulingPolicySnapshotName', 'plc-timed-wait-1');
    },
    cause: /give the run up when it next looks: .*policy/,
    fix: /[Cc]reate a new (?:run|one)/,
  },
  'the way in which the placement applies was changed while the run waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.placement.set('spec.strategy.applyStrategy', { type: 'ServerSideApply' });
    },
    cause: /give the run up when it next looks: .*applyStrategy/,
  },
  'a cluster was given the labels of another stage while the run waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.member('us-can-1').set('metadata.labels.env', 'prod');
    },
    cause: /give the run up when it next looks: .*"us-can-1"/,
    fix: /[Cc]reate a new (?:run|one)|kubectl label/,
  },
  'a cluster lost its labels while the run waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.member('us-can-1').drop('metadata.labels.env');
    },
    cause: /give the run up when it next looks: .*"us-can-1"/,
  },
  'another run of the placement was started while this one waits': {
    ...wait,
    health: 'wrong',
    edit: (hub) => {
      hub.copy(hub.run, 'hotfix').set('status.resourceSnapshotIndexUsed', '1');
    },
    cause: /"hotfix"/,
  },
};
