import { fleetKeys } from '../../../src/fleet/fleet-keys.js';
import type { Api } from './api.js';
import { expectStored } from './hub.js';
import {
  conditionNow,
  expectStoredOrOvertaken,
  isTrue,
  listOf,
  withCondition,
  type Condition,
  type Stored,
} from './hub-objects.js';
import { headOf, pathOf, type Scope } from './paths.js';
import { recorded, saidNow } from './recorded-run.js';
import { handleStageApprovalTask, type Approval } from './stage-approval.js';

interface Task {
  readonly type: 'Approval' | 'TimedWait';
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Stage {
  readonly name: string;
  readonly labelSelector?: {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly Requirement[];
  };
  readonly beforeStageTasks?: readonly Task[];
  readonly afterStageTasks?: readonly Task[];
}

interface TaskStatus {
  readonly type: string;
  readonly approvalRequestName?: string;
  readonly conditions?: readonly Condition[];
}

interface ClusterStatus {
  readonly clusterName: string;
  readonly conditions?: readonly Condition[];
}

interface StageStatus {
  readonly stageName: string;
  readonly clusters: readonly ClusterStatus[];
  readonly beforeStageTaskStatus?: readonly TaskStatus[];
  readonly afterStageTaskStatus?: readonly TaskStatus[];
  readonly conditions?: readonly Condition[];
  readonly startTime?: string;
  readonly endTime?: string;
}

interface RunStatus {
  readonly conditions?: readonly Condition[];
  readonly stagesStatus?: readonly StageStatus[];
  readonly stagedUpdateStrategySnapshot?: { readonly stages: readonly Stage[] };
  readonly resourceSnapshotIndexUsed?: string;
  readonly policySnapshotIndexUsed?: string;
  readonly policyObservedClusterCount?: number;
  readonly appliedStrategy?: object;
}

interface Run extends Stored {
  readonly spec: {
    readonly placementName: string;
    readonly stagedRolloutStrategyName: string;
    readonly resourceSnapshotIndex?: string;
    readonly state: 'Initialize' | 'Run' | 'Stop';
  };
  readonly status?: RunStatus;
}

interface Placement extends Stored {
  readonly spec: { readonly strategy?: { readonly applyStrategy?: object } };
}

interface Binding extends Stored {
  readonly spec: { readonly state: string; readonly targetCluster: string };
}

const finalizer = 'kubernetes-fleet.io/stagedupdaterun-finalizer';

/**
 * Stands in for KubeFleet's controller of update runs: it writes what the real one was seen to write, in the same order
 * and through the same subresources, a step at a time, and every wait repeats its creation of the approval request.
 */
export class RunController {
  constructor(
    private readonly api: Api,
    private readonly heldBack: ReadonlySet<string>,
  ) {}

