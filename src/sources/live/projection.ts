import { decode } from '../../fleet/decode.js';
import { fieldOf, isObject } from '../../fleet/json.js';
import { storageVersion, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import type {
  ClusterStatus,
  Condition,
  Dictionary,
  Families,
  FleetObject,
  RunStatus,
  StageStatus,
} from '../../fleet/model.js';

/** A table of what was seen before forgets everything when it gets this long; that costs memory, never truth. */
const mostRemembered = 50_000;

/** Whole manifests again, in the annotations of everything that kubectl applied. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Decodes objects for keeping. 10,000 runs of 100 clusters hold a million entries of what each cluster went through, nearly
 * all of them alike: what is alike is kept once, and the messages and times of single clusters, which no rule reads, not
 * at all.
 */
export class Projection {
  private readonly clusters = new Map<string, ClusterStatus>();
  private readonly parts = new Map<string, unknown>();
  private readonly texts = new Map<string, string>();

  object<F extends Family>(kind: KindOfFamily & { readonly family: F }, json: unknown): Families[F] {
    if (kind.family !== 'UpdateRun') return this.lean(kind, decode(kind, json).object);
    const status = fieldOf(json, 'status');
    const bare = isObject(json) ? { ...json, status: withoutClusters(status) } : json;
    const run = this.lean(kind, decode(kind, bare).object) as unknown as Families['UpdateRun'];
    return { ...run, status: this.runStatus(run.status, { kind, json: status }) } as unknown as Families[F];
  }

  private lean<T extends FleetObject>({ group }: KindOfFamily, object: T): T {
    const { labels, annotations, finalizers, ...metadata } = object.metadata;
    return {
      ...object,
      // Of an object that came as metadata alone, the API server names another version.
      apiVersion: this.text(`${group}/${storageVersion}`),
      metadata: {
        ...metadata,
        labels: this.dictionary(labels),
        annotations: this.dictionary(annotations),
        finalizers: this.once(`finalizers ${finalizers.join()}`, () => finalizers),
      },
    };
  }

  private dictionary(entries: Dictionary): Dictionary {
    const kept = Object.keys(entries).filter((key) => key !== lastApplied);
    const key = JSON.stringify(kept.map((name) => [name, entries[name]]));
    return this.once(key, () => {
      const result = Object.create(null) as Record<string, string>;
      for (const name of kept) result[this.text(name)] = entries[name] ?? '';
      return result;
    });
  }

  private runStatus(status: RunStatus, source: Source): RunStatus {
    const { conditions, stagesStatus, deletionStageStatus, stagedUpdateStrategySnapshot, ...rest } = status;
    const stages = fieldOf(source.json, 'stagesStatus');
    const inStage = (stage: StageStatus, json: unknown): StageStatus => ({
      ...stage,
      stageName: this.text(stage.stageName),
      clusters: this.clusterList(fieldOf(json, 'clusters'), source.kind),
      conditions: this.conditions(stage.conditions),
    });
    return {
      ...rest,
      conditions: this.conditions(conditions),
      ...(stagedUpdateStrategySnapshot && {
        stagedUpdateStrategySnapshot: this.once(
          `stages ${JSON.stringify(stagedUpdateStrategySnapshot)}`,
          () => stagedUpdateStrategySnapshot,
        ),
      }),
      ...(stagesStatus && {
        stagesStatus: stagesStatus.map((stage, index) =>
          inStage(stage, Array.isArray(stages) ? stages[index] : undefined),
        ),
      }),
      ...(deletionStageStatus && {
        deletionStageStatus: inStage(deletionStageStatus, fieldOf(source.json, 'deletionStageStatus')),
      }),
    };
  }

  private conditions(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.map((condition) => this.once(`condition ${JSON.stringify(condition)}`, () => condition));
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
    const bare = { clusterName: fieldOf(json, 'clusterName'), conditions };
    return remember(this.clusters, JSON.stringify(bare), () => decodeCluster(bare, kind));
  }

  private once<T>(key: string, make: () => T): T {
    return remember(this.parts, key, make) as T;
  }

  private text(text: string): string {
    return remember(this.texts, text, () => text);
  }
}

interface Source {
  readonly kind: KindOfFamily;
  /** The status as it came. */
  readonly json: unknown;
}

function remember<T>(table: Map<string, T>, key: string, make: () => T): T {
  const known = table.get(key);
  if (known !== undefined) return known;
  if (table.size >= mostRemembered) table.clear();
  const value = make();
  table.set(key, value);
  return value;
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
