import * as fleet from '../large-fleet.js';

type Json = Readonly<Record<string, unknown>>;

const group = 'placement.kubernetes-fleet.io';

/** What the API server sends, of as many placements as there are; one that is sent again asks for the same again. */
export interface Load {
  readonly name: string;
  /** KiB of one of them. */
  readonly kibibytes: number;
  readonly bodies: readonly string[];
}

/** As many different runs as are sent at one time. */
const differentRuns = 8;

export const loads: readonly Load[] = [
  loadOf('strategy create', [reviewOf({ plural: 'clusterstagedupdatestrategies', object: strategy() })]),
  loadOf(
    'run create',
    Array.from({ length: differentRuns }, (_, index) =>
      reviewOf({ plural: 'clusterstagedupdateruns', object: runOf(index) }),
    ),
  ),
  loadOf('approval status', [
    reviewOf({
      plural: 'clusterapprovalrequests',
      subResource: 'status',
      object: approvalWith([fleet.approved]),
      oldObject: approvalWith([]),
    }),
  ]),
];

function loadOf(name: string, reviews: readonly Json[]): Load {
  const bodies = reviews.map((review) => JSON.stringify(review));
  return { name, kibibytes: (bodies[0]?.length ?? 0) / 1024, bodies };
}

interface Asked {
  readonly plural: string;
  readonly object: Json;
  readonly oldObject?: Json;
  readonly subResource?: string;
}

function reviewOf({ plural, object, oldObject, subResource }: Asked): Json {
  const { kind, metadata } = object as { kind: string; metadata: { name: string; uid: string } };
  const ofKind = { group, version: 'v1beta1', kind };
  const resource = { group, version: 'v1beta1', resource: plural };
  const under = subResource === undefined ? {} : { subResource };
  const requested = subResource === undefined ? {} : { requestSubResource: subResource };
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE';
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: metadata.uid,
      kind: ofKind,
      resource,
      ...under,
      requestKind: ofKind,
      requestResource: resource,
      ...requested,
      name: metadata.name,
      operation,
      userInfo: { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] },
      object,
      oldObject: oldObject ?? null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl-create' },
    },
  };
}

function named(kind: string, name: string, fields: Json): Json {
  return {
    apiVersion: `${group}/v1beta1`,
    kind,
    metadata: {
      name,
      uid: '11111111-2222-4333-8444-555555555555',
      generation: 1,
      creationTimestamp: '2026-11-17T08:00:00Z',
      managedFields: [
        {
          manager: 'kubectl-create',
          operation: 'Update',
          apiVersion: `${group}/v1beta1`,
          time: '2026-11-17T08:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': fields },
        },
      ],
    },
  };
}

/** Six stages, with all that a stage can have. */
function strategy(): Json {
  const regions = ['westeurope', 'northeurope', 'eastus', 'westus', 'southeastasia', 'japaneast'];
  const stages = regions.map((region, index) => ({
    name: region,
    labelSelector: {
      matchLabels: { region, environment: 'production' },
      matchExpressions: [{ key: 'ring', operator: 'In', values: [`ring-${String(index)}`, `spare-${String(index)}`] }],
    },
    sortingLabelKey: 'order',
    maxConcurrency: '25%',
    beforeStageTasks: [{ type: 'Approval' }],
    afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }],
  }));
  const object = named('ClusterStagedUpdateStrategy', 'by-region', { '.': {}, 'f:stages': {} });
  return { ...object, spec: { stages } };
}

function runOf(index: number): Json {
  const object = named('ClusterStagedUpdateRun', `release-${String(index)}`, {
    '.': {},
    'f:placementName': {},
    'f:resourceSnapshotIndex': {},
    'f:stagedRolloutStrategyName': {},
    'f:state': {},
  });
  const metadata = {
    ...(object['metadata'] as Json),
    uid: `11111111-2222-4333-8444-${String(index).padStart(12, '0')}`,
  };
  const placementName = `placement-${String(index)}`;
  const spec = { placementName, resourceSnapshotIndex: '0', stagedRolloutStrategyName: 'rings', state: 'Run' };
  return { ...object, metadata, spec };
}

/** Of a run that waits for it. */
function approvalWith(conditions: readonly Json[]): Json {
  const { metadata, ...rest } = fleet.approval(0);
  return { ...rest, metadata, status: { conditions } };
}
