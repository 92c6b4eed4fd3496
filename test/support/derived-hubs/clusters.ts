import type { Derived } from '../diagnosis-table.js';
import type { HubEdits } from '../hub-edits.js';

const stuck = { state: 'stuck', health: 'wrong', from: 'stuck-not-available' } as const;
const applyFailed = { ...stuck, from: 'stuck-apply-failed' } as const;
const cluster = 'eu-stg-1';
const resource = { group: 'apps', version: 'v1', kind: 'Deployment', name: 'web', namespace: 'shop' };

/** The binding and the work of a cluster say what became of one resource there. */
function fails(hub: HubEdits, type: string, reason: string, message: string): void {
  const condition = { type, status: 'False', reason, message, lastTransitionTime: '2026-11-18T10:59:30Z' };
  hub.binding(cluster).set('status.failedPlacements', [{ ...resource, condition }]);
  hub.work(cluster).set('status.manifestConditions', [{ identifier: resource, conditions: [condition] }]);
}

/** The rollout has got as far as the overrides of the cluster, and no further. */
function notOverridden(hub: HubEdits, why: object): void {
  hub
    .binding(cluster)
    .set('status', {})
    .says('status.conditions[RolloutStarted]', 'True')
    .says('status.conditions[Overridden]', 'False', why);
}

/** The work stands on the hub, and the member agent has not said a word about it. */
function unheard(hub: HubEdits): void {
  hub.work(cluster).drop('status');
  hub
    .binding(cluster)
    .drop('status.conditions[Available]')
    .drop('status.failedPlacements')
    .says('status.conditions[Applied]', 'False', { reason: 'ApplyInProgress', message: 'Work object is not applied' });
}

const heartbeat = 'status.agentStatus[MemberAgent].lastReceivedHeartbeat';
const longAgo = '2026-11-18T08:00:00Z';

