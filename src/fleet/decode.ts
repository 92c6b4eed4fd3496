import { applyStrategy, labelSelector, policy, resourceSelector, rolloutStrategy } from './decode-placement.js';
import { JsonReader, present, type ShapeProblem } from './json.js';
import type { Family, FamilyOf, Group, KindOfFamily } from './kinds.js';
import type {
  BindingSpec,
  ClusterStatus,
  Condition,
  Families,
  FleetObject,
  Metadata,
  OwnerReference,
  PlacementSpec,
  PolicySnapshot,
  PolicySnapshotStatus,
  RunSpec,
  RunStatus,
  Stage,
  StageStatus,
  StageTask,
  StrategySpec,
  TaskStatus,
} from './model.js';
import { formatPath, type Path } from './path.js';

/** An object of the model, and what of the JSON did not fit it. */
export interface Decoded<T> {
  readonly object: T;
  readonly problems: readonly ShapeProblem[];
}

/** Turns any JSON into the model; never throws, and reads what has a wrong type as absent. */
export function decode<F extends Family>(kind: KindOfFamily & { family: F }, json: unknown): Decoded<Families[F]> {
  const problems: ShapeProblem[] = [];
  const root = new JsonReader(json, problems);
  const base: FleetObject = {
    apiVersion: root.field('apiVersion').string() ?? '',
    kind: kind.kind,
    metadata: metadata(root.field('metadata'), kind),
  };
  const object = { ...base, ...bodyOf(kind)(root) } as unknown as Families[F];
  return { object, problems: outermost(problems) };
}

/** One problem a place, and none below a place that is itself of a wrong type. */
function outermost(problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  if (problems.length === 0) return problems;
  const byPath = new Map(problems.map((problem) => [formatPath(problem.path), problem]));
  const isInside = (path: Path): boolean => path.some((_, length) => byPath.has(formatPath(path.slice(0, length))));
  return [...byPath.values()].filter((problem) => !isInside(problem.path));
}

/** Reads the parts of an object beside its metadata. */
type Body<F extends Family> = (root: JsonReader) => Omit<Families[F], keyof FleetObject>;

function bodyOf({ group, family }: KindOfFamily): Body<Family> {
  // The table of kinds has the family in this group; the compiler cannot follow it there.
  return (bodies[group] as Record<Family, Body<Family>>)[family];
}

/** What each group calls its fields: one object a group, with every family of it. */
const bodies: { [G in Group]: { [F in FamilyOf<G>]: Body<F> } } = {
  'placement.kubernetes-fleet.io': {
    UpdateRun: (root) => ({
      spec: present<RunSpec>({
        placementName: root.field('spec').field('placementName').requiredString(),
        stagedRolloutStrategyName: root.field('spec').field('stagedRolloutStrategyName').requiredString(),
        // The controller writes "" where the field was absent and reads both alike (updaterun/initialization.go).
        resourceSnapshotIndex: root.field('spec').field('resourceSnapshotIndex').string() || undefined,
        hasEmptyIndex: root.field('spec').field('resourceSnapshotIndex').string() === '' ? true : undefined,
        state: root.field('spec').field('state').oneOf(['Initialize', 'Run', 'Stop']) ?? 'Initialize',
      }),
      status: runStatus(root.field('status')),
    }),
    UpdateStrategy: (root) => ({ spec: strategySpec(root.field('spec')) }),
    ApprovalRequest: (root) => ({
      spec: {
        parentStageRollout: root.field('spec').field('parentStageRollout').requiredString(),
        targetStage: root.field('spec').field('targetStage').requiredString(),
      },
      status: { conditions: conditions(root.field('status')) },
    }),
    Placement: (root) => ({
      spec: present<PlacementSpec>({
        policy: root.field('spec').field('policy').optional(policy),
        strategy: root.field('spec').field('strategy').optional(rolloutStrategy),
        resourceSelectors: root.field('spec').field('resourceSelectors').list(resourceSelector),
        revisionHistoryLimit: root.field('spec').field('revisionHistoryLimit').integer(),
      }),
      status: { conditions: conditions(root.field('status')) },
    }),
    ResourceSnapshot: () => ({}),
    PolicySnapshot: (root) => ({
      spec: present<PolicySnapshot['spec']>({ policy: root.field('spec').field('policy').optional(policy) }),
      status: present<PolicySnapshotStatus>({
        observedCRPGeneration: root.field('status').field('observedCRPGeneration').integer(),
        conditions: conditions(root.field('status')),
        targetClusters: root
          .field('status')
          .field('targetClusters')
          .list((item) => ({
            clusterName: item.field('clusterName').string() ?? '',
            selected: item.field('selected').boolean() ?? false,
          })),
      }),
    }),
    Binding: (root) => ({
      spec: present<BindingSpec>({
        state: root.field('spec').field('state').string() ?? '',
        targetCluster: root.field('spec').field('targetCluster').string() ?? '',
        schedulingPolicySnapshotName: root.field('spec').field('schedulingPolicySnapshotName').string() ?? '',
        resourceSnapshotName: root.field('spec').field('resourceSnapshotName').string(),
      }),
    }),
    Eviction: (root) => ({
      spec: {
        placementName: root.field('spec').field('placementName').requiredString(),
        clusterName: root.field('spec').field('clusterName').requiredString(),
      },
    }),
    OverrideSnapshot: () => ({}),
  },
  'cluster.kubernetes-fleet.io': {
    MemberCluster: (root) => ({
      spec: {
        taints: root
          .field('spec')
          .field('taints')
          .list((item) => ({ key: item.field('key').string() ?? '', value: item.field('value').string() ?? '' })),
      },
    }),
  },
};

