import { decode } from '../../fleet/decode.js';
import { fieldOf, isObject } from '../../fleet/json.js';
import { storageVersion, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type {
  ClusterStatus,
  Condition,
  Dictionary,
  Families,
  FleetObject,
  Metadata,
  RunStatus,
  StageStatus,
} from '../../fleet/model.js';
import { SharedParts, type Uses } from './shared-parts.js';

/** Labels and annotations that rules read of what KubeFleet writes. Anyone may put more there, and nobody reads it. */
export const keysRead: readonly string[] = [...new Set<string>(Object.values(fleetKeys))];

/**
 * Makes dictionaries. Objects that are made without any prototype get a hash table of their own each; these have one that
 * is empty, and share their shape with all that have the same keys.
 */
const BareDictionary = function () {
  // Nothing is in it yet.
} as unknown as new () => Record<string, string>;
BareDictionary.prototype = Object.freeze(Object.create(null) as object);

const emptyDictionary: Dictionary = Object.freeze(new BareDictionary());

/**
 * Decodes objects for keeping, and keeps of them what rules read. 10,000 runs of 100 clusters hold a million entries of what
 * each cluster went through, nearly all of them alike: what is alike is kept once, and the messages and times of single
 * clusters, which no rule reads, not at all.
 */
export class Projection {
  private readonly shared = new SharedParts();
  private readonly uses = new WeakMap<object, Uses>();

  /** How much is kept beside the objects themselves. */
  get size(): SharedParts['size'] {
    return this.shared.size;
  }

  /** An object that is kept until it is released. */
  keep<F extends Family>(kind: KindOfFamily & { readonly family: F }, json: unknown): Families[F] {
    const uses: Uses = [];
    const object = new Sharing(this.shared, uses).object(kind, json);
    // A list that has grown has room for half as much again; its copy has not.
    this.uses.set(object, uses.slice());
    return object;
  }

  /** The object is not kept any more. */
  release(object: FleetObject): void {
    this.shared.release(this.uses.get(object) ?? []);
    this.uses.delete(object);
  }

  /** An object to look at once. */
  read<F extends Family>(kind: KindOfFamily & { readonly family: F }, json: unknown): Families[F] {
    return new Sharing(this.shared, undefined).object(kind, json);
  }
}

/** Decodes one object, with what it has in common with others. */
class Sharing {
  constructor(
    private readonly shared: SharedParts,
    private readonly uses: Uses | undefined,
  ) {}

  object<F extends Family>(kind: KindOfFamily & { readonly family: F }, json: unknown): Families[F] {
    const status = fieldOf(json, 'status');
    const isRun = kind.family === 'UpdateRun' && isObject(json);
    const { object } = decode(kind, isRun ? { ...json, status: withoutClusters(status) } : json);
    return alike({
      ...object,
      // Of an object that came as metadata alone, the API server names another version.
      apiVersion: this.text(`${kind.group}/${storageVersion}`),
      metadata: this.metadata(object.metadata, kind.family),
      ...this.commonParts(object, { kind, json: status }),
    });
  }

  private metadata({ labels, annotations, finalizers, ...metadata }: Metadata, family: Family): Metadata {
    return alike({
      ...withoutOwners(metadata),
      // Selectors of stages and placements may read any label of a cluster, and a freeze any of a placement that is read live.
      labels:
        family === 'MemberCluster' || (family === 'Placement' && this.uses === undefined) ? labels : dictionary(labels),
      annotations: dictionary(annotations),
      // What is asked is whether there are any.
      finalizers: finalizers.slice(0, 1),
    });
  }

  /** What objects have in common with others of their kind. */
  private commonParts(object: FleetObject, source: Source): object {
    if (source.kind.family === 'UpdateRun') return this.runParts(object as Families['UpdateRun'], source);
    if (source.kind.family !== 'ApprovalRequest') return {};
    const { status } = object as Families['ApprovalRequest'];
    return { status: { conditions: this.conditions(status.conditions) } };
  }

  private runParts({ spec, status }: Families['UpdateRun'], source: Source): object {
    const placementName = this.text(spec.placementName);
    const stagedRolloutStrategyName = this.text(spec.stagedRolloutStrategyName);
    return {
      spec: alike({ ...spec, placementName, stagedRolloutStrategyName }),
      status: this.runStatus(status, source),
    };
  }

  private runStatus(status: RunStatus, source: Source): RunStatus {
    const { stagesStatus, deletionStageStatus, stagedUpdateStrategySnapshot: strategy } = status;
    const stages = fieldOf(source.json, 'stagesStatus');
    const inStage = (stage: StageStatus, json: unknown): StageStatus => ({
      ...stage,
      stageName: this.text(stage.stageName),
      clusters: this.clusterList(fieldOf(json, 'clusters'), source.kind),
      conditions: this.conditions(stage.conditions),
    });
    return alike({
      ...status,
      conditions: this.conditions(status.conditions),
      ...(strategy && {
        stagedUpdateStrategySnapshot: this.once(`stages ${JSON.stringify(strategy)}`, () => strategy),
      }),
      ...(stagesStatus && {
        stagesStatus: stagesStatus.map((stage, index) =>
          inStage(stage, Array.isArray(stages) ? stages[index] : undefined),
        ),
      }),
      ...(deletionStageStatus && {
        deletionStageStatus: inStage(deletionStageStatus, fieldOf(source.json, 'deletionStageStatus')),
      }),
    });
  }

  /** When something became true is told by each object for itself; all else in the same few words. */
  private conditions(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.map(({ type, status, reason, message, ...rest }) =>
      alike({
        type: this.text(type),
        status: this.text(status),
        ...(reason !== undefined && { reason: this.text(reason) }),
        ...(message !== undefined && { message: this.text(message) }),
        ...rest,
      }),
    );
  }

  private clusterList(json: unknown, kind: KindOfFamily): readonly ClusterStatus[] {
    return Array.isArray(json) ? json.map((entry: unknown) => this.cluster(entry, kind)) : [];
  }

  private cluster(json: unknown, kind: KindOfFamily): ClusterStatus {
    const list = fieldOf(json, 'conditions');
    const conditions = Array.isArray(list)
      ? list.map((condition: unknown) => ({
          type: fieldOf(condition, 'type'),
          status: fieldOf(condition, 'status'),
          reason: fieldOf(condition, 'reason'),
        }))
      : [];
    const bare = {
      clusterName: fieldOf(json, 'clusterName'),
      conditions,
      clusterResourceOverrideSnapshots: fieldOf(json, 'clusterResourceOverrideSnapshots'),
      resourceOverrideSnapshots: fieldOf(json, 'resourceOverrideSnapshots'),
    };
    return this.once(`cluster ${JSON.stringify(bare)}`, () => decodeCluster(bare, kind));
  }

  private once<T>(key: string, make: () => T): T {
    return this.shared.once(key, this.uses, make);
  }

  private text(text: string): string {
    return this.once(`text ${text}`, () => text);
  }
}

/** The same object, built field by field: on Node 20 each copy that is made by `...` has a shape of its own, as large as itself. */
function alike<T extends object>(object: T): T {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) result[key] = value;
  return result as T;
}

