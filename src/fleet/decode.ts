import { applyStrategy, labelSelector, policy, resourceSelector, rolloutStrategy } from './decode-placement.js';
import { overrides, rolloutTime } from './decode-rollout.js';
import { JsonReader, present, type ShapeProblem } from './json.js';
import type { Family, FamilyOf, Group, KindOfFamily } from './kinds.js';
import type {
  Binding,
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
import { measure } from './strategy-size.js';

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
    apiVersion: root.text('apiVersion') ?? '',
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
        resourceSnapshotIndex: root.field('spec').text('resourceSnapshotIndex') || undefined,
        hasEmptyIndex: root.field('spec').text('resourceSnapshotIndex') === '' ? true : undefined,
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
        revisionHistoryLimit: root.field('spec').number('revisionHistoryLimit'),
      }),
      status: { conditions: conditions(root.field('status')) },
    }),
    ResourceSnapshot: () => ({}),
    PolicySnapshot: (root) => ({
      spec: present<PolicySnapshot['spec']>({ policy: root.field('spec').field('policy').optional(policy) }),
      status: present<PolicySnapshotStatus>({
        observedCRPGeneration: root.field('status').number('observedCRPGeneration'),
        conditions: conditions(root.field('status')),
        targetClusters: root
          .field('status')
          .field('targetClusters')
          .list((item) => ({
            clusterName: item.text('clusterName') ?? '',
            selected: item.field('selected').boolean() ?? false,
          })),
      }),
    }),
    Binding: (root) => ({
      ...present<Pick<Binding, 'rolledOutAt'>>({ rolledOutAt: rolloutTime(root.field('status')) }),
      spec: present<BindingSpec>({
        state: root.field('spec').text('state') ?? '',
        targetCluster: root.field('spec').text('targetCluster') ?? '',
        schedulingPolicySnapshotName: root.field('spec').text('schedulingPolicySnapshotName') ?? '',
        resourceSnapshotName: root.field('spec').text('resourceSnapshotName'),
        overrides: overrides(root.field('spec')),
      }),
    }),
    Eviction: (root) => ({
      spec: {
        placementName: root.field('spec').field('placementName').requiredString(),
        clusterName: root.field('spec').field('clusterName').requiredString(),
      },
    }),
    OverrideSnapshot: (root) => {
      const placement = root.field('spec').field('overrideSpec').field('placement');
      const name = placement.text('name');
      return { spec: name === undefined ? {} : { placement: { name, scope: placement.text('scope') ?? 'Cluster' } } };
    },
  },
  'cluster.kubernetes-fleet.io': {
    MemberCluster: (root) => ({
      spec: {
        taints: root
          .field('spec')
          .field('taints')
          .list((item) => ({ key: item.text('key') ?? '', value: item.text('value') ?? '' })),
      },
    }),
  },
};

function metadata(reader: JsonReader, { family, namespaced }: KindOfFamily): Metadata {
  return present<Metadata>({
    name: reader.text('name') ?? '',
    generateName: reader.text('generateName'),
    namespace: namespaced ? reader.text('namespace') : undefined,
    uid: reader.text('uid'),
    resourceVersion: reader.text('resourceVersion'),
    generation: reader.number('generation'),
    creationTimestamp: reader.text('creationTimestamp'),
    deletionTimestamp: reader.text('deletionTimestamp'),
    labels: reader.field('labels').dictionary(),
    annotations: reader.field('annotations').dictionary(),
    finalizers: reader.field('finalizers').texts(),
    // Nobody asks who owns anything else.
    ownerReferences: family === 'Placement' ? reader.field('ownerReferences').optionalList(owner) : undefined,
  });
}

function owner(reader: JsonReader): OwnerReference {
  return {
    apiVersion: reader.text('apiVersion') ?? '',
    kind: reader.text('kind') ?? '',
    name: reader.text('name') ?? '',
    uid: reader.text('uid') ?? '',
  };
}

export function conditions(owner: JsonReader): readonly Condition[] {
  return owner.field('conditions').list(condition);
}

export function condition(item: JsonReader): Condition {
  return present<Condition>({
    type: item.text('type') ?? '',
    status: item.text('status') ?? '',
    reason: item.text('reason'),
    message: item.text('message'),
    observedGeneration: item.number('observedGeneration'),
    lastTransitionTime: item.text('lastTransitionTime'),
  });
}

function task(reader: JsonReader): StageTask {
  return present<StageTask>({
    type: reader.field('type').requiredString(),
    waitTime: reader.text('waitTime'),
  });
}

function stage(reader: JsonReader): Stage {
  return present<Stage>({
    name: reader.field('name').requiredString(),
    labelSelector: reader.field('labelSelector').optional(labelSelector),
    sortingLabelKey: reader.text('sortingLabelKey'),
    maxConcurrency: reader.field('maxConcurrency').integerOrString(),
    beforeStageTasks: reader.field('beforeStageTasks').list(task),
    afterStageTasks: reader.field('afterStageTasks').list(task),
  });
}

function strategySpec(reader: JsonReader): StrategySpec {
  const stages = reader.field('stages').list(stage);
  return present<StrategySpec>({ stages, oversize: measure(stages) });
}

function taskStatus(reader: JsonReader): TaskStatus {
  return present<TaskStatus>({
    type: reader.text('type') ?? '',
    approvalRequestName: reader.text('approvalRequestName'),
    conditions: conditions(reader),
  });
}

function clusterStatus(reader: JsonReader): ClusterStatus {
  return present<ClusterStatus>({
    clusterName: reader.text('clusterName') ?? '',
    conditions: conditions(reader),
    overrides: overrides(reader),
  });
}

function stageStatus(reader: JsonReader): StageStatus {
  return {
    stageName: reader.text('stageName') ?? '',
    clusters: reader.field('clusters').list(clusterStatus),
    beforeStageTaskStatus: reader.field('beforeStageTaskStatus').list(taskStatus),
    afterStageTaskStatus: reader.field('afterStageTaskStatus').list(taskStatus),
    conditions: conditions(reader),
  };
}

function runStatus(reader: JsonReader): RunStatus {
  return present<RunStatus>({
    policySnapshotIndexUsed: reader.text('policySnapshotIndexUsed'),
    policyObservedClusterCount: reader.number('policyObservedClusterCount'),
    resourceSnapshotIndexUsed: reader.text('resourceSnapshotIndexUsed'),
    appliedStrategy: reader.field('appliedStrategy').optional(applyStrategy),
    stagedUpdateStrategySnapshot: reader.field('stagedUpdateStrategySnapshot').optional(strategySpec),
    stagesStatus: reader.field('stagesStatus').optionalList(stageStatus),
    deletionStageStatus: reader.field('deletionStageStatus').optional(stageStatus),
    conditions: conditions(reader),
  });
}
