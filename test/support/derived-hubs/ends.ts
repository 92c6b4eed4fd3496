import type { Derived } from '../diagnosis-table.js';
import type { HubEdits } from '../hub-edits.js';

const aborted = {
  state: 'aborted',
  health: 'wrong',
  from: 'under-way',
  evidence: /status\.conditions\[Succeeded\]/,
} as const;
const user =
  'cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: ';
const unexpected = 'cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: ';

/** KubeFleet has given the run up, with these words. */
function ends(message: string, more: (hub: HubEdits) => void = () => undefined): Derived['edit'] {
  return (hub) => {
    const said = { reason: 'UpdateRunFailed', message };
    hub.run.says('status.conditions[Progressing]', 'False', said).says('status.conditions[Succeeded]', 'False', said);
    more(hub);
  };
}

/** KubeFleet could not initialize the run, with these words. */
function neverBegan(message: string, more: (hub: HubEdits) => void = () => undefined): Derived['edit'] {
  return (hub) => {
    hub.run
      .set('status', {})
      .says('status.conditions[Initialized]', 'False', { reason: 'UpdateRunInitializedFailed', message });
    more(hub);
  };
}

const notInitialized = {
  state: 'failed to initialize',
  health: 'wrong',
  from: 'under-way',
  evidence: /status\.conditions\[Initialized\]/,
  fix: /kind: (?:Cluster)?StagedUpdateRun|kubectl/,
} as const;
const cannot = 'cannot continue the updateRun: failed to initialize the updateRun: ';