function metadata(reader: JsonReader, { family, namespaced }: KindOfFamily): Metadata {
  return present<Metadata>({
    name: reader.field('name').string() ?? '',
    generateName: reader.field('generateName').string(),
    namespace: namespaced ? reader.field('namespace').string() : undefined,
    uid: reader.field('uid').string(),
    resourceVersion: reader.field('resourceVersion').string(),
    generation: reader.field('generation').integer(),
    creationTimestamp: reader.field('creationTimestamp').string(),
    deletionTimestamp: reader.field('deletionTimestamp').string(),
    labels: reader.field('labels').dictionary(),
    annotations: reader.field('annotations').dictionary(),
    finalizers: reader.field('finalizers').list((item) => item.string() ?? ''),
    // Nobody asks who owns anything else.
    ownerReferences: family === 'Placement' ? reader.field('ownerReferences').optionalList(owner) : undefined,
  });
}

function owner(reader: JsonReader): OwnerReference {
  return {
    apiVersion: reader.field('apiVersion').string() ?? '',
    kind: reader.field('kind').string() ?? '',
    name: reader.field('name').string() ?? '',
    uid: reader.field('uid').string() ?? '',
  };
}

export function conditions(owner: JsonReader): readonly Condition[] {
  return owner.field('conditions').list(condition);
}

export function condition(item: JsonReader): Condition {
  return present<Condition>({
    type: item.field('type').string() ?? '',
    status: item.field('status').string() ?? '',
    reason: item.field('reason').string(),
    message: item.field('message').string(),
    observedGeneration: item.field('observedGeneration').integer(),
    lastTransitionTime: item.field('lastTransitionTime').string(),
  });
}

function task(reader: JsonReader): StageTask {
  return present<StageTask>({
    type: reader.field('type').requiredString(),
    waitTime: reader.field('waitTime').string(),
  });
}

function stage(reader: JsonReader): Stage {
  return present<Stage>({
    name: reader.field('name').requiredString(),
    labelSelector: reader.field('labelSelector').optional(labelSelector),
    sortingLabelKey: reader.field('sortingLabelKey').string(),
    maxConcurrency: reader.field('maxConcurrency').integerOrString(),
    beforeStageTasks: reader.field('beforeStageTasks').list(task),
    afterStageTasks: reader.field('afterStageTasks').list(task),
  });
}

function strategySpec(reader: JsonReader): StrategySpec {
  return { stages: reader.field('stages').list(stage) };
}

function taskStatus(reader: JsonReader): TaskStatus {
  return present<TaskStatus>({
    type: reader.field('type').string() ?? '',
    approvalRequestName: reader.field('approvalRequestName').string(),
    conditions: conditions(reader),
  });
}

function clusterStatus(reader: JsonReader): ClusterStatus {
  return { clusterName: reader.field('clusterName').string() ?? '', conditions: conditions(reader) };
}

function stageStatus(reader: JsonReader): StageStatus {
  return {
    stageName: reader.field('stageName').string() ?? '',
    clusters: reader.field('clusters').list(clusterStatus),
    beforeStageTaskStatus: reader.field('beforeStageTaskStatus').list(taskStatus),
    afterStageTaskStatus: reader.field('afterStageTaskStatus').list(taskStatus),
    conditions: conditions(reader),
  };
}

function runStatus(reader: JsonReader): RunStatus {
  return present<RunStatus>({
    policySnapshotIndexUsed: reader.field('policySnapshotIndexUsed').string(),
    policyObservedClusterCount: reader.field('policyObservedClusterCount').integer(),
    resourceSnapshotIndexUsed: reader.field('resourceSnapshotIndexUsed').string(),
    appliedStrategy: reader.field('appliedStrategy').optional(applyStrategy),
    stagedUpdateStrategySnapshot: reader.field('stagedUpdateStrategySnapshot').optional(strategySpec),
    stagesStatus: reader.field('stagesStatus').optionalList(stageStatus),
    deletionStageStatus: reader.field('deletionStageStatus').optional(stageStatus),
    conditions: conditions(reader),
  });
}
