import { parse } from 'node:querystring';
import { setImmediate as turn } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { envelope, type Review } from './admission-review.js';
import { answerError, sendJson, type Exchange } from './answer.js';
import { auditOfGuard, type AuditAnnotations } from './audit.js';
import { arrivalOf } from './body-arrival.js';
import { HttpError, readBody, type Body } from './body.js';
import { deadlineOf } from './deadline.js';
import { elapsedBy, mutate, validate, type DecideDeps, type Decided } from './decide.js';
import { recordOf, type DecisionRecord, type Endpoint } from './decision-record.js';
import { defaultLimits, Load, type BodyLimits } from './review-load.js';
import { readReview } from './read-review.js';
import { decideUnread } from './unreadable.js';

export interface AdmissionDeps extends DecideDeps {
  /** Sees every decision, beside log and metrics. */
  onDecision?(record: DecisionRecord): void;
  /** Why a caller gets no verdict; undefined where it gets one. */
  refusalOf?(request: IncomingMessage): string | undefined;
  /** A hash of the settings as they are now. */
  settings?(): string;
  /** What is taken on, as it is set now. */
  limits?(): BodyLimits;
  /** How long a body may take to come. */
  readonly arrivalMilliseconds?: number;
}

/** Answers reviews that are sent to an endpoint, whatever becomes of them. */
export type Admission = (endpoint: Endpoint, exchange: Exchange) => Promise<void>;

export function createAdmission(deps: AdmissionDeps): Admission {
  const limits = () => deps.limits?.() ?? defaultLimits;
  const load = new Load(limits);
  return async (endpoint, exchange) => {
    try {
      await answer({ endpoint, load, limits: limits() }, exchange, deps);
    } catch (error) {
      answerError(error, exchange, deps);
    }
  };
}

interface Asked {
  readonly endpoint: Endpoint;
  readonly load: Load;
  readonly limits: BodyLimits;
}

/** What is smaller is read in a moment. */
const largeBytes = 256 * 1024;

/** A function of its own: what listens to a connection lives until the next request on it, and must not hold a review that long. */
function bodyOf({ request, response }: Exchange, { load, limits }: Asked, milliseconds?: number): Promise<Body> {
  return arrivalOf({ response, load, milliseconds }, (grow) => readBody(request, limits.bodyBytes, grow));
}

async function answer(asked: Asked, exchange: Exchange, deps: AdmissionDeps) {
  const { endpoint, limits } = asked;
  const { request, response } = exchange;
  const at = deps.now();
  const started = elapsedBy(deps);
  const refusal = deps.refusalOf?.(request);
  if (refusal !== undefined) throw new HttpError(401, refusal);
  const body = await bodyOf(exchange, asked, deps.arrivalMilliseconds);
  const reading = readReview(body, limits.bodyBytes);
  // To read a large one takes long, and so may judging it: others get their turn in between.
  if (body.bytes.length > largeBytes) await turn();
  const note = ({ decision, rules }: Pick<Decided, 'decision' | 'rules'>, audit: AuditAnnotations): void => {
    const milliseconds = Math.round((elapsedBy(deps) - started) * 100) / 100;
    report({ ...recordOf(reading, { at, endpoint, decision, rules, milliseconds }), audit }, deps);
  };
  try {
    const deciding =
      reading.is === 'read'
        ? decide[endpoint](reading.review, deadlineOf(timeoutIn(request), started), deps)
        : decideUnread(reading, endpoint, deps.policy());
    // What is there at once is answered at once.
    const decided = deciding instanceof Promise ? await deciding : deciding;
    const auditAnnotations = { ...decided.response.auditAnnotations, ...auditOfGuard(deps.settings?.()) };
    sendJson(response, 200, envelope({ ...decided.response, auditAnnotations }));
    note(decided, auditAnnotations);
  } catch (error) {
    if (error instanceof HttpError) note({ decision: 'unavailable', rules: [] }, auditOfGuard(deps.settings?.()));
    throw error;
  }
}

type Decide = (review: Review, deadline: number, deps: DecideDeps) => Decided | Promise<Decided>;

const decide: Readonly<Record<Endpoint, Decide>> = {
  validate,
  mutate: (review, _deadline, deps) => mutate(review, deps),
};

/** `?timeout=10s` of the URL. */
function timeoutIn({ url = '' }: IncomingMessage): unknown {
  const at = url.indexOf('?');
  return at < 0 ? undefined : parse(url.slice(at + 1))['timeout'];
}

/** One line, one count and one entry a decision. */
function report(record: DecisionRecord & { readonly audit: AuditAnnotations }, deps: AdmissionDeps): void {
  const { uid, endpoint, kind, operation, subresource, user, dryRun, decision, rules, milliseconds: ms } = record;
  const object = record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;
  deps.metrics.decided(record);
  deps.onDecision?.(record);
  // The rules of the audit log, as a list.
  const facts = { ...record.audit, rules };
  deps.log.info(
    { uid, endpoint, kind, object, operation, subresource, user, dryRun, decision, ...facts, ms },
    'decided',
  );
}
