import { isCreationOrStart, operations, type Change, type Operation } from '../engine/change.js';
import { isApproved } from '../fleet/approval.js';
import { sameJson } from '../fleet/json.js';
import { kindIn, kinds, lossyVersion, type Family } from '../fleet/kinds.js';
import type { ApprovalRequest } from '../fleet/model.js';
import type { CelCondition } from '../engine/cel.js';
import { matchConditions } from './match-conditions.js';

/** One resource of a webhook's `rules`. */
export interface HookResource {
  readonly group: string;
  readonly plural: string;
  readonly operations: readonly Operation[];
  readonly subresource?: 'status';
}

/** One webhook of the configurations. Its name says what it is for; whoever is refused reads it. */
export interface Hook {
  readonly name: string;
  readonly phase: 'validate' | 'mutate';
  readonly resources: readonly HookResource[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** Which of these writes it matches, in words. */
  readonly only: string;
  /** The same in the words of the API server. */
  readonly matchConditions: readonly CelCondition[];
  /** The same for a decoded change; hooks stand in an order in which the first match is the one. */
  readonly matches: (change: Change) => boolean;
}

type Writes = Pick<HookResource, 'operations' | 'subresource'>;

function bothScopes(family: Family, writes: Writes): readonly HookResource[] {
  return kinds.filter((kind) => kind.family === family).map(({ group, plural }) => ({ group, plural, ...writes }));
}

const always = (): boolean => true;
const onStatus: Writes = { operations: ['UPDATE'], subresource: 'status' };

export const hooks: readonly Hook[] = [
  {
    name: 'run-starts.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('UpdateRun', { operations: ['CREATE', 'UPDATE'] }),
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    sideEffects: 'NoneOnDryRun',
    only: 'creation, state becomes Run, or a write through v1alpha1; not while being deleted',
    matchConditions: matchConditions.runStarts,
    matches: (change) => isCreationOrStart(change) || isThroughAlpha(change),
  },
  {
    name: 'run-changes.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('UpdateRun', { operations: ['UPDATE'] }),
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'spec differs; not by the hub agent, not while being deleted, not what run-starts matches',
    matchConditions: matchConditions.runChanges,
    matches: always,
  },
  {
    name: 'run-status.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('UpdateRun', onStatus),
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    sideEffects: 'None',
    only: 'not by the hub agent',
    matchConditions: matchConditions.runStatus,
    matches: always,
  },
  {
    name: 'strategies.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('UpdateStrategy', { operations: ['CREATE', 'UPDATE'] }),
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'spec differs, or a write through v1alpha1 unless the strategy is being deleted',
    matchConditions: matchConditions.strategies,
    matches: always,
  },
  {
    name: 'approval-grants.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('ApprovalRequest', onStatus),
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'the Approved condition differs, or ApprovalAccepted is set where no approval is stored; not by the hub agent',
    matchConditions: matchConditions.approvalGrants,
    matches: opensGate,
  },
  {
    name: 'approval-changes.validate.stageguard.io',
    phase: 'validate',
    resources: [
      ...bothScopes('ApprovalRequest', { operations: ['CREATE'] }),
      ...bothScopes('ApprovalRequest', onStatus),
    ],
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    sideEffects: 'None',
    only: 'not by the hub agent, not what approval-grants matches',
    matchConditions: matchConditions.approvalChanges,
    matches: always,
  },
  {
    name: 'approval-grants.mutate.stageguard.io',
    phase: 'mutate',
    resources: bothScopes('ApprovalRequest', onStatus),
    // An approval without its stamp is ignored by the controller in silence, which is worse than a refusal.
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'the Approved condition differs from the stored one or is not stamped right; not by the hub agent',
    matchConditions: matchConditions.approvalStamps,
    matches: always,
  },
  {
    name: 'approval-hints.mutate.stageguard.io',
    phase: 'mutate',
    resources: bothScopes('ApprovalRequest', { operations: ['UPDATE'] }),
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    sideEffects: 'None',
    only: 'status differs; not by the hub agent',
    matchConditions: matchConditions.approvalHints,
    matches: always,
  },
  {
    name: 'deletions.validate.stageguard.io',
    phase: 'validate',
    resources: (['UpdateRun', 'UpdateStrategy', 'ApprovalRequest', 'Placement'] as const).flatMap((family) =>
      bothScopes(family, { operations: ['DELETE'] }),
    ),
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    sideEffects: 'None',
    only: 'not by the hub agent, the namespace controller or the garbage collector',
    matchConditions: matchConditions.deletions,
    matches: always,
  },
  {
    name: 'placements.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('Placement', { operations: ['UPDATE'] }),
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'spec or owners differ; not by the hub agent, not while being deleted',
    matchConditions: matchConditions.placements,
    matches: always,
  },
  {
    name: 'member-clusters.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('MemberCluster', { operations }),
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'None',
    only: 'labels, taints or deletionTimestamp differ; not by the hub agent',
    matchConditions: matchConditions.memberClusters,
    matches: always,
  },
  {
    name: 'evictions.validate.stageguard.io',
    phase: 'validate',
    resources: bothScopes('Eviction', { operations: ['CREATE'] }),
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    sideEffects: 'None',
    only: 'every creation',
    matchConditions: matchConditions.evictions,
    matches: always,
  },
];

/** The webhook a change comes through; undefined for writes that none of them is asked about. */
export function hookFor(change: Change, phase: Hook['phase']): Hook | undefined {
  const { group, plural } = kindIn(change.family, change.namespace);
  return hooks.find(
    (hook) =>
      hook.phase === phase &&
      hook.resources.some(
        (resource) =>
          resource.group === group &&
          resource.plural === plural &&
          resource.subresource === change.subresource &&
          resource.operations.includes(change.operation),
      ) &&
      hook.matches(change),
  );
}

function isThroughAlpha(change: Change): boolean {
  return change.requestVersion === lossyVersion;
}

function opensGate(change: Change): boolean {
  if (change.family !== 'ApprovalRequest' || change.operation !== 'UPDATE') return false;
  const { object, oldObject } = change;
  const differs = (type: string): boolean => !sameJson(conditionsOf(object, type), conditionsOf(oldObject, type));
  if (differs('Approved')) return true;
  const isAcceptance = conditionsOf(object, 'ApprovalAccepted').length > 0 && differs('ApprovalAccepted');
  return isAcceptance && !isApproved(oldObject);
}

function conditionsOf({ status }: ApprovalRequest, wanted: string): readonly unknown[] {
  return status.conditions.filter(({ type }) => type === wanted);
}
