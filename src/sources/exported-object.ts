import { decode } from '../fleet/decode.js';
import { fieldOf, isObject } from '../fleet/json.js';
import { storageVersion, type KindOfFamily } from '../fleet/kinds.js';
import { partsRead } from '../fleet/parts-read.js';
import { bindingReport, memberReport, workKind, workReport } from '../fleet/reports.js';
import { keysRead } from './live/projection.js';

export interface ExportedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** For whom an object is exported: for the rules, or for a diagnosis of the run it has to do with. */
export type Reader = 'rules' | 'diagnosis';

/**
 * What is read of an object, as JSON: nothing of what it holds for others, such as manifests, and no label or annotation
 * that is not asked for. It is what the decoder looks at, so that a verdict on it is the verdict on the whole.
 */
export function exportedObject(kind: KindOfFamily, json: unknown, reader: Reader): ExportedObject {
  const isForDiagnosis = reader === 'diagnosis';
  const read = partsRead(json, (part) => decode(kind, part), ...(isForDiagnosis ? reportsOf(kind) : []));
  const whole = isObject(read) ? read : {};
  const status = whole['status'];
  return {
    ...whole,
    // Of an object that came as metadata alone, the API server names another version.
    apiVersion: `${kind.group}/${storageVersion}`,
    kind: kind.kind,
    metadata: metadataOf(kind, whole['metadata'], isForDiagnosis),
    ...(isObject(status) && !isForDiagnosis && { status: statusOf(kind, status) }),
  };
}

/** What came of applying to one cluster, without what was applied. */
export function exportedWork(json: unknown): ExportedObject {
  const read = partsRead(json, workReport);
  return { ...(isObject(read) && read), apiVersion: `${workKind.group}/${storageVersion}`, kind: workKind.kind };
}

function reportsOf({ family }: KindOfFamily): readonly ((json: unknown) => unknown)[] {
  if (family === 'Binding') return [(json) => bindingReport(json, undefined)];
  return family === 'MemberCluster' ? [memberReport] : [];
}

function metadataOf({ family }: KindOfFamily, metadata: unknown, isForDiagnosis: boolean): object {
  if (!isObject(metadata)) return {};
  const { labels, annotations, finalizers, ...more } = metadata;
  const isTold = (field: string): boolean =>
    !unread.includes(field) && (isForDiagnosis || family !== 'Binding' || !unreadOfBindings.includes(field));
  return {
    ...Object.fromEntries(Object.entries(more).filter(([field]) => isTold(field))),
    // Selectors of stages and placements may read any label of a cluster.
    ...present('labels', family === 'MemberCluster' || family === 'Placement' ? labels : only(labels, keysRead)),
    ...present('annotations', only(annotations, keysRead)),
    // What rules ask is whether there are any.
    ...present('finalizers', Array.isArray(finalizers) && !isForDiagnosis ? finalizers.slice(0, 1) : finalizers),
  };
}

/** No rule asks which object it is but by its name, nor of a binding, of which there are most, since when it is. */
const unread: readonly string[] = ['uid', 'resourceVersion', 'generateName'];
const unreadOfBindings: readonly string[] = ['generation', 'creationTimestamp'];

function present(field: string, value: unknown): object {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value === undefined || isEmpty ? {} : { [field]: value };
}

/** An object with these fields, as far as they are there. */
function only(value: unknown, fields: readonly string[]): object {
  const kept: Record<string, unknown> = {};
  for (const field of fields) {
    const inner = fieldOf(value, field);
    if (inner !== undefined) kept[field] = inner;
  }
  return kept;
}

function statusOf({ family }: KindOfFamily, status: Json): object {
  // What is read of a granted approval is that it was, and whether it is the approval of what is there now.
  if (family === 'ApprovalRequest') return withConditions(status, [...conditionFields, 'observedGeneration']);
  return family === 'UpdateRun' ? runStatus(status) : status;
}

/**
 * The messages and times of single clusters are read by no rule, and are most of a run. Of one that has succeeded every
 * cluster has been updated, and which these were is asked by nobody any more.
 */
function runStatus(status: Json): object {
  const { stagesStatus, deletionStageStatus } = status;
  const hasSucceeded = listIn(status, 'conditions').some(
    (one) => fieldOf(one, 'type') === 'Succeeded' && fieldOf(one, 'status') === 'True',
  );
  const trimmed = hasSucceeded ? withoutClusters : withBareClusters;
  return {
    ...status,
    ...(Array.isArray(stagesStatus) && { stagesStatus: stagesStatus.map(trimmed) }),
    ...(isObject(deletionStageStatus) && { deletionStageStatus: trimmed(deletionStageStatus) }),
  };
}

function withoutClusters(stage: unknown): unknown {
  return isObject(stage) ? { ...withConditions(stage, conditionFields), clusters: [] } : stage;
}

function withBareClusters(stage: unknown): unknown {
  if (!isObject(stage)) return stage;
  const clusters = listIn(stage, 'clusters').map((one) => (isObject(one) ? withConditions(one, conditionFields) : one));
  return { ...stage, clusters };
}

/** What `Projection` keeps of the conditions of a cluster. */
const conditionFields = ['type', 'status', 'reason'];

/** An object with its conditions cut down to some of their fields. */
function withConditions(object: Json, fields: readonly string[]): object {
  const conditions = listIn(object, 'conditions').map((condition) => only(condition, fields));
  return { ...object, ...present('conditions', conditions) };
}

function listIn(object: unknown, field: string): readonly unknown[] {
  const list = fieldOf(object, field);
  return Array.isArray(list) ? list : [];
}
