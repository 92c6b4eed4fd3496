import { operations, type Change, type Operation } from '../engine/change.js';
import { causesOf, refusalText, warningTexts } from '../engine/message.js';
import { decisionOf, refusalsOf, warningsOf, type Verdict } from '../engine/verdict.js';
import { GuardError } from '../errors.js';
import { decode } from '../fleet/decode.js';
import { fieldOf, isObject } from '../fleet/json.js';
import { kindOfResource, type KindOfFamily } from '../fleet/kinds.js';
import type { PatchOperation } from '../mutations/stamp-approval.js';
import { version } from '../version.js';

export const reviewVersion = 'admission.k8s.io/v1';

/** A write of one of the kinds that are judged: as rules see it, and as it came. */
export interface Subject {
  readonly change: Change;
  readonly kind: KindOfFamily;
  readonly object: unknown;
  readonly oldObject: unknown;
}

/** What the API server asks about; `subject` is absent for what no rule can have an opinion on. */
export interface Review {
  readonly uid: string;
  readonly subject: Subject | undefined;
}

export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
}

/** Reads an AdmissionReview of any JSON; raises INPUT_SHAPE for what is none. */
export function decodeReview(json: unknown): Review {
  const apiVersion = fieldOf(json, 'apiVersion');
  if (fieldOf(json, 'kind') !== 'AdmissionReview' || apiVersion !== reviewVersion) {
    throw malformed(
      `expected an AdmissionReview of ${reviewVersion}, got ${named(fieldOf(json, 'kind'))} of ${named(apiVersion)}`,
    );
  }
  const request = fieldOf(json, 'request');
  if (!isObject(request)) throw malformed('the AdmissionReview has no request');
  return { uid: textOf(request, 'uid'), subject: subjectOf(request) };
}

function subjectOf(request: Json): Subject | undefined {
  const kind = resourceKind(request);
  const operation = textOf(request, 'operation');
  const subresource = fieldOf(request, 'subResource') ?? '';
  const isJudged = isOperation(operation) && (subresource === '' || subresource === 'status');
  if (kind === undefined || !isJudged) return undefined;
  const object = operation === 'DELETE' ? undefined : objectOf(request, 'object');
  const oldObject = operation === 'CREATE' ? undefined : objectOf(request, 'oldObject');
  const change = {
    ...writeOf(request, kind, object ?? oldObject),
    operation,
    subresource: subresource === 'status' ? subresource : undefined,
    ...decoded(kind, { object, oldObject }),
  };
  // The table of kinds ties the family to the type of the object; the compiler cannot follow it there.
  return { change: change as unknown as Change, kind, object, oldObject };
}

function resourceKind(request: Json): KindOfFamily | undefined {
  const resource = fieldOf(request, 'resource');
  if (!isObject(resource)) throw malformed('request.resource is missing');
  const group = fieldOf(resource, 'group');
  return kindOfResource(typeof group === 'string' ? group : '', textOf(resource, 'resource', 'request.resource.'));
}

function decoded(kind: KindOfFamily, objects: Readonly<Record<string, Json | undefined>>): Record<string, unknown> {
  const there = Object.entries(objects).filter(([, json]) => json !== undefined);
  return Object.fromEntries(there.map(([field, json]) => [field, decode(kind, json).object]));
}

/** Who writes what, and by which version. */
function writeOf(request: Json, kind: KindOfFamily, object: Json | undefined): Record<string, unknown> {
  const metadata = fieldOf(object, 'metadata');
  const namespace = firstText(fieldOf(request, 'namespace'), fieldOf(metadata, 'namespace'));
  if (kind.namespaced && namespace === '') throw malformed(`request.namespace is missing for ${kind.kind}`);
  return {
    family: kind.family,
    // Empty in the mutating phase of a create by generateName; the validating phase has the final name.
    name: firstText(fieldOf(request, 'name'), fieldOf(metadata, 'name')),
    namespace: kind.namespaced ? namespace : undefined,
    requestVersion: firstText(
      fieldOf(fieldOf(request, 'requestKind'), 'version'),
      fieldOf(fieldOf(request, 'kind'), 'version'),
    ),
    user: firstText(fieldOf(fieldOf(request, 'userInfo'), 'username')),
    dryRun: fieldOf(request, 'dryRun') === true,
  };
}

type Json = Readonly<Record<string, unknown>>;

function isOperation(text: string): text is Operation {
  return operations.includes(text as Operation);
}

function firstText(...candidates: readonly unknown[]): string {
  return candidates.find((candidate) => typeof candidate === 'string' && candidate !== '')?.toString() ?? '';
}

function textOf(object: Json, field: string, at = 'request.'): string {
  const text = firstText(fieldOf(object, field));
  if (text === '') throw malformed(`${at}${field} is missing`);
  return text;
}

function objectOf(request: Json, field: 'object' | 'oldObject'): Json {
  const object = fieldOf(request, field);
  if (!isObject(object)) throw malformed(`request.${field} is missing or not an object`);
  return object;
}

function malformed(message: string): GuardError {
  return new GuardError('INPUT_SHAPE', message);
}

function named(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}

/** What goes into an answer beside the verdict. */
export interface AnswerOptions {
  readonly retrySeconds: number;
  readonly footer?: string;
  /** Stands before all warnings. */
  readonly preview?: string | undefined;
}

/** The answer to a review that was judged. */
export function answerOf(review: Review, verdict: Verdict, options: AnswerOptions): ReviewResponse {
  const warnings = [...(options.preview === undefined ? [] : [options.preview]), ...warningTexts(verdict)];
  const rules = new Set([...refusalsOf(verdict), ...warningsOf(verdict)].map(({ rule }) => rule));
  const decision = decisionOf(verdict);
  return {
    uid: review.uid,
    allowed: decision === 'admit',
    ...(decision === 'admit' ? {} : { status: statusOf(review, verdict, options) }),
    ...(warnings.length === 0 ? {} : { warnings }),
    // Bare keys: the API server puts the name of the webhook before them, and drops keys that hold a slash.
    auditAnnotations: { ...(rules.size === 0 ? {} : { rules: [...rules].join(',') }), ...verdict.audit, version },
  };
}

/**
 * Never 409 or 422, which some clients answer by deleting and creating anew. With 429 every client-go client waits and
 * sends again by itself, up to 10 times.
 */
function statusOf(review: Review, verdict: Verdict, options: AnswerOptions): Json {
  const { name, kind } = verdict.subject;
  const details = { name, group: review.subject?.kind.group, kind, causes: causesOf(verdict) };
  const message = refusalText(verdict, options.footer);
  return decisionOf(verdict) === 'retry'
    ? {
        status: 'Failure',
        code: 429,
        reason: 'TooManyRequests',
        message,
        details: { ...details, retryAfterSeconds: options.retrySeconds },
      }
    : { status: 'Failure', code: 403, reason: 'Forbidden', message, details };
}

/** The answer that changes nothing and objects to nothing. */
export function admit(review: Review): ReviewResponse {
  return { uid: review.uid, allowed: true };
}

/** An admission with what was mended and what is said of it. */
export function admitWith(
  review: Review,
  { patch, warnings }: { readonly patch: readonly PatchOperation[]; readonly warnings: readonly string[] },
): ReviewResponse {
  return {
    ...admit(review),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(patch.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  };
}

export function envelope(response: ReviewResponse): Json {
  return { apiVersion: reviewVersion, kind: 'AdmissionReview', response };
}
