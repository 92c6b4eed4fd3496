import { expect } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { apply, put, type Site } from '../fixes/case.js';
import { ground, labelMembers, mustWork, running, runOf, stuck, twoStages } from '../fixes/ground.js';
import { commandsOf, refusalOf } from '../fixes/refusal.js';
import type { Hub } from '../harness/hub.js';
import { paste, type Ran } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import { bothScopes, conditionOf, placement, scheduled, stage, strategy } from '../harness/world.js';
import { mendedBy, refusedBy, refusedByApi, ring, warnedBy, type Failure } from './failure.js';
import {
  afterCanary,
  approveAtGeneration,
  atFirstGate,
  atGate,
  beforeCanary,
  patch,
  remove,
  runningBesidePrepared,
  second,
  updating,
} from './moments.js';

const startsTooEarly: readonly Failure[] = [
  {
    in: ['guide', 'older guide'],
    what: 'the run names a resource snapshot index that no snapshot has',
    outcome: refusedBy('run-snapshot-exists'),
    prepare: ground,
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '1' })),
  },
  {
    in: ['overview'],
    what: 'the placement of a run is not there',
    outcome: refusedBy('run-placement-exists'),
    prepare: (site) => put(site, strategy(site.scope, site.name, twoStages)),
    write: (site) => apply(runOf(site)),
  },
  {
    in: ['overview'],
    what: 'the strategy of a run is not there',
    outcome: refusedBy('run-strategy-exists'),
    async prepare(site) {
      await put(site, placement(site.scope, site.name));
      await scheduled(site.hub, site.scope, site.name);
    },
    write: (site) => apply(runOf(site)),
  },
  {
    in: ['guide', 'overview'],
    what: 'a run without a state waits for ever',
    outcome: warnedBy('run-not-started'),
    prepare: ground,
    write: (site) => apply(runOf(site, { state: undefined })),
  },
  {
    in: ['guide'],
    what: 'a run is created in state Stop',
    outcome: warnedBy('run-not-started'),
    prepare: ground,
    write: (site) => apply(runOf(site, { state: 'Stop' })),
  },
];

const otherRuns: readonly Failure[] = [
  {
    in: ['guide', 'older guide', 'execution failures'],
    what: 'a second run takes the clusters from the first',
    outcome: refusedBy('run-placement-free'),
    prepare: running,
    write: (site) => apply(runOf(site, {}, second(site))),
  },
  {
    in: ['guide', 'older guide', 'execution failures'],
    what: 'a second run that was prepared is started beside the first',
    outcome: refusedBy('run-placement-free'),
    prepare: runningBesidePrepared,
    write: (site) => patch('UpdateRun', { ...site, name: second(site) }, { spec: { state: 'Run' } }),
  },
  {
    in: ['guide', 'older guide', 'stuck runs'],
    what: 'a run is stuck, and a new one is created beside it',
    outcome: refusedBy('run-placement-free'),
    prepare: stuck,
    write: (site) => apply(runOf(site, {}, second(site))),
    after: deleteTheStuckRun,
  },
];

/** The way out of the documents, by the command that is printed: the stuck run goes, and the new one goes through. */
async function deleteTheStuckRun(site: Site, { stderr }: Ran): Promise<void> {
  const refusal = refusalOf('run-placement-free', stderr);
  const command = refusal && commandsOf(refusal).find((line) => line.startsWith('kubectl delete '));
  if (command === undefined) throw new Error(`there is no command to delete the run in ${stderr}`);
  const deleting = paste(site.hub, 'alice', command);
  await eventually('the stuck run is being deleted', async () => {
    const { body } = await site.hub.api('admin').get(pathOf('UpdateRun', site.scope, site.name));
    return (body['metadata'] as { deletionTimestamp?: string }).deletionTimestamp;
  });
  site.agent.heldBack.delete(site.name);
  expect(await deleting).toMatchObject({ code: 0 });
  await mustWork(site, apply(runOf(site, {}, second(site))));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [second(site), 'Initialized']);
}