/** Runs that are over. */
export const endStates: Readonly<Record<string, Derived>> = {
  'aborted: the policy of the placement was changed': {
    ...aborted,
    edit: ends(`${user}the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0`),
    cause: /policy of placement "plc-under-way" was changed .*"0" then, "1" at its end/,
    fix: /[Cc]reate a new (?:run|one)/,
  },
  'aborted: the number of clusters was changed': {
    ...aborted,
    edit: ends(`${user}the cluster count initialized in the updateRun is outdated, latest: 4, recorded: 5`),
    cause: /was changed from 5 to 4/,
  },
  'aborted: the way in which the placement applies was changed': {
    ...aborted,
    edit: ends(`${user}the applyStrategy in the updateRun is outdated, latest: &{Partial}, recorded: &{Full}`, (hub) =>
      hub.placement.set('spec.strategy.applyStrategy', { type: 'ServerSideApply' }),
    ),
    cause: /spec\.strategy\.applyStrategy of placement "plc-under-way" was changed/,
    evidence: /ResourcePlacement spec\.strategy\.applyStrategy/,
  },
  'aborted: the placement was taken off External': {
    ...aborted,
    edit: ends(
      `${user}parent placement does not have an external rollout strategy, current strategy: RollingUpdate`,
      (hub) => hub.placement.set('spec.strategy', { type: 'RollingUpdate' }),
    ),
    cause: /changed from External to "RollingUpdate"/,
    evidence: /ResourcePlacement spec\.strategy\.type/,
    fix: /kubectl patch (?:cluster)?resourceplacements plc-under-way/,
  },
  'aborted: a cluster joined a stage': {
    ...aborted,
    edit: ends(`${unexpected}the number of clusters in index \`1\` stage has changed, new: 3, existing: 2`),
    cause: /clusters of stage "canary" changed .*2 when it was initialized, 3/,
  },
  'aborted: the order of a stage changed': {
    ...aborted,
    edit: ends(`${unexpected}the \`0\` cluster in the \`2\` stage has changed, new: us-prod-1, existing: eu-prod-1`),
    cause: /clusters of stage "prod".*"us-prod-1" came in the place of "eu-prod-1"/,
  },
  'aborted: a cluster was relabelled out of its stage': {
    ...aborted,
    edit: ends(`${user}some clusters are not placed in any stage, total 1, showing up to 10: us-can-1`, (hub) =>
      hub.member('us-can-1').drop('metadata.labels.env'),
    ),
    cause: /"us-can-1"/,
    fix: /kubectl label|new run/,
  },
  'aborted: a binding was evicted': {
    ...aborted,
    edit: ends(
      `${unexpected}the binding for cluster \`eu-can-1\` in stage \`canary\` is not found in the toBeUpdatedBindings map`,
      (hub) => hub.remove(hub.binding('eu-can-1')),
    ),
    cause: /cluster "eu-can-1" of stage "canary" lost its binding/,
  },
  'aborted: preempted, in the words of v0.3.1': {
    ...aborted,
    edit: ends(
      `${unexpected}[the updating cluster \`eu-can-1\` in the stage \`canary\` does not match the cluster resource binding status: binding spec diff: resourceSnapshotName, the cluster \`us-can-1\` in the stage canary has failed]`,
      (hub) => {
        const message = 'started the rollout process, resourceSnapshotIndex: 1, updateRun: hotfix';
        hub.binding('eu-can-1').says('status.conditions[RolloutStarted]', 'True', { message });
      },
    ),
    cause: /run "hotfix" took over cluster "eu-can-1" in stage "canary"/,
    evidence: /Binding status\.conditions\[RolloutStarted\]/,
    fix: /kubectl get (?:cluster)?stagedupdateruns hotfix/,
  },
  'aborted: somebody wrote to a binding': {
    ...aborted,
    edit: ends(
      `${user}the binding of the updating cluster \`eu-can-1\` in the stage \`canary\` is not up-to-date with the desired status`,
    ),
    cause: /somebody else wrote to the binding of cluster "eu-can-1"/,
  },
  'aborted: an approval request of another run stood in the way': {
    ...aborted,
    edit: ends(
      `${unexpected}the approval request task \`/under-way-release-after-canary\` is targeting update run \`/other\` and stage \`canary\`, want target update run \`/under-way-release and stage \`canary\``,
    ),
    cause: /"under-way-release-after-canary" was made for another run or stage/,
    fix: /kubectl delete (?:cluster)?approvalrequests under-way-release-after-canary/,
  },
  'aborted: somebody wrote to the status': {
    ...aborted,
    edit: ends(`${unexpected}the updateRun has nil stagesStatus`),
    cause: /somebody else has written to it/,
  },
  'aborted: in words that nobody knows': {
    ...aborted,
    edit: ends('the moon is full'),
    cause: /KubeFleet gave the run up: "the moon is full"/,
    fix: /Correct what KubeFleet names/,
  },
  'not initialized: two stages select a cluster': {
    ...notInitialized,
    edit: neverBegan(`${cannot}cluster \`eu-can-1\` appears in more than one stage`, (hub) =>
      hub.strategy.set('spec.stages[prod].labelSelector', {}),
    ),
    cause: /"eu-can-1"/,
  },
  'not initialized: the placement is not there': {
    ...notInitialized,
    edit: neverBegan(`${cannot}parent placement not found`, (hub) => hub.remove(hub.placement)),
    cause: /Placement "plc-under-way" does not exist/,
  },
  'not initialized: the snapshot index is no number': {
    ...notInitialized,
    edit: neverBegan(`${cannot}invalid resource snapshot index \`latest\` provided, expected an integer >= 0`, (hub) =>
      hub.run.set('spec.resourceSnapshotIndex', 'latest'),
    ),
    cause: /"latest"/,
  },
  'not initialized: what was in the way has gone': {
    ...notInitialized,
    edit: neverBegan(`${cannot}referenced updateStrategy not found: \`rings-under-way\``),
    cause: /was in the way when the run was initialized, and is not any more/,
    fix: /kind: (?:Cluster)?StagedUpdateRun/,
  },
  'not initialized: a strategy with an endless wait hides every newer one': {
    ...notInitialized,
    edit: neverBegan(`${cannot}referenced updateStrategy not found: \`rings-under-way\``, (hub) =>
      hub
        .copy(hub.strategy, 'forever')
        .set('spec.stages[staging].afterStageTasks', [{ type: 'TimedWait', waitTime: '9999999h' }]),
    ),
    cause: /strategy "forever" holds a wait that KubeFleet cannot read/,
    fix: /kubectl delete (?:cluster)?stagedupdatestrategies forever/,
  },
};