  async tend(scope: Scope): Promise<void> {
    const runs = await listOf<Run>(this.api, 'UpdateRun', scope);
    const mine = runs.filter(({ metadata }) => !this.heldBack.has(metadata.name));
    // None of them waits for another, nor stands still because another fails.
    const outcomes = await Promise.allSettled(mine.map((run) => this.step(run, scope)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private async step(run: Run, scope: Scope): Promise<void> {
    if (run.metadata.deletionTimestamp !== undefined) await this.letGo(run, scope);
    else if (run.metadata.finalizers?.includes(finalizer) !== true) await this.takeUp(run, scope);
    else if (isOpen(run.status)) await this.advance(run, scope);
  }

  /** An update of the whole object, which also writes the index where it was left out. */
  private async takeUp(run: Run, scope: Scope): Promise<void> {
    const finalizers = [...(run.metadata.finalizers ?? []), finalizer];
    const { resourceSnapshotIndex = '' } = run.spec;
    const object = {
      ...run,
      ...headOf('UpdateRun', scope),
      metadata: { ...run.metadata, finalizers },
      spec: { ...run.spec, resourceSnapshotIndex },
    };
    expectStoredOrOvertaken(await this.api.replace(pathOf('UpdateRun', scope, run.metadata.name), object));
  }

  private async letGo(run: Run, scope: Scope): Promise<void> {
    const ofRun = encodeURIComponent(`${fleetKeys.targetRun}=${run.metadata.name}`);
    expectStoredOrOvertaken(await this.api.delete(`${pathOf('ApprovalRequest', scope)}?labelSelector=${ofRun}`));
    const finalizers = (run.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    const object = { ...run, ...headOf('UpdateRun', scope), metadata: { ...run.metadata, finalizers } };
    expectStoredOrOvertaken(await this.api.replace(pathOf('UpdateRun', scope, run.metadata.name), object));
  }

  private async advance(run: Run, scope: Scope): Promise<void> {
    const next = isTrue(run.status?.conditions, 'Initialized')
      ? await this.execute(run, scope)
      : await this.initialize(run, scope);
    if (sayTheSame(next, run.status)) return;
    const object = { ...run, ...headOf('UpdateRun', scope), status: next };
    const path = pathOf('UpdateRun', scope, `${run.metadata.name}/status`);
    expectStoredOrOvertaken(await this.api.replace(path, object));
  }

  private async initialize(run: Run, scope: Scope): Promise<RunStatus> {
    const { placementName, stagedRolloutStrategyName, resourceSnapshotIndex } = run.spec;
    const answer = await this.api.get(pathOf('UpdateStrategy', scope, stagedRolloutStrategyName));
    const { spec } = expectStored(answer) as unknown as { spec: { stages: Stage[] } };
    const found = await this.api.get(pathOf('Placement', scope, placementName));
    const { strategy } = (expectStored(found) as unknown as Placement).spec;
    const members = await listOf(this.api, 'MemberCluster', undefined);
    const bindings = await this.bindingsOf(placementName, scope);
    const scheduled = bindings.filter((it) => it.spec.state !== 'Unscheduled').map((it) => it.spec.targetCluster);
    const stagesStatus = spec.stages.map((stage): StageStatus => {
      const clusters = members
        .filter(({ metadata }) => scheduled.includes(metadata.name) && isSelected(stage, metadata.labels ?? {}))
        .map(({ metadata }) => ({ clusterName: metadata.name }));
      return { stageName: stage.name, clusters, ...tasksOf(stage, run.metadata.name) };
    });
    return {
      ...recorded.initialized,
      conditions: saidNow(recorded.initialized.conditions, run.metadata.generation),
      stagesStatus,
      stagedUpdateStrategySnapshot: spec,
      resourceSnapshotIndexUsed: resourceSnapshotIndex || (await this.latestIndex(placementName, scope)),
      policySnapshotIndexUsed: await this.policyIndex(placementName, scope),
      policyObservedClusterCount: scheduled.length,
      // What the placement leaves open is filled with the defaults.
      appliedStrategy: { ...recorded.initialized.appliedStrategy, ...strategy?.applyStrategy },
    };
  }

  private async policyIndex(placement: string, scope: Scope): Promise<string> {
    const label = `${fleetKeys.parentPlacement}=${placement},${fleetKeys.isLatest}=true`;
    const [latest] = await listOf(this.api, 'PolicySnapshot', scope, label);
    return latest?.metadata.labels?.[fleetKeys.policyIndex] ?? '';
  }

  /** The latest resource snapshot, or a new one where that is of other resources, or where there is none. */
  private async latestIndex(placement: string, scope: Scope): Promise<string> {
    const snapshots = await listOf(this.api, 'ResourceSnapshot', scope, `${fleetKeys.parentPlacement}=${placement}`);
    const indexOf = ({ metadata }: Stored): number => Number(metadata.labels?.[fleetKeys.resourceIndex]);
    const last = snapshots.toSorted((a, b) => indexOf(a) - indexOf(b)).at(-1);
    const latest = snapshots.find(({ metadata }) => metadata.labels?.[fleetKeys.isLatest] === 'true') ?? last;
    const hash = latest?.metadata.annotations?.[fleetKeys.resourceHash];
    if (latest !== undefined && hash === hashOfResources) return String(indexOf(latest));
    const next = last === undefined ? 0 : indexOf(last) + 1;
    const made = resourceSnapshot(placement, next, scope);
    expectStoredOrOvertaken(await this.api.create(pathOf('ResourceSnapshot', scope), made));
    return String(next);
  }

  private async execute(run: Run, scope: Scope): Promise<RunStatus> {
    const { status = {} } = run;
    if (run.spec.state === 'Initialize') return status;
    if (run.spec.state === 'Stop') return progressing(run, stopped);
    const stages = status.stagesStatus ?? [];
    const index = stages.findIndex(({ conditions }) => !isTrue(conditions, 'Succeeded'));
    const stage = stages[index];
    if (stage === undefined) return succeeded(run);
    const next = await this.advanceStage(run, stage, scope);
    const stagesStatus = stages.with(index, next);
    const isWaiting = JSON.stringify(next) === JSON.stringify(stage);
    const { updating, waiting } = recorded.run;
    return { ...progressing(run, progressingIn(isWaiting ? waiting : updating)), stagesStatus };
  }

  /** One step: a gate, all clusters, a gate. */
  private async advanceStage(run: Run, stage: StageStatus, scope: Scope): Promise<StageStatus> {
    const { generation } = run.metadata;
    const before = await this.passGates(run, stage, { kind: 'before', scope });
    if (before !== undefined) return { ...stage, beforeStageTaskStatus: before, ...waitingIn(stage, generation) };
    if (stage.clusters.some(({ conditions }) => !isTrue(conditions, 'Succeeded'))) {
      await this.rollOut(run, stage, scope);
      const updated = saidNow(recorded.cluster.updated, generation);
      const conditions = saidNow(recorded.stage.updating, generation);
      const clusters = stage.clusters.map((cluster) => ({ ...cluster, conditions: updated }));
      return { ...stage, clusters, conditions, startTime: stage.startTime ?? timeNow() };
    }
    const after = await this.passGates(run, stage, { kind: 'after', scope });
    if (after !== undefined) return { ...stage, afterStageTaskStatus: after, ...waitingIn(stage, generation) };
    return { ...stage, conditions: saidNow(recorded.stage.passed, generation), endTime: timeNow() };
  }

  private async rollOut(run: Run, stage: StageStatus, scope: Scope): Promise<void> {
    const { placementName } = run.spec;
    const resourceSnapshotName = `${placementName}-${run.status?.resourceSnapshotIndexUsed ?? ''}-snapshot`;
    for (const { metadata, spec } of await this.bindingsOf(placementName, scope)) {
      if (!stage.clusters.some(({ clusterName }) => clusterName === spec.targetCluster)) continue;
      const patch = { spec: { state: 'Bound', resourceSnapshotName } };
      expectStored(await this.api.patch(pathOf('Binding', scope, metadata.name), 'merge', patch));
    }
  }

  /** The new status of the gates of a stage, or undefined where all of them are open. */
  private async passGates(
    run: Run,
    stage: StageStatus,
    { kind, scope }: { kind: 'before' | 'after'; scope: Scope },
  ): Promise<readonly TaskStatus[] | undefined> {
    const tasks = (kind === 'before' ? stage.beforeStageTaskStatus : stage.afterStageTaskStatus) ?? [];
    const isOpenGate = ({ type, conditions }: TaskStatus): boolean =>
      isTrue(conditions, type === 'Approval' ? 'ApprovalRequestApproved' : 'WaitTimeElapsed');
    if (tasks.every(isOpenGate)) return undefined;
    return Promise.all(
      tasks.map(async (task) => {
        if (isOpenGate(task)) return task;
        if (task.type === 'TimedWait') return { ...task, conditions: [conditionNow('WaitTimeElapsed')] };
        const name = task.approvalRequestName ?? '';
        const request = approvalFor(run, stage, { name, kind, scope });
        expectStoredOrOvertaken(await this.api.create(pathOf('ApprovalRequest', scope), request));
        const isApproved = await this.accept(name, { run: run.metadata.name, stage: stage.stageName }, scope);
        const created = isTrue(task.conditions, 'ApprovalRequestCreated')
          ? task.conditions
          : saidNow(recorded.task.requested, run.metadata.generation);
        const conditions = isApproved ? withCondition(created, conditionNow('ApprovalRequestApproved')) : created;
        return { ...task, ...(conditions !== undefined && { conditions }) };
      }),
    );
  }

  /** Accepts what is approved at the right generation; anything else it ignores without a word. */
  private async accept(name: string, gate: { run: string; stage: string }, scope: Scope): Promise<boolean> {
    const path = pathOf('ApprovalRequest', scope, name);
    const request = expectStored(await this.api.get(path)) as unknown as Approval;
    const outcome = handleStageApprovalTask(request, gate);
    if (outcome === 'abort') throw new Error(`${name} is for another gate`);
    if (outcome !== 'accept') return outcome === 'pass';
    const accepted = conditionNow('ApprovalAccepted', {
      reason: 'ApprovalRequestApprovalAccepted',
      observedGeneration: request.metadata.generation,
    });
    const conditions = withCondition(request.status?.conditions, accepted);
    expectStored(await this.api.replace(`${path}/status`, { ...request, status: { conditions } }));
    return true;
  }

  private bindingsOf(placement: string, scope: Scope): Promise<readonly Binding[]> {
    return listOf<Binding>(this.api, 'Binding', scope, `${fleetKeys.parentPlacement}=${placement}`);
  }
}

/** Nobody changes the resources here. */
const hashOfResources = 'abc';

/** A resource snapshot as the placement controller names and labels it. */
export function resourceSnapshot(placement: string, index: number, scope: Scope): object {
  return {
    ...headOf('ResourceSnapshot', scope),
    metadata: {
      name: `${placement}-${index}-snapshot`,
      ...(scope !== undefined && { namespace: scope }),
      labels: {
        [fleetKeys.parentPlacement]: placement,
        [fleetKeys.resourceIndex]: String(index),
        [fleetKeys.isLatest]: 'true',
      },
      annotations: { [fleetKeys.resourceHash]: hashOfResources, [fleetKeys.snapshotCount]: '1' },
    },
    spec: { selectedResources: [] },
  };
}

/** Where only times differ there is nothing to write. */
function sayTheSame(one: RunStatus, other: RunStatus | undefined): boolean {
  const [first, second] = [one, other].map((status) =>
    JSON.stringify(status, (key, value: unknown) => (key === 'lastTransitionTime' ? '' : value)),
  );
  return first === second;
}

function isOpen(status: RunStatus | undefined): boolean {
  return status?.conditions?.some(({ type }) => type === 'Succeeded') !== true;
}

function isSelected({ labelSelector }: Stage, labels: Readonly<Record<string, string>>): boolean {
  if (labelSelector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return (operator === 'Exists') === (value !== undefined);
    })
  );
}

function tasksOf(stage: Stage, run: string): Partial<StageStatus> {
  const statusOf = (kind: string, tasks: readonly Task[]): readonly TaskStatus[] =>
    tasks.map(({ type }) => ({
      type,
      ...(type === 'Approval' && { approvalRequestName: `${run}-${kind}-${stage.name}` }),
    }));
  return {
    beforeStageTaskStatus: statusOf('before', stage.beforeStageTasks ?? []),
    afterStageTaskStatus: statusOf('after', stage.afterStageTasks ?? []),
  };
}

/** What a stage says while it waits; the same as before where it said so already. */
function waitingIn({ conditions }: StageStatus, generation: number): Pick<StageStatus, 'conditions'> {
  const waiting = recorded.stage.waiting;
  if (conditions?.some(({ reason }) => reason === progressingIn(waiting).reason) === true) return { conditions };
  return { conditions: saidNow(waiting, generation) };
}

const timeNow = (): string => conditionNow('').lastTransitionTime;

const stopped = { status: 'False', reason: 'UpdateRunStopped', message: 'The update run has been stopped' };

function progressingIn(conditions: readonly Condition[]): Partial<Condition> {
  const { status = '', reason = '', message = '' } = conditions.find(({ type }) => type === 'Progressing') ?? {};
  return { status, reason, message };
}

function approvalFor(
  run: Run,
  stage: StageStatus,
  { name, kind, scope }: { name: string; kind: string; scope: Scope },
): object {
  return {
    ...headOf('ApprovalRequest', scope),
    metadata: {
      name,
      labels: {
        [fleetKeys.targetRun]: run.metadata.name,
        'kubernetes-fleet.io/targetUpdatingStage': stage.stageName,
        'kubernetes-fleet.io/taskType': `${kind}Stage`,
        'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
      },
    },
    spec: { parentStageRollout: run.metadata.name, targetStage: stage.stageName },
  };
}

function progressing({ status, metadata }: Run, more: Partial<Condition>): RunStatus {
  const condition = conditionNow('Progressing', { ...more, observedGeneration: metadata.generation });
  return { ...status, conditions: withCondition(status?.conditions, condition) };
}

function succeeded(run: Run): RunStatus {
  const { generation } = run.metadata;
  const done = progressing(run, { status: 'False', reason: 'UpdateRunSucceeded' });
  const condition = conditionNow('Succeeded', { reason: 'UpdateRunSucceeded', observedGeneration: generation });
  return { ...done, conditions: withCondition(done.conditions, condition) };
}
