import type { Json } from '../harness/api.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { conditionNow, type Condition } from '../harness/hub-objects.js';
import { headOf, pathOf, type Scope } from '../harness/paths.js';
import type { Approval } from '../harness/stage-approval.js';
import { objectOf, run } from '../harness/world.js';

/** A gate of a run, as the status of the run tells of it. */
export interface PreparedGate {
  readonly stage: string;
  /** Whether the run has got there and has asked for the approval. */
  readonly isReached?: boolean;
}

export interface PreparedRun {
  readonly scope: Scope;
  readonly name: string;
  readonly gates: readonly PreparedGate[];
  readonly conditions?: readonly Condition[];
  /** Somebody has deleted it, and a finalizer holds it. */
  readonly isLeaving?: boolean;
}

/** Stores a run as it is in the midst of a rollout, with an approval gate after each stage. */
export async function storeRun(hub: Hub, prepared: PreparedRun): Promise<void> {
  const { scope, name, isLeaving = false } = prepared;
  const object = run(scope, name, { placementName: name, stagedRolloutStrategyName: name });
  const metadata = { ...(object['metadata'] as object), ...(isLeaving && { finalizers: ['example.com/hold'] }) };
  expectStored(await hub.api('admin').create(pathOf('UpdateRun', scope), { ...object, metadata }));
  await storeProgress(hub, prepared);
  if (isLeaving) expectStored(await hub.api('admin').delete(pathOf('UpdateRun', scope, name)));
}

/** Writes how far a run has come, as the hub agent does. */
export async function storeProgress(hub: Hub, { scope, name, gates, conditions = [] }: PreparedRun): Promise<void> {
  const stagesStatus = gates.map(({ stage, isReached = true }) => ({
    stageName: stage,
    clusters: [],
    afterStageTaskStatus: [
      {
        type: 'Approval',
        approvalRequestName: `${name}-after-${stage}`,
        ...(isReached && { conditions: [conditionNow('ApprovalRequestCreated')] }),
      },
    ],
  }));
  const status = { conditions: [conditionNow('Initialized'), ...conditions], stagesStatus };
  expectStored(await hub.api('hubAgent').patch(pathOf('UpdateRun', scope, `${name}/status`), 'merge', { status }));
}

export interface PreparedRequest {
  readonly scope: Scope;
  readonly name: string;
  readonly target: { readonly run: string; readonly stage: string };
  /** The conditions it has already; none at all where this is absent. */
  readonly conditions?: readonly Condition[];
  /** Somebody has deleted it and a finalizer holds it, so that its generation is 2. */
  readonly isLeaving?: boolean;
}

/** Stores an approval request as the hub agent makes it. */
export async function storeRequest(hub: Hub, { scope, name, target, ...more }: PreparedRequest): Promise<void> {
  const { conditions, isLeaving = false } = more;
  const api = hub.api('hubAgent');
  const object = objectOf('ApprovalRequest', scope, name, {
    parentStageRollout: target.run,
    targetStage: target.stage,
  });
  const metadata = { ...(object['metadata'] as object), ...(isLeaving && { finalizers: ['example.com/hold'] }) };
  const path = pathOf('ApprovalRequest', scope, name);
  const stored = expectStored(await api.create(pathOf('ApprovalRequest', scope), { ...object, metadata }));
  if (conditions !== undefined)
    expectStored(await api.replace(`${path}/status`, { ...stored, status: { conditions } }));
  if (isLeaving) expectStored(await api.delete(path));
}

/** A request as it is stored, read through the version that the controller reads. */
export async function readRequest(hub: Hub, scope: Scope, name: string): Promise<Approval> {
  const answer = await hub.api('hubAgent').get(pathOf('ApprovalRequest', scope, name));
  return expectStored(answer) as unknown as Approval;
}

const noted: readonly string[] = ['resourceVersion', 'managedFields'];

/** All of a request that no approval may touch, apart from what the API server itself counts and notes. */
export function restOf({ metadata, status, ...others }: Approval): object {
  return {
    ...others,
    metadata: Object.entries(metadata).filter(([field]) => !noted.includes(field)),
    conditions: (status?.conditions ?? []).filter(({ type }) => type !== 'Approved'),
    otherStatus: Object.keys(status ?? {}).filter((field) => field !== 'conditions'),
  };
}

/** The head of a request and where it is, for a manifest. */
export function nameOnly(scope: Scope, name: string, version: string): Json {
  const metadata = { name, ...(scope !== undefined && { namespace: scope }) };
  return { ...headOf('ApprovalRequest', scope, version), metadata };
}
