import type { Derived } from '../diagnosis-table.js';

/** Runs that have not begun, stand still, or leave. */
export const idleStates: Readonly<Record<string, Derived>> = {
  'created a moment ago': {
    from: 'no-status',
    state: 'no status',
    health: 'waiting',
    at: '2026-11-18T10:59:20Z',
    edit: (hub) => {
      hub.run.drop('metadata.finalizers').set('metadata.creationTimestamp', '2026-11-18T10:59:18Z');
    },
    cause: /created 2s ago, and KubeFleet has not taken it up yet/,
  },
  'nobody has taken the run up for an hour': {
    from: 'no-status',
    state: 'no status',
    health: 'wrong',
    at: '2026-11-18T12:00:00Z',
    edit: (hub) => {
      hub.run.drop('metadata.finalizers');
    },
    cause: /no hub agent has taken it up/,
    evidence: /StagedUpdateRun metadata\.finalizers/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'taken up, and no status for no reason to be seen': {
    from: 'no-status',
    state: 'no status',
    health: 'wrong',
    at: '2026-11-18T12:00:00Z',
    edit: (hub) => {
      hub.strategy.set('spec.stages', hub.strategy.at('spec.stages')).set('spec.stages[0].afterStageTasks', []);
      hub.strategy.set('spec.stages[1].afterStageTasks', []).set('spec.stages[2].afterStageTasks', []);
    },
    cause: /KubeFleet took the run up .* ago and has written no status/,
    fix: /kubectl describe (?:cluster)?stagedupdateruns/,
  },
  'deleted, and the hub agent does not let go': {
    from: 'under-way',
    state: 'being deleted',
    health: 'wrong',
    at: '2026-11-18T12:00:00Z',
    edit: (hub) => {
      hub.run
        .set('metadata.deletionTimestamp', '2026-11-18T11:00:00Z')
        .set('metadata.finalizers', ['kubernetes-fleet.io/clusterstagedupdaterun-finalizer']);
    },
    cause: /going for 1h.*hub agent has not let go/,
    evidence: /StagedUpdateRun metadata\.finalizers/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'told to stop while a cluster is being updated': {
    from: 'under-way',
    state: 'stopping',
    health: 'waiting',
    edit: (hub) => {
      hub.run
        .set('spec.state', 'Stop')
        .says('status.conditions[Progressing]', 'Unknown', { reason: 'UpdateRunStopping' });
    },
    cause: /told to stop, and lets 1 cluster finish: "eu-can-1"/,
    evidence: /StagedUpdateRun spec\.state/,
  },
  'told to stop, and a cluster hangs': {
    from: 'stuck-apply-failed',
    state: 'stuck',
    health: 'wrong',
    edit: (hub) => {
      hub.run.set('spec.state', 'Stop');
    },
    cause: /cannot be applied/,
  },
  'told to stop long ago, and nobody has looked': {
    from: 'under-way',
    state: 'stopping',
    health: 'wrong',
    at: '2026-11-18T12:30:00Z',
    edit: (hub) => {
      hub.run.set('spec.state', 'Stop');
    },
    cause: /written nothing .*hub agent may be down/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'resumed a moment ago': {
    from: 'stopped',
    state: 'under way',
    health: 'well',
    edit: (hub) => {
      hub.run.set('spec.state', 'Run');
    },
  },
  'under way, and nobody has looked for an hour': {
    from: 'under-way',
    state: 'under way',
    health: 'wrong',
    at: '2026-11-18T12:30:00Z',
    edit: (hub) => {
      hub.member('eu-can-1').set('status.agentStatus[MemberAgent].lastReceivedHeartbeat', '2026-11-18T12:29:30Z');
    },
    cause: /written nothing to the status of this run for 1h 30m, .*hub agent may be down/,
    fix: /kubectl get pods -n fleet-system/,
  },
  'stopped, and the placement has been edited since': {
    from: 'stopped',
    state: 'stopped',
    health: 'wrong',
    edit: (hub) => {
      hub.placement.set('spec.strategy', { type: 'RollingUpdate' });
    },
    cause: /must not be resumed as things are: .*RollingUpdate/,
  },
  'not started, and a cluster has been relabelled since': {
    from: 'not-started',
    state: 'not started',
    health: 'wrong',
    edit: (hub) => {
      hub.member('us-can-1').set('metadata.labels.env', 'prod');
    },
    cause: /must not be started as things are: .*"us-can-1"/,
  },
  'a removal that hangs': {
    from: 'removing-clusters',
    state: 'removing clusters',
    health: 'wrong',
    at: '2026-11-18T11:30:00Z',
    edit: (hub) => {
      hub.copyBinding('eu-stg-1', 'eu-prod-1', 'plc-removing-clusters-eu-prod-1-0');
      hub
        .binding('eu-prod-1')
        .set('spec.state', 'Unscheduled')
        .set('metadata.deletionTimestamp', '2026-11-18T11:00:24Z')
        .set('metadata.finalizers', ['kubernetes-fleet.io/work-cleanup']);
    },
    cause: /takes the resources from cluster "eu-prod-1", for 29m.* held by kubernetes-fleet\.io\/work-cleanup/,
    evidence: /Binding metadata\.finalizers/,
    fix: /member agent/,
  },
  'succeeded, whatever has been edited since': {
    from: 'succeeded',
    state: 'succeeded',
    health: 'well',
    edit: (hub) => {
      hub.placement.set('spec.strategy', { type: 'RollingUpdate' });
      hub.member('us-can-1').drop('metadata.labels.env');
    },
  },
};
