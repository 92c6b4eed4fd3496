import { changeOf, operations, type Change, type Operation } from '../engine/change.js';
import { causesOf, refusalText, headTexts, warningTexts } from '../engine/message.js';
import { decisionOf, type Verdict } from '../engine/verdict.js';
import { GuardError } from '../errors.js';
import { decode } from '../fleet/decode.js';
import { fieldOf, isObject, sameJson } from '../fleet/json.js';
import { kindOfResource, type Family, type KindOfFamily } from '../fleet/kinds.js';
import type { Families } from '../fleet/model.js';
import type { Requester } from '../guard/judge.js';
import type { PatchOperation } from '../mutations/stamp-approval.js';
import { auditOfRules, auditOfVerdict, type AuditAnnotations } from './audit.js';
import { requesterOf } from './requester.js';

export const reviewVersion = 'admission.k8s.io/v1';

/** A write of one of the kinds that are judged: as rules see it, and as it came. */
export interface ReviewedWrite {
  readonly change: Change;
  readonly kind: KindOfFamily;
  readonly object: unknown;
  readonly oldObject: unknown;
  /** Who writes it. */
  readonly requester: Requester;
}

/** What the API server asks about; `subject` is absent for what no rule can have an opinion on. */
export interface Review {
  readonly uid: string;
  readonly subject: ReviewedWrite | undefined;
}

export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: AuditAnnotations;
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
}

/** Who asks about what; the objects are no part of it. */
export interface ReviewHead {
  readonly uid: string;
  /** Undefined for kinds that no rule knows. */
  readonly kind: KindOfFamily | undefined;
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: string;
  readonly dryRun: boolean;
}

/** Reads an AdmissionReview of any JSON; raises INPUT_SHAPE for what is none. */
export function decodeReview(json: unknown): Review {
  const request = requestOf(json);
  return { uid: textOf(request, 'uid'), subject: subjectOf(request) };
}

/** Reads all of a review but its objects; raises INPUT_SHAPE for what is none. */
export function headOf(json: unknown): ReviewHead {
  const request = requestOf(json);
  const uid = textOf(request, 'uid');
  const kind = resourceKind(request);
  const namespace = firstText(fieldOf(request, 'namespace'));
  return {
    uid,
    kind,
    operation: textOf(request, 'operation'),
    subresource: firstText(fieldOf(request, 'subResource')),
    name: firstText(fieldOf(request, 'name')),
    namespace: namespace === '' ? undefined : namespace,
    user: userOf(request),
    dryRun: fieldOf(request, 'dryRun') === true,
  };
}

function requestOf(json: unknown): Json {
  const apiVersion = fieldOf(json, 'apiVersion');
  if (fieldOf(json, 'kind') !== 'AdmissionReview' || apiVersion !== reviewVersion) {
    throw malformed(
      `expected an AdmissionReview of ${reviewVersion}, got ${named(fieldOf(json, 'kind'))} of ${named(apiVersion)}`,
    );
  }
  const request = fieldOf(json, 'request');
  if (!isObject(request)) throw malformed('the AdmissionReview has no request');
  return request;
}

function subjectOf(request: Json): ReviewedWrite | undefined {
  const kind = resourceKind(request);
  const operation = textOf(request, 'operation');
  const subresource = fieldOf(request, 'subResource') ?? '';
  const isJudged = isOperation(operation) && (subresource === '' || subresource === 'status');
  if (kind === undefined || !isJudged) return undefined;
  const object = operation === 'DELETE' ? undefined : objectOf(request, 'object');
  const oldObject = operation === 'CREATE' ? undefined : objectOf(request, 'oldObject');
  const model = (json: Json | undefined): Families[Family] | undefined => json && decode(kind, json).object;
  const write = {
    ...writeOf(request, kind, object ?? oldObject),
    ...(subresource === 'status' && { subresource: 'status' as const, ...statusCompared({ object, oldObject }) }),
  };
  const change = changeOf(write, { object: model(object), oldObject: model(oldObject) });
  return { change, kind, object, oldObject, requester: requesterOf(fieldOf(request, 'userInfo')) };
}

function statusCompared({ object, oldObject }: Pair): { readonly statusDiffers?: boolean } {
  if (object === undefined || oldObject === undefined) return {};
  return { statusDiffers: !sameJson(fieldOf(object, 'status') ?? null, fieldOf(oldObject, 'status') ?? null) };
}

interface Pair {
  readonly object: Json | undefined;
  readonly oldObject: Json | undefined;
}

function resourceKind(request: Json): KindOfFamily | undefined {
  const resource = fieldOf(request, 'resource');
  if (!isObject(resource)) throw malformed('request.resource is missing');
  const group = fieldOf(resource, 'group');
  return kindOfResource(typeof group === 'string' ? group : '', textOf(resource, 'resource', 'request.resource.'));
}

/** Who writes what, and by which version. */
function writeOf(request: Json, kind: KindOfFamily, object: Json | undefined) {
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
    user: userOf(request),
    dryRun: fieldOf(request, 'dryRun') === true,
  };
}

function userOf(request: Json): string {
  return firstText(fieldOf(fieldOf(request, 'userInfo'), 'username'));
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
}

/** The answer to a review that was judged. */
export function answerOf(review: Review, verdict: Verdict, options: AnswerOptions): ReviewResponse {
  const warnings = [...headTexts(verdict), ...warningTexts(verdict)];
  const decision = decisionOf(verdict);
  return {
    uid: review.uid,
    allowed: decision === 'admit',
    ...(decision === 'admit' ? {} : { status: statusOf(review, verdict, options) }),
    ...(warnings.length === 0 ? {} : { warnings }),
    auditAnnotations: auditOfVerdict(verdict),
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

/** The answer that changes nothing and refuses nothing. */
export function admit(review: Review): ReviewResponse {
  return { uid: review.uid, allowed: true };
}

/** An admission that only the audit log tells of. */
export function admitNoting(review: Review, rule: string): ReviewResponse {
  return { ...admit(review), auditAnnotations: auditOfRules([{ rule, severity: 'audit' }]) };
}

/** An admission with what was changed and what is said of it. */
export function admitWith(
  review: Review,
  { patch, warnings }: { readonly patch: readonly PatchOperation[]; readonly warnings: readonly string[] },
  auditAnnotations: AuditAnnotations,
): ReviewResponse {
  return {
    ...admit(review),
    auditAnnotations,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(patch.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  };
}

export function envelope(response: ReviewResponse): Json {
  return { apiVersion: reviewVersion, kind: 'AdmissionReview', response };
}
