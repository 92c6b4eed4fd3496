import type { Operation } from '../../src/engine/change.js';
import type { Family } from '../../src/fleet/kinds.js';

/** JSON of an object that does not say yet in which scope it lives. */
export interface Draft<F extends Family = Family> {
  readonly family: F;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A change that does not say yet in which scope it happens. */
export interface ChangeDraft {
  readonly family: Family;
  readonly operation: Operation;
  readonly object?: Draft;
  readonly oldObject?: Draft;
  readonly subresource?: 'status';
  readonly requestVersion?: string;
  readonly user?: string;
  readonly dryRun?: boolean;
}

export type Json = Readonly<Record<string, unknown>>;

const labels = {
  parent: 'kubernetes-fleet.io/parent-CRP',
  latest: 'kubernetes-fleet.io/is-latest-snapshot',
  policyIndex: 'kubernetes-fleet.io/policy-index',
  resourceIndex: 'kubernetes-fleet.io/resource-index',
};

/** The defaults under everything that a test does not say. */
export const placementName = 'shop';
export const strategyName = 'rings';

export function cluster(name: string, clusterLabels: Readonly<Record<string, string>> = {}): Draft<'MemberCluster'> {
  return { family: 'MemberCluster', json: { metadata: { name, labels: clusterLabels } } };
}

export function strategy(name: string, ...stages: readonly Json[]): Draft<'UpdateStrategy'> {
  return { family: 'UpdateStrategy', json: { metadata: { name }, spec: { stages } } };
}

/** A stage that picks clusters by `ring=<name>`. */
export function stage(name: string, more: Json = {}): Json {
  return { name, labelSelector: { matchLabels: { ring: name } }, ...more };
}

/** A sound External placement; `more` replaces top-level parts of its spec. */
export function placement(
  name: string = placementName,
  more: { spec?: Json; status?: Json; metadata?: Json } = {},
): Draft<'Placement'> {
  return {
    family: 'Placement',
    json: {
      metadata: { name, generation: 1, uid: `uid-of-${name}`, ...more.metadata },
      spec: { strategy: { type: 'External' }, resourceSelectors: [], ...more.spec },
      status: { conditions: [], ...more.status },
    },
  };
}

/** The latest policy snapshot of a placement, fully scheduled. */
export function policySnapshot(
  of: string = placementName,
  more: { metadata?: Json; spec?: Json; status?: Json; index?: number } = {},
): Draft<'PolicySnapshot'> {
  const index = more.index ?? 0;
  return {
    family: 'PolicySnapshot',
    json: {
      metadata: {
        name: `${of}-${String(index)}`,
        generation: 1,
        labels: { [labels.parent]: of, [labels.latest]: 'true', [labels.policyIndex]: String(index) },
        annotations: { 'kubernetes-fleet.io/CRP-generation': '1' },
        ...more.metadata,
      },
      spec: more.spec ?? {},
      status: {
        observedCRPGeneration: 1,
        conditions: [{ type: 'Scheduled', status: 'True', observedGeneration: 1, reason: 'SchedulingPolicyFulfilled' }],
        targetClusters: [],
        ...more.status,
      },
    },
  };
}

export function binding(
  targetCluster: string,
  more: { of?: string; state?: string; policySnapshot?: string } = {},
): Draft<'Binding'> {
  const of = more.of ?? placementName;
  return {
    family: 'Binding',
    json: {
      metadata: { name: `${of}-${targetCluster}`, labels: { [labels.parent]: of } },
      spec: {
        state: more.state ?? 'Scheduled',
        targetCluster,
        schedulingPolicySnapshotName: more.policySnapshot ?? `${of}-0`,
        resourceSnapshotName: '',
      },
    },
  };
}

export function resourceSnapshot(
  index: number,
  more: { of?: string; metadata?: Json } = {},
): Draft<'ResourceSnapshot'> {
  const of = more.of ?? placementName;
  return {
    family: 'ResourceSnapshot',
    json: {
      metadata: {
        name: `${of}-${String(index)}-snapshot`,
        labels: { [labels.parent]: of, [labels.resourceIndex]: String(index) },
        annotations: {
          'kubernetes-fleet.io/resource-hash': 'abc',
          'kubernetes-fleet.io/number-of-resource-snapshots': '1',
        },
        ...more.metadata,
      },
    },
  };
}

/** A part of a group that is not its master. */
export function snapshotPart(index: number, part: number, of: string = placementName): Draft<'ResourceSnapshot'> {
  return resourceSnapshot(index, {
    of,
    metadata: {
      name: `${of}-${String(index)}-${String(part)}`,
      annotations: { 'kubernetes-fleet.io/subindex-of-resource-snapshot': String(part) },
    },
  });
}

/** The master of a group with these annotations and no others, marked as the latest. */
export function snapshotMaster(
  index: number,
  annotations: Readonly<Record<string, string>>,
): Draft<'ResourceSnapshot'> {
  return resourceSnapshot(index, {
    metadata: {
      labels: { [labels.parent]: placementName, [labels.resourceIndex]: String(index), [labels.latest]: 'true' },
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`kubernetes-fleet.io/${key}`, value]),
      ),
    },
  });
}