function dictionary(entries: Dictionary): Dictionary {
  const result = new BareDictionary();
  for (const key of keysRead) {
    const value = entries[key];
    if (value !== undefined) result[key] = value;
  }
  return Object.keys(result).length === 0 ? emptyDictionary : result;
}

/** Owners are judged in the write that adds them, and never looked up. */
function withoutOwners<T extends Partial<Metadata>>({
  ownerReferences: _owners,
  ...metadata
}: T): Omit<T, 'ownerReferences'> {
  return metadata;
}

interface Source {
  readonly kind: KindOfFamily;
  /** The status as it came. */
  readonly json: unknown;
}

/** Reading the clusters one by one, and only those not met before, is what makes a large fleet quick to take up. */
function withoutClusters(status: unknown): unknown {
  if (!isObject(status)) return status;
  const stages = status['stagesStatus'];
  const deletion = status['deletionStageStatus'];
  return {
    ...status,
    ...(Array.isArray(stages) && { stagesStatus: stages.map(withoutOwnClusters) }),
    ...(isObject(deletion) && { deletionStageStatus: withoutOwnClusters(deletion) }),
  };
}

function withoutOwnClusters(stage: unknown): unknown {
  return isObject(stage) ? { ...stage, clusters: [] } : stage;
}

/** There is one decoder: the cluster is given to it in the smallest run that holds it. */
function decodeCluster(cluster: unknown, kind: KindOfFamily): ClusterStatus {
  const run = { status: { stagesStatus: [{ clusters: [cluster] }] } };
  const decoded = decode(kind as KindOfFamily & { family: 'UpdateRun' }, run).object;
  return decoded.status.stagesStatus?.[0]?.clusters[0] ?? { clusterName: '', conditions: [] };
}