/** Clusters that hang, and why. */
export const clusterStates: Readonly<Record<string, Derived>> = {
  'the member agent has been silent for hours': {
    ...stuck,
    edit: (hub) => {
      unheard(hub);
      hub.member(cluster).set(heartbeat, longAgo);
    },
    cause: /member agent of cluster "eu-stg-1" was last heard of 3h 5m ago/,
    evidence: /MemberCluster status\.agentStatus\[MemberAgent\]\.lastReceivedHeartbeat/,
    fix: /on the member cluster eu-stg-1: kubectl get pods -n fleet-system/,
  },
  'the member agent reported once, and has been silent since': {
    ...stuck,
    edit: (hub) => {
      hub.member(cluster).set(heartbeat, longAgo);
    },
    cause: /member agent of cluster "eu-stg-1" was last heard of 3h 5m ago/,
    also: /Deployment app-stuck-not-available\/web is not available/,
    evidence: /Work status\.manifestConditions/,
  },
  'the member agent says itself that it is not well': {
    ...stuck,
    edit: (hub) => {
      unheard(hub);
      hub.member(cluster).says('status.agentStatus[MemberAgent].conditions[Healthy]', 'False', { message: 'no disk' });
    },
    cause: /member agent of cluster "eu-stg-1" says Healthy=False/,
    evidence: /MemberCluster status\.agentStatus\[MemberAgent\]\.conditions\[Healthy\]/,
  },
  'the member cluster has left the fleet': {
    ...stuck,
    edit: (hub) => {
      unheard(hub);
      hub.remove(hub.member(cluster));
    },
    cause: /cluster "eu-stg-1" is no member of the fleet any more|give the run up/,
  },
  'the member cluster is leaving': {
    ...stuck,
    edit: (hub) => {
      hub.member(cluster).set('metadata.deletionTimestamp', '2026-11-18T11:00:00Z');
    },
    cause: /cluster "eu-stg-1" is leaving the fleet/,
    evidence: /MemberCluster metadata\.deletionTimestamp/,
  },
  'somebody else holds the resource on the cluster': {
    ...applyFailed,
    edit: (hub) => {
      fails(hub, 'Applied', 'FailedToTakeOver', 'the object exists, is not owned by Fleet, and takeover is forbidden');
    },
    cause: /on cluster "eu-stg-1", Deployment shop\/web cannot be applied .*takeover is forbidden/,
    evidence: /Work status\.manifestConditions\[Deployment shop\/web\]/,
    fix: /on the member cluster eu-stg-1: kubectl describe deployment web -n shop/,
  },
  'the resource on the cluster differs from what is to be taken over': {
    ...applyFailed,
    edit: (hub) => {
      fails(hub, 'Applied', 'FailedToTakeOver', 'cannot take over object: configuration differences are found');
      const observedDiffs = [{ path: '/spec/replicas', valueInHub: '3', valueInMember: '5' }];
      hub.binding(cluster).set('status.diffedPlacements', [{ ...resource, observedDiffs }]);
    },
    cause: /Deployment shop\/web cannot be applied .*configuration differences/,
    evidence: /Binding status\.diffedPlacements\[Deployment shop\/web\]/,
  },
  'the resource on the cluster has drifted': {
    ...applyFailed,
    edit: (hub) => {
      fails(hub, 'Applied', 'FoundDrifts', 'cannot apply manifest: drifts are found between desired and current');
      const observedDrifts = [{ path: '/spec/replicas', valueInHub: '3', valueInMember: '5' }];
      hub.binding(cluster).set('status.driftedPlacements', [{ ...resource, observedDrifts }]);
    },
    cause: /Deployment shop\/web cannot be applied .*drifts are found/,
    evidence: /Binding status\.driftedPlacements\[Deployment shop\/web\]/,
  },
  'the namespace is not on the cluster': {
    ...applyFailed,
    edit: (hub) => {
      fails(hub, 'Applied', 'FailedToApply', 'namespaces "shop" not found');
    },
    cause: /Deployment shop\/web cannot be applied .*namespaces \\"shop\\" not found/,
    fix: /amespace/,
  },
  'the difference to the hub cannot be reported': {
    ...applyFailed,
    edit: (hub) => {
      hub
        .binding(cluster)
        .drop('status.conditions[Applied]')
        .drop('status.failedPlacements')
        .says('status.conditions[DiffReported]', 'False', { reason: 'NotAllWorkHaveReportedDiff', message: 'no diff' });
    },
    cause: /cluster "eu-stg-1".*no diff/,
    evidence: /Binding status\.conditions\[DiffReported\]/,
  },
  'an override cannot be worked out': {
    ...stuck,
    edit: (hub) => {
      notOverridden(hub, { reason: 'OverriddenFailed', message: 'bad JSON patch at /spec' });
    },
    cause: /cluster "eu-stg-1": the overrides .*bad JSON patch/,
    evidence: /Binding status\.conditions\[Overridden\]/,
    fix: /kubectl describe (?:cluster)?resourceplacements/,
  },
  'the snapshot of the run was pruned': {
    ...stuck,
    edit: (hub) => {
      notOverridden(hub, { message: 'the master resource snapshot is not found' });
      hub.remove(hub.snapshot('0'));
    },
    cause: /snapshot/,
    fix: /[Cc]reate a new (?:run|one)/,
  },
  'the works cannot be written': {
    ...stuck,
    edit: (hub) => {
      hub
        .binding(cluster)
        .drop('status.conditions[Applied]')
        .drop('status.conditions[Available]')
        .says('status.conditions[WorkSynchronized]', 'False', { reason: 'SyncWorkFailed', message: 'quota exceeded' });
    },
    cause: /cannot be written to the hub: .*quota exceeded/,
    evidence: /Binding status\.conditions\[WorkSynchronized\]/,
  },
  'the binding was let go of': {
    ...stuck,
    edit: (hub) => {
      hub.binding(cluster).set('spec.state', 'Unscheduled').set('metadata.deletionTimestamp', '2026-11-18T11:00:00Z');
    },
    cause: /placement has let go of|give the run up/,
    also: /"eu-stg-1"/,
    evidence: /Binding spec\.state/,
  },
  'the binding is gone': {
    ...stuck,
    edit: (hub) => {
      hub.remove(hub.binding(cluster));
    },
    also: /cluster "eu-stg-1" has no binding any more/,
  },
  'another run has written to the binding': {
    ...stuck,
    edit: (hub) => {
      const message = 'started the rollout process, resourceSnapshotIndex: 1, updateRun: hotfix';
      hub
        .binding(cluster)
        .set('spec.resourceSnapshotName', 'plc-stuck-not-available-1-snapshot')
        .says('status.conditions[RolloutStarted]', 'True', { message });
    },
    cause: /cluster "eu-stg-1" has been taken over by run "hotfix"/,
    evidence: /Binding status\.conditions\[RolloutStarted\]/,
    fix: /kubectl get (?:cluster)?stagedupdateruns hotfix/,
  },
  'the cluster has recovered, and the run has not noticed yet': {
    ...stuck,
    edit: (hub) => {
      hub
        .binding(cluster)
        .drop('status.failedPlacements')
        .says('status.conditions[Applied]', 'True')
        .says('status.conditions[Available]', 'True', { at: '2026-11-18T11:04:50Z' });
    },
    health: 'waiting',
    cause: /cluster "eu-stg-1" has all that this run brings, for 13s/,
    evidence: /Binding status\.conditions\[Available\]/,
  },
  'the cluster has recovered long ago, and the run has not noticed': {
    ...stuck,
    at: '2026-11-18T12:30:00Z',
    edit: (hub) => {
      hub.binding(cluster).says('status.conditions[Available]', 'True', { at: '2026-11-18T11:04:50Z' });
    },
    cause: /cluster "eu-stg-1" .*hub agent/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'two clusters of a stage hang at once, each for a reason of its own': {
    ...stuck,
    edit: (hub) => {
      const started = hub.run.at('status.stagesStatus[staging].clusters[eu-stg-1].conditions');
      hub.run.set('status.stagesStatus[canary].clusters[eu-can-1].conditions', started);
      hub.copyBinding(cluster, 'eu-can-1');
      hub
        .binding('eu-can-1')
        .drop('status.conditions[Available]')
        .set('status.failedPlacements', [
          { ...resource, condition: { type: 'Applied', status: 'False', reason: 'FailedToApply', message: 'denied' } },
        ])
        .says('status.conditions[Applied]', 'False', { reason: 'NotAllWorkHaveBeenApplied' });
    },
    cause: /"eu-can-1", Deployment shop\/web cannot be applied/,
    also: /"eu-stg-1", Deployment app-stuck-not-available\/web is not available/,
  },
  'one resource is refused while another does not become available': {
    ...applyFailed,
    edit: (hub) => {
      fails(hub, 'Applied', 'FailedToApply', 'quota exceeded');
      const condition = { type: 'Available', status: 'False', reason: 'NotYet', message: 'rolling out' };
      hub.binding(cluster).set('status.failedPlacements[1]', { ...resource, name: 'api', condition });
    },
    cause: /Deployment shop\/web cannot be applied .*quota exceeded/,
    never: /Deployment shop\/api cannot/,
  },
};