/** An override of some resource, as KubeFleet keeps it. */
export function overrideSnapshot(
  isLatest = true,
  { name = 'replicas-0', placement: of }: { name?: string; placement?: Json } = {},
): Draft<'OverrideSnapshot'> {
  return {
    family: 'OverrideSnapshot',
    json: {
      metadata: { name, labels: { [labels.latest]: String(isLatest) } },
      spec: { overrideSpec: { ...(of && { placement: of }) } },
    },
  };
}

/** A run of the default placement by the default strategy; `spec` replaces single fields. */
export function run(name: string, more: { spec?: Json; status?: Json; metadata?: Json } = {}): Draft<'UpdateRun'> {
  return {
    family: 'UpdateRun',
    json: {
      metadata: { name, uid: `uid-of-${name}`, generation: 1, ...more.metadata },
      spec: { placementName, stagedRolloutStrategyName: strategyName, state: 'Run', ...more.spec },
      ...(more.status === undefined ? {} : { status: more.status }),
    },
  };
}

export function approval(
  name: string,
  more: { spec?: Json; status?: Json; metadata?: Json } = {},
): Draft<'ApprovalRequest'> {
  return {
    family: 'ApprovalRequest',
    json: {
      metadata: { name, generation: 1, ...more.metadata },
      spec: { parentStageRollout: 'release', targetStage: 'canary', ...more.spec },
      ...(more.status === undefined ? {} : { status: more.status }),
    },
  };
}

export function condition(type: string, status: string, reason = 'Reason', message = ''): Json {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: '2026-11-16T08:00:00Z' };
}

export function creation(object: Draft, more: Partial<ChangeDraft> = {}): ChangeDraft {
  return { family: object.family, operation: 'CREATE', object, ...more };
}

export function update(oldObject: Draft, object: Draft, more: Partial<ChangeDraft> = {}): ChangeDraft {
  return { family: object.family, operation: 'UPDATE', object, oldObject, ...more };
}

export function deletion(oldObject: Draft, more: Partial<ChangeDraft> = {}): ChangeDraft {
  return { family: oldObject.family, operation: 'DELETE', oldObject, ...more };
}

/** A run that goes from Initialize to Run. */
export function start(initialized: Draft, more: Partial<ChangeDraft> = {}): ChangeDraft {
  const spec = initialized.json['spec'] as Json;
  const before = { ...initialized, json: { ...initialized.json, spec: { ...spec, state: 'Initialize' } } };
  const after = { ...initialized, json: { ...initialized.json, spec: { ...spec, state: 'Run' } } };
  return update(before, after, more);
}

/** A run that KubeFleet has initialized goes to Run. */
export function lateStart(run: Draft<'UpdateRun'>, more: Partial<ChangeDraft> = {}): ChangeDraft {
  const status = { ...(run.json['status'] as Json | undefined), conditions: [condition('Initialized', 'True')] };
  return start({ ...run, json: { ...run.json, status } }, more);
}

/** All that a run of the default placement by the default strategy needs. */
export const soundFleet: readonly Draft[] = [
  placement(),
  strategy('rings', stage('canary')),
  policySnapshot(),
  cluster('eu', { ring: 'canary' }),
  binding('eu'),
];