/** "Retrieving the placement and checking its rollout strategy, gathering all the bindings": every minute, in each run. */
const placementEdits: readonly Failure[] = [
  {
    in: ['guide', 'older guide', 'execution failures'],
    what: 'the placement is deleted while a run goes on',
    outcome: refusedBy('placement-in-use'),
    prepare: running,
    write: (site) => remove('Placement', site),
  },
  {
    in: ['guide', 'older guide'],
    what: 'the placement gets another rollout strategy while a run goes on',
    outcome: refusedByApi,
    says: "cannot change rollout strategy type from 'External' to other types",
    prepare: running,
    write: (site) => patch('Placement', site, { spec: { strategy: { type: 'RollingUpdate' } } }),
  },
  {
    // This the definitions of KubeFleet let through.
    in: ['guide', 'older guide'],
    what: 'the placement loses its rollout strategy while a run goes on',
    outcome: refusedBy('placement-in-use'),
    says: 'the strategy type of the placement would be RollingUpdate, not External',
    prepare: running,
    write: (site) => patch('Placement', site, { spec: { strategy: null } }),
  },
  ...[
    {
      what: 'the policy of the placement is edited while a run goes on',
      says: 'the policy of the placement would change',
      spec: { policy: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } },
    },
    {
      what: 'the way in which the placement is applied is edited while a run goes on',
      says: 'the applyStrategy of the placement would change',
      spec: { strategy: { applyStrategy: { type: 'ServerSideApply' } } },
    },
  ].map(({ what, says, spec }): Failure => ({
    ...{ in: ['guide', 'older guide'], what, says },
    outcome: refusedBy('placement-in-use'),
    prepare: running,
    write: (site) => patch('Placement', site, { spec }),
  })),
];

/** Stages that no run of a guarded hub would begin with: the strategy is older than the guard. */
const twoKeys = 'two-keys';
const keyOf = (scope: Scope, wave: string): string => `${wave}-${scope ?? 'hub'}`;

export async function olderStrategies(hub: Hub): Promise<void> {
  for (const [, scope] of bothScopes) {
    const waves = ['first', 'second'].map((wave) => ring(wave, { [keyOf(scope, wave)]: 'yes' }));
    await hub.api('admin').create(pathOf('UpdateStrategy', scope), strategy(scope, twoKeys, waves));
  }
}

