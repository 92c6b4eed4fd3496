import { fleetKeys } from '../../src/fleet/model.js';
import type { Api } from './api.js';
import { expectStored } from './hub.js';
import { conditionNow, isTrue, listOf, withCondition, type Condition, type Stored } from './hub-objects.js';
import { headOf, pathOf, type Scope } from './paths.js';
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
}

interface RunStatus {
  readonly conditions?: readonly Condition[];
  readonly stagesStatus?: readonly StageStatus[];
  readonly stagedUpdateStrategySnapshot?: { readonly stages: readonly Stage[] };
  readonly resourceSnapshotIndexUsed?: string;
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

interface Binding extends Stored {
  readonly spec: { readonly state: string; readonly targetCluster: string };
}

const finalizer = 'kubernetes-fleet.io/stagedupdaterun-finalizer';

/**
 * Stands in for KubeFleet's controller of update runs: it writes what the real one writes, in the same order and through
 * the same subresources, a step at a time, and every wait repeats its creation of the approval request.
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
    await this.api.replace(pathOf('UpdateRun', scope, run.metadata.name), object);
  }

  private async letGo(run: Run, scope: Scope): Promise<void> {
    const ofRun = encodeURIComponent(`${fleetKeys.targetRun}=${run.metadata.name}`);
    await this.api.delete(`${pathOf('ApprovalRequest', scope)}?labelSelector=${ofRun}`);
    const finalizers = (run.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    const object = { ...run, ...headOf('UpdateRun', scope), metadata: { ...run.metadata, finalizers } };
    await this.api.replace(pathOf('UpdateRun', scope, run.metadata.name), object);
  }

  private async advance(run: Run, scope: Scope): Promise<void> {
    const next = isTrue(run.status?.conditions, 'Initialized')
      ? await this.execute(run, scope)
      : await this.initialize(run, scope);
    if (sayTheSame(next, run.status)) return;
    const object = { ...run, ...headOf('UpdateRun', scope), status: next };
    await this.api.replace(pathOf('UpdateRun', scope, `${run.metadata.name}/status`), object);
  }

  private async initialize(run: Run, scope: Scope): Promise<RunStatus> {
    const { placementName, stagedRolloutStrategyName, resourceSnapshotIndex } = run.spec;
    const answer = await this.api.get(pathOf('UpdateStrategy', scope, stagedRolloutStrategyName));
    const { spec } = expectStored(answer) as unknown as { spec: { stages: Stage[] } };
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
      conditions: [initialized(run)],
      stagesStatus,
      stagedUpdateStrategySnapshot: spec,
      resourceSnapshotIndexUsed: resourceSnapshotIndex || (await this.latestIndex(placementName, scope)),
      ...{ policySnapshotIndexUsed: '0', policyObservedClusterCount: scheduled.length },
      ...{ deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [] } },
    };
  }

  /** The newest resource snapshot; the first run of a placement makes one. */
  private async latestIndex(placement: string, scope: Scope): Promise<string> {
    const label = `${fleetKeys.parentPlacement}=${placement}`;
    const snapshots = await listOf(this.api, 'ResourceSnapshot', scope, label);
    const indices = snapshots.map(({ metadata }) => Number(metadata.labels?.[fleetKeys.resourceIndex]));
    if (indices.length > 0) return String(Math.max(...indices));
    await this.api.create(pathOf('ResourceSnapshot', scope), resourceSnapshot(placement, 0, scope));
    return '0';
  }

  private async execute(run: Run, scope: Scope): Promise<RunStatus> {
    const { status = {} } = run;
    if (run.spec.state === 'Initialize') return status;
    if (run.spec.state === 'Stop') return progressing(run, { status: 'False', reason: 'UpdateRunStopped' });
    const stages = status.stagesStatus ?? [];
    const index = stages.findIndex(({ conditions }) => !isTrue(conditions, 'Succeeded'));
    const stage = stages[index];
    if (stage === undefined) return succeeded(run);
    const next = await this.advanceStage(run, stage, scope);
    const stagesStatus = stages.with(index, next);
    const isWaiting = JSON.stringify(next) === JSON.stringify(stage);
    const reason = isWaiting ? 'UpdateRunWaiting' : 'UpdateRunProgressing';
    return { ...progressing(run, { status: isWaiting ? 'False' : 'True', reason }), stagesStatus };
  }

  /** One step: a gate, all clusters, a gate. */
  private async advanceStage(run: Run, stage: StageStatus, scope: Scope): Promise<StageStatus> {
    const before = await this.passGates(run, stage, { kind: 'before', scope });
    if (before !== undefined) return { ...stage, beforeStageTaskStatus: before, ...waiting(stage) };
    if (stage.clusters.some(({ conditions }) => !isTrue(conditions, 'Succeeded'))) {
      await this.rollOut(run, stage, scope);
      const done = [conditionNow('Started'), conditionNow('Succeeded')];
      const conditions = [conditionNow('Progressing', { reason: 'StageUpdatingStarted' })];
      return { ...stage, clusters: stage.clusters.map((cluster) => ({ ...cluster, conditions: done })), conditions };
    }
    const after = await this.passGates(run, stage, { kind: 'after', scope });
    if (after !== undefined) return { ...stage, afterStageTaskStatus: after, ...waiting(stage) };
    return { ...stage, conditions: [conditionNow('Succeeded', { reason: 'StageUpdatingSucceeded' })] };
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
        await this.api.create(pathOf('ApprovalRequest', scope), approvalFor(run, stage, { name, kind, scope }));
        const isApproved = await this.accept(name, { run: run.metadata.name, stage: stage.stageName }, scope);
        const created = isTrue(task.conditions, 'ApprovalRequestCreated')
          ? task.conditions
          : [conditionNow('ApprovalRequestCreated')];
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
      annotations: { [fleetKeys.resourceHash]: 'abc', 'kubernetes-fleet.io/number-of-resource-snapshots': '1' },
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
function waiting({ conditions }: StageStatus): Pick<StageStatus, 'conditions'> {
  const reason = 'StageUpdatingWaiting';
  if (conditions?.some((condition) => condition.reason === reason) === true) return { conditions };
  return { conditions: [conditionNow('Progressing', { status: 'False', reason })] };
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

function initialized({ metadata }: Run): Condition {
  return conditionNow('Initialized', {
    reason: 'UpdateRunInitializedSuccessfully',
    message: 'The UpdateRun initialized successfully',
    observedGeneration: metadata.generation,
  });
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
