import { warningText } from '../engine/message.js';
import type { Entry } from '../engine/rule.js';
import { fieldOf, isObject, sameJson } from '../fleet/json.js';

/** One operation of a JSON Patch (RFC 6902). `add` replaces a field that is there. */
export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** What was changed, and what the writer is told of it, one line each. */
export interface Mutation {
  readonly patch: readonly PatchOperation[];
  readonly warnings: readonly string[];
}

/** A write to the status of an approval request, as it came: any JSON whatever. */
export interface ApprovalWrite {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly user: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Not a rule, since it refuses nothing; set to `off` it leaves every approval as it came. */
export const stampApprovalEntry: Entry = {
  id: 'stamp-approval',
  title: 'Approvals are made such that the controller accepts them',
  severity: 'warn',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['UPDATE'], subresource: 'status' }],
  why: 'KubeFleet takes an approval only if its observedGeneration is the generation of the stored object, and says nothing where it is not: the run goes on waiting.',
  fix: 'Nothing needs to be done; a warning says what was set.',
};

const nothingToStamp: Mutation = { patch: [], warnings: [] };

type Json = Readonly<Record<string, unknown>>;

/**
 * The API server refuses a list with two conditions of one type, so more than one Approved never gets anywhere.
 * A few are stamped all the same; a hundred thousand would only make an answer of many megabytes.
 */
const mostStamped = 8;

/**
 * Makes an approval one that the controller accepts: KubeFleet updaterun/execution.go takes Approved=True only if its
 * observedGeneration is the generation of the stored object, and says nothing where it is not.
 */
export function stampApproval(write: ApprovalWrite): Mutation {
  const generation = generationOf(write.oldObject);
  const conditions = conditionsOf(write.object);
  if (generation === undefined || conditions === undefined) return nothingToStamp;
  const stored = conditionsOf(write.oldObject) ?? [];
  const stamps = conditions
    .flatMap((condition, index) => (isOfType(condition, 'Approved') ? [{ condition, index }] : []))
    .slice(0, mostStamped)
    .map(({ condition, index }) =>
      stampOf(condition, `/status/conditions/${String(index)}`, { write, generation, stored }),
    );
  return joined([...stamps, acceptedAgain(conditions, stored)]);
}

function joined(mutations: readonly Mutation[]): Mutation {
  return {
    patch: mutations.flatMap(({ patch }) => patch),
    warnings: [...new Set(mutations.flatMap(({ warnings }) => warnings))],
  };
}

interface Circumstances {
  readonly write: ApprovalWrite;
  readonly generation: number;
  readonly stored: readonly unknown[];
}

function stampOf(condition: Json, path: string, circumstances: Circumstances): Mutation {
  const { generation } = circumstances;
  const missing = Object.entries(fillingsFor(condition, circumstances)).filter(([field]) =>
    isMissing(condition, field),
  );
  const isStale = fieldOf(condition, 'observedGeneration') !== generation;
  const fields = [...(isStale ? [['observedGeneration', generation] as const] : []), ...missing];
  if (fields.length === 0) return nothingToStamp;
  const done = [
    ...(isStale ? [`set observedGeneration to ${String(generation)} (${wasText(condition)})`] : []),
    ...(missing.length > 0 ? [`filled ${missing.map(([field]) => field).join(', ')}`] : []),
  ];
  const purpose = fieldOf(condition, 'status') === 'True' ? ', so that the controller accepts it' : '';
  return {
    patch: fields.map(([field, value]) => ({ op: 'add', path: `${path}/${field}`, value })),
    warnings: [warningText(`[${stampApprovalEntry.id}] condition Approved: ${done.join('; ')}${purpose}`)],
  };
}

/** Time, reason and message for a condition that lacks them; the schema demands all three. */
function fillingsFor(condition: Json, { write, stored }: Circumstances): Json {
  const status = fieldOf(condition, 'status');
  const isApproved = status === 'True';
  return {
    lastTransitionTime: transitionTime(status, stored) ?? timestamp(write.now),
    reason: isApproved ? 'Approved' : 'NotApproved',
    message: `${isApproved ? 'Approved' : 'Not approved'} by ${write.user === '' ? 'an unnamed user' : write.user.slice(0, 256)}`,
  };
}

/** A status that stays as it was keeps its time, as SetStatusCondition of apimachinery has it. */
function transitionTime(status: unknown, stored: readonly unknown[]): string | undefined {
  const before = stored.find((condition) => isOfType(condition, 'Approved'));
  if (before === undefined || fieldOf(before, 'status') !== status) return undefined;
  const time = fieldOf(before, 'lastTransitionTime');
  return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? time : undefined;
}

/** Kubernetes keeps times to the second. */
function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Go clients send null for a time that was never set; the schema takes an empty message, but no other empty field. */
function isMissing(condition: Json, field: string): boolean {
  const value = fieldOf(condition, field);
  return value === undefined || value === null || (value === '' && field !== 'message');
}

/** A JSON merge patch replaces the whole list, and with it what the controller had written there. */
function acceptedAgain(conditions: readonly unknown[], stored: readonly unknown[]): Mutation {
  const accepted = stored.find((condition) => isOfType(condition, 'ApprovalAccepted'));
  if (accepted === undefined || conditions.some((condition) => isOfType(condition, 'ApprovalAccepted')))
    return nothingToStamp;
  const approved = conditions.filter((condition) => isOfType(condition, 'Approved'));
  const before = stored.filter((condition) => isOfType(condition, 'Approved'));
  if (approved.length === 0 || sameJson(approved, before)) return nothingToStamp;
  return {
    patch: [{ op: 'add', path: '/status/conditions/-', value: accepted }],
    warnings: [`[${stampApprovalEntry.id}] put back condition ApprovalAccepted, which this write would have dropped`],
  };
}

function generationOf(object: unknown): number | undefined {
  const generation = fieldOf(fieldOf(object, 'metadata'), 'generation');
  return Number.isSafeInteger(generation) ? (generation as number) : undefined;
}

function conditionsOf(object: unknown): readonly unknown[] | undefined {
  const conditions = fieldOf(fieldOf(object, 'status'), 'conditions');
  return Array.isArray(conditions) ? conditions : undefined;
}

function isOfType(condition: unknown, type: string): condition is Json {
  return isObject(condition) && fieldOf(condition, 'type') === type;
}

function wasText(condition: Json): string {
  const was = fieldOf(condition, 'observedGeneration');
  return was === undefined ? 'it was absent' : `it was ${JSON.stringify(was).slice(0, 40)}`;
}