/** "Regenerating the execution plan". */
const clusterEdits: readonly Failure[] = [
  {
    in: ['execution failures'],
    what: 'stages are written that one cluster can be in at once',
    outcome: refusedBy('strategy-stages-disjoint'),
    write: ({ scope, name }) => apply(strategy(scope, name, [stage('canary'), stage('all', { labelSelector: {} })])),
  },
  {
    in: ['execution failures'],
    what: 'a cluster gets the labels of two stages while a run goes on',
    outcome: warnedBy('member-cluster-in-use'),
    says: 'stages "first" and "second" would select the same cluster "eu-2"',
    async prepare(site) {
      const [first, last] = ['first', 'second'].map((wave) => keyOf(site.scope, wave));
      await labelMembers(site, `eu-1 ${first}=yes`, `eu-2 ${last}=yes`, `us-1 ${last}=yes`);
      await put(site, placement(site.scope, site.name));
      await scheduled(site.hub, site.scope, site.name);
      const prepared = { stagedRolloutStrategyName: twoKeys, state: 'Initialize' };
      await mustWork(site, apply(runOf(site, prepared)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
    },
    write: ({ scope }) => ({
      user: 'admin',
      args: ['label', 'memberclusters', 'eu-2', `${keyOf(scope, 'first')}=yes`],
    }),
  },
  {
    in: ['execution failures'],
    what: 'a cluster is labelled into another stage while a run goes on',
    outcome: warnedBy('member-cluster-in-use'),
    async prepare(site) {
      const key = `tier-${site.name}`;
      await labelMembers(site, `eu-1 ${key}=a`, `eu-2 ${key}=b`, `us-1 ${key}=b`);
      const gate = { afterStageTasks: [{ type: 'Approval' }] };
      await ground(site, [ring('first', { [key]: 'a' }, gate), ring('second', { [key]: 'b' })]);
      await mustWork(site, apply(runOf(site)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
    },
    write: ({ name }) => ({
      user: 'admin',
      args: ['label', 'memberclusters', 'eu-2', `tier-${name}=a`, '--overwrite'],
    }),
  },
  {
    in: ['guide', 'older guide'],
    what: 'a cluster leaves while a run goes on',
    outcome: warnedBy('member-cluster-in-use'),
    says: 'would lose "us-1"',
    prepare: running,
    // The other runs of this hub need it still.
    write: () => ({ user: 'admin', args: ['delete', 'memberclusters', 'us-1', '--dry-run=server'] }),
  },
];

const invalidTasks = (tasks: object): Omit<Failure, 'what' | 'outcome'> => ({
  in: ['execution failures'],
  prepare: running,
  write: ({ scope, name }) => apply(strategy(scope, name, [stage('canary', tasks)])),
});

const strategyEdits: readonly Failure[] = [
  {
    // The document says that this aborts the run; the controller goes by the copy in the status of the run.
    in: ['execution failures'],
    what: 'the strategy is deleted while a run goes on',
    outcome: warnedBy('strategy-in-use'),
    prepare: atGate,
    write: (site) => remove('UpdateStrategy', site),
    async after(site) {
      await mustWork(site, approveAtGeneration(1, site));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
    },
  },
  {
    ...invalidTasks({ afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] }),
    what: 'the strategy is edited so that its tasks cannot be run',
    outcome: refusedBy('strategy-tasks-valid'),
  },
  {
    ...invalidTasks({ beforeStageTasks: [{ type: 'TimedWait', waitTime: '1h' }] }),
    what: 'the strategy is edited so that a stage has a timed wait before it',
    outcome: refusedByApi,
    says: 'BeforeStageTaskType cannot be TimedWait',
  },
  {
    ...invalidTasks({ beforeStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] }),
    what: 'the strategy is edited so that a stage has two tasks before it',
    outcome: refusedByApi,
    says: 'Too many: 2: must have at most 1 item',
  },
];

const gates: readonly Failure[] = [
  {
    in: ['guide', 'overview'],
    what: 'an approval of another generation is passed over without a word',
    outcome: mendedBy('stamp-approval'),
    prepare: atGate,
    write: (site) => approveAtGeneration(0, site),
    after: (site) => conditionOf(site.hub, 'ApprovalRequest', site.scope, [afterCanary(site), 'ApprovalAccepted']),
  },
  {
    in: ['guide', 'overview'],
    what: 'an approval of another generation before a stage is passed over without a word',
    outcome: mendedBy('stamp-approval'),
    prepare: atFirstGate,
    write: (site) => approveAtGeneration(0, site, beforeCanary(site)),
    async after(site) {
      await conditionOf(site.hub, 'ApprovalRequest', site.scope, [beforeCanary(site), 'ApprovalAccepted']);
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
    },
  },
];

/** The agent looks at the run again, and the run stops or ends. */
const goesOn = async ({ agent, name }: Site): Promise<void> => {
  await Promise.resolve(agent.heldBack.delete(name));
};

const stops: readonly Failure[] = [
  {
    in: ['guide'],
    what: 'a run is stopped while a cluster is being updated, which goes on',
    outcome: warnedBy('run-stop-effect'),
    says: 'the update of "eu-1" goes on to its end',
    prepare: updating,
    write: (site) => patch('UpdateRun', site, { spec: { state: 'Stop' } }),
    after: goesOn,
  },
  {
    in: ['guide', 'stuck runs'],
    what: 'a run is stopped that is stuck, and does not come to a stop',
    outcome: warnedBy('run-stop-effect'),
    says: 'the run is stuck',
    prepare: stuck,
    write: (site) => patch('UpdateRun', site, { spec: { state: 'Stop' } }),
    after: goesOn,
  },
];

/** Every failure of the documents that a write can cause. */
export const failures: readonly Failure[] = [
  ...startsTooEarly,
  ...otherRuns,
  ...placementEdits,
  ...clusterEdits,
  ...strategyEdits,
  ...gates,
  ...stops,
];
