import { condition, conditions } from './decode.js';
import { fleetKeys } from './fleet-keys.js';
import { fieldOf, JsonReader, present } from './json.js';
import { kindIn } from './kinds.js';
import type { Condition, Metadata, UpdateRun } from './model.js';
import type { ListAnswer } from './state.js';

/*
 * What is reported of the clusters of one run: by its bindings, by the works behind them and by the member agents. No
 * verdict rests on it, so that it is read for a diagnosis alone, and never watched.
 */

/** Who reports. */
export type Reporter = Pick<Metadata, 'name' | 'namespace' | 'generation' | 'deletionTimestamp' | 'finalizers'> & {
  readonly kind: string;
  readonly conditions: readonly Condition[];
};

/** A resource on a cluster, and what became of it there. */
export interface PlacedResource {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly conditions: readonly Condition[];
}

/** A resource that is not on a cluster what it is on the hub. */
export interface DifferingResource extends PlacedResource {
  readonly list: 'diffedPlacements' | 'driftedPlacements';
  readonly fields: readonly { readonly path: string; readonly onHub?: string; readonly onMember?: string }[];
}

export interface BindingReport extends Reporter {
  readonly cluster: string;
  readonly resourceSnapshotName: string;
  readonly state: string;
  /** Resources that did not arrive. */
  readonly failed: readonly PlacedResource[];
  /** What differs from them on the cluster, which may keep them from being taken over or applied. */
  readonly differing: readonly DifferingResource[];
}

export interface WorkReport extends Reporter {
  readonly binding: string;
  readonly manifests: readonly PlacedResource[];
}

export interface MemberReport extends Reporter {
  readonly heartbeatSeconds: number;
  /** When the agent last spoke; undefined where it never did. */
  readonly lastHeartbeat?: string;
  readonly agent: readonly Condition[];
}

/** All that was read. Where `complete` is false there may be more. */
export interface Reports {
  /** The run with its whole status; a watched one keeps only what rules read. */
  readonly run: UpdateRun;
  readonly bindings: ListAnswer<BindingReport>;
  readonly works: ListAnswer<WorkReport>;
  readonly members: ListAnswer<MemberReport>;
}

/** Where the members' works are kept, and by which labels they are found (KubeFleet apis/placement/v1beta1/work_types.go). */
export const workKind = { group: 'placement.kubernetes-fleet.io', kind: 'Work', plural: 'works' } as const;
export const parentBinding = 'kubernetes-fleet.io/parent-resource-binding';

/** The namespace on the hub of what goes to one cluster (KubeFleet pkg/utils NamespaceNameFormat). */
export function namespaceOfMember(cluster: string): string {
  return `fleet-member-${cluster}`;
}

export function bindingReport(json: unknown, namespace: string | undefined): BindingReport {
  const root = reader(json);
  const spec = root.field('spec');
  const status = root.field('status');
  return {
    ...reporter(root, kindIn('Binding', namespace).kind),
    cluster: spec.field('targetCluster').string() ?? '',
    resourceSnapshotName: spec.field('resourceSnapshotName').string() ?? '',
    state: spec.field('state').string() ?? '',
    failed: status.field('failedPlacements').list((item) => resource(item, [condition(item.field('condition'))])),
    differing: [
      ...differing(status, 'diffedPlacements', 'observedDiffs'),
      ...differing(status, 'driftedPlacements', 'observedDrifts'),
    ],
  };
}

function differing(status: JsonReader, list: DifferingResource['list'], fields: string): readonly DifferingResource[] {
  return status.field(list).list((item) => ({
    ...resource(item, []),
    list,
    fields: item.field(fields).list((field) =>
      present<DifferingResource['fields'][number]>({
        path: field.field('path').string() ?? '',
        onHub: field.field('valueInHub').string(),
        onMember: field.field('valueInMember').string(),
      }),
    ),
  }));
}

export function workReport(json: unknown): WorkReport {
  const root = reader(json);
  return {
    ...reporter(root, workKind.kind),
    binding: root.field('metadata').field('labels').field(parentBinding).string() ?? '',
    manifests: root
      .field('status')
      .field('manifestConditions')
      .list((item) => resource(item.field('identifier'), conditions(item))),
  };
}

export function memberReport(json: unknown): MemberReport {
  const root = reader(json);
  const agents = root.field('status').field('agentStatus');
  const [agent] = agents
    .list((item) => ({
      type: item.field('type').string(),
      lastHeartbeat: item.field('lastReceivedHeartbeat').string(),
      conditions: conditions(item),
    }))
    .filter(({ type }) => type === 'MemberAgent');
  return {
    ...reporter(root, kindIn('MemberCluster', undefined).kind),
    heartbeatSeconds: root.field('spec').field('heartbeatPeriodSeconds').integer() ?? 60,
    ...(agent?.lastHeartbeat !== undefined && { lastHeartbeat: agent.lastHeartbeat }),
    agent: agent?.conditions ?? [],
  };
}

function reader(json: unknown): JsonReader {
  return new JsonReader(json, []);
}

function reporter(root: JsonReader, kind: string): Reporter {
  const metadata = root.field('metadata');
  return present<Reporter>({
    kind,
    name: metadata.field('name').string() ?? '',
    namespace: metadata.field('namespace').string(),
    generation: metadata.field('generation').integer(),
    deletionTimestamp: metadata.field('deletionTimestamp').string(),
    finalizers: metadata.field('finalizers').list((item) => item.string() ?? ''),
    conditions: conditions(root.field('status')),
  });
}

function resource(identifier: JsonReader, conditions: readonly Condition[]): PlacedResource {
  return present<PlacedResource>({
    kind: identifier.field('kind').string() ?? '',
    name: identifier.field('name').string() ?? '',
    namespace: identifier.field('namespace').string(),
    conditions,
  });
}

/** An object as it was read, of whatever kind. */
export interface ReportedObject {
  readonly json: Readonly<Record<string, unknown>>;
}

/** The reports on the clusters of a run among all objects of a hub. */
export function reportsAmong(objects: readonly ReportedObject[], run: UpdateRun, complete: boolean): Reports {
  const { namespace } = run.metadata;
  const all = objects.map(({ json }) => json);
  const bindingKind = kindIn('Binding', namespace).kind;
  const bindings = all
    .filter((json) => json['kind'] === bindingKind && isBindingOf(json, run))
    .map((json) => bindingReport(json, namespace));
  const names = new Set(bindings.map(({ name }) => name));
  return {
    run,
    bindings: { items: bindings, complete },
    works: {
      items: all
        .filter((json) => json['kind'] === workKind.kind)
        .map(workReport)
        .filter(({ binding }) => names.has(binding)),
      complete,
    },
    members: { items: all.filter((json) => json['kind'] === memberKind).map(memberReport), complete },
  };
}

const memberKind = kindIn('MemberCluster', undefined).kind;

/** Whether a binding is one of the placement of a run. */
export function isBindingOf(json: unknown, { spec, metadata }: UpdateRun): boolean {
  const own = fieldOf(json, 'metadata');
  const namespace = fieldOf(own, 'namespace');
  const isInScope = metadata.namespace === undefined || namespace === metadata.namespace;
  return isInScope && fieldOf(fieldOf(own, 'labels'), fleetKeys.parentPlacement) === spec.placementName;
}
