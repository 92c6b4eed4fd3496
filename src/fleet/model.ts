/*
 * The shapes rules read, by the field names on the wire. They hold what is judged and nothing else: lists are never
 * absent, defaults that the API server would have filled are filled, and fields of a wrong type are left out.
 */
import type { Oversize } from './oversize.js';

/** Without a prototype, so that any key is a plain key. */
export type Dictionary = Readonly<Record<string, string>>;

export interface Metadata {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels: Dictionary;
  readonly annotations: Dictionary;
  readonly finalizers: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** An object that takes another one with it when it is deleted. */
export type OwnerReference = Readonly<Record<'apiVersion' | 'kind' | 'name' | 'uid', string>>;

/** What every object of the fleet has. `apiVersion` is the version it was written in. */
export interface FleetObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels: Dictionary;
  readonly matchExpressions: readonly Requirement[];
}

export interface StageTask {
  readonly type: string;
  readonly waitTime?: string;
}

export interface Stage {
  readonly name: string;
  /** Absent selects nothing; an empty selector selects everything. */
  readonly labelSelector?: LabelSelector;
  readonly sortingLabelKey?: string;
  readonly maxConcurrency?: number | string;
  readonly beforeStageTasks: readonly StageTask[];
  readonly afterStageTasks: readonly StageTask[];
}

export interface StrategySpec {
  readonly stages: readonly Stage[];
  /** Measured once, as it is taken up; absent for a strategy that can be judged. */
  readonly oversize?: Oversize;
}

export interface UpdateStrategy extends FleetObject {
  readonly spec: StrategySpec;
}

export type RunState = 'Initialize' | 'Run' | 'Stop';

export interface RunSpec {
  readonly placementName: string;
  readonly stagedRolloutStrategyName: string;
  readonly resourceSnapshotIndex?: string;
  /** Set where the index is written, and empty. It means none, but the API server holds the run to it. */
  readonly hasEmptyIndex?: true;
  /** The API server fills an absent state with Initialize; so does the model. */
  readonly state: RunState;
}

export interface ClusterStatus {
  readonly clusterName: string;
  readonly conditions: readonly Condition[];
  readonly overrides?: readonly string[];
}

export interface TaskStatus {
  readonly type: string;
  readonly approvalRequestName?: string;
  readonly conditions: readonly Condition[];
}

export interface StageStatus {
  readonly stageName: string;
  readonly clusters: readonly ClusterStatus[];
  readonly beforeStageTaskStatus: readonly TaskStatus[];
  readonly afterStageTaskStatus: readonly TaskStatus[];
  readonly conditions: readonly Condition[];
}

export interface RunStatus {
  readonly policySnapshotIndexUsed?: string;
  readonly policyObservedClusterCount?: number;
  readonly resourceSnapshotIndexUsed?: string;
  readonly appliedStrategy?: ApplyStrategy;
  readonly stagedUpdateStrategySnapshot?: StrategySpec;
  readonly stagesStatus?: readonly StageStatus[];
  readonly deletionStageStatus?: StageStatus;
  readonly conditions: readonly Condition[];
}

export interface UpdateRun extends FleetObject {
  readonly spec: RunSpec;
  readonly status: RunStatus;
}

export interface ApprovalRequest extends FleetObject {
  readonly spec: { readonly parentStageRollout: string; readonly targetStage: string };
  readonly status: { readonly conditions: readonly Condition[] };
}

/** How a placement writes to its members; compared as a whole, after defaults. */
export interface ApplyStrategy {
  readonly type?: string;
  readonly comparisonOption?: string;
  readonly whenToApply?: string;
  readonly whenToTakeOver?: string;
  readonly allowCoOwnership?: boolean;
  readonly serverSideApplyConfig?: { readonly force?: boolean };
}

/** One way for a cluster to qualify. */
export interface ClusterSelectorTerm {
  readonly labelSelector?: LabelSelector;
  /** Whether it demands more, which is not read: properties of the cluster, or labels without end. */
  readonly isOpen: boolean;
}

export type Toleration = Readonly<Record<'key' | 'operator' | 'value', string>>;

export interface PlacementPolicy {
  readonly placementType?: string;
  readonly numberOfClusters?: number;
  readonly clusterNames: readonly string[];
  /** What the affinity demands; a cluster must fit one of them. Empty demands nothing. */
  readonly clusterSelectorTerms: readonly ClusterSelectorTerm[];
  readonly tolerations: readonly Toleration[];
  /** All but the number of clusters, as a text to compare: where it differs, KubeFleet makes a new policy snapshot. */
  readonly digest: string;
}

export interface ResourceSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name?: string;
  readonly labelSelector?: LabelSelector;
  readonly selectionScope?: string;
}

export interface RolloutStrategy {
  readonly type?: string;
  readonly applyStrategy?: ApplyStrategy;
}

export interface PlacementSpec {
  readonly policy?: PlacementPolicy;
  readonly strategy?: RolloutStrategy;
  readonly resourceSelectors: readonly ResourceSelector[];
  readonly revisionHistoryLimit?: number;
}

export interface Placement extends FleetObject {
  readonly spec: PlacementSpec;
  readonly status: { readonly conditions: readonly Condition[] };
}

export type ResourceSnapshot = FleetObject;

/** An override as KubeFleet applies it. */
export interface OverrideSnapshot extends FleetObject {
  /** The placement that it is for alone, where it names one. It is read of those in a namespace only. */
  readonly spec: { readonly placement?: { readonly name: string; readonly scope: string } };
}

export interface PolicySnapshotStatus {
  readonly observedCRPGeneration?: number;
  readonly conditions: readonly Condition[];
  readonly targetClusters: readonly { readonly clusterName: string; readonly selected: boolean }[];
}

export interface PolicySnapshot extends FleetObject {
  readonly spec: { readonly policy?: PlacementPolicy };
  readonly status: PolicySnapshotStatus;
}

export interface BindingSpec {
  readonly state: string;
  readonly targetCluster: string;
  readonly schedulingPolicySnapshotName: string;
  readonly resourceSnapshotName?: string;
  readonly overrides?: readonly string[];
}

export interface Binding extends FleetObject {
  readonly spec: BindingSpec;
  /** When a run last wrote to it (updaterun/execution.go updateBindingRolloutStarted). */
  readonly rolledOutAt?: string;
}

export type Taint = Readonly<Record<'key' | 'value', string>>;

export interface MemberCluster extends FleetObject {
  readonly spec: { readonly taints: readonly Taint[] };
}

/** A request to take a placement away from one cluster. */
export interface Eviction extends FleetObject {
  readonly spec: { readonly placementName: string; readonly clusterName: string };
}

/** The model type of each family. */
export interface Families {
  UpdateRun: UpdateRun;
  UpdateStrategy: UpdateStrategy;
  ApprovalRequest: ApprovalRequest;
  Placement: Placement;
  ResourceSnapshot: ResourceSnapshot;
  PolicySnapshot: PolicySnapshot;
  Binding: Binding;
  MemberCluster: MemberCluster;
  Eviction: Eviction;
  OverrideSnapshot: OverrideSnapshot;
}

/** The condition of a type, if it is there. */
export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}
