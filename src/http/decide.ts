import type { Change } from '../engine/change.js';
import { isHubAgent, modeOf, type Policy } from '../engine/policy.js';
import { decisionOf, refusalsOf, type Verdict } from '../engine/verdict.js';
import { warningText } from '../engine/message.js';
import { describe } from '../errors.js';
import type { Log } from '../log.js';
import { approvalHint, hintRule } from '../mutations/approval-hint.js';
import { stampApproval } from '../mutations/stamp-approval.js';
import { admit, admitWith, answerOf, type Review, type ReviewResponse, type Subject } from './admission-review.js';
import { HttpError } from './body.js';
import { before } from './deadline.js';
import type { DecisionRecord } from './decision-record.js';
import { hookFor } from './hooks.js';
import type { Metrics } from './metrics.js';

/** What the two endpoints need to come to an answer. */
export interface DecideDeps {
  judge(change: Change, options: { readonly deadline: number }): Verdict | Promise<Verdict>;
  /** The operator's settings as they are now. */
  policy(): Policy;
  /** Milliseconds since 1970. */
  now(): number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A last line under every refusal. */
  footer?(): string;
}

export interface Decided {
  readonly response: ReviewResponse;
  readonly decision: DecisionRecord['decision'];
  readonly rules: readonly string[];
}

/** Answers a review of the validating phase. Raises HttpError 503 where failurePolicy is to decide. */
export async function validate(review: Review, deadline: number, deps: DecideDeps): Promise<Decided> {
  const { subject } = review;
  const policy = deps.policy();
  if (subject === undefined || isAgentsOwn(subject.change, policy)) return untouched(review);
  const { change } = subject;
  const verdict = await before(deps.judge(change, { deadline }), deadline - deps.now(), () => outOfTime());
  deps.metrics.judged(verdict);
  for (const { rule, error } of verdict.failures) {
    const stack = error instanceof Error ? error.stack : undefined;
    deps.log.error({ uid: review.uid, rule, error: describe(error), stack }, 'a rule threw');
  }
  if (isForFailurePolicy(verdict, change)) {
    throw new HttpError(
      503,
      `cannot tell now: ${refusalsOf(verdict)
        .map(({ rule, message }) => `[${rule}] ${message}`)
        .join('; ')}`,
    );
  }
  const decision = decisionOf(verdict);
  const response = answerOf(review, verdict, {
    retrySeconds: verdict.retrySeconds ?? policy.retry.defaultSeconds,
    footer: deps.footer?.() ?? '',
    preview: verdict.preview === undefined ? undefined : warningText(verdict.preview),
  });
  return { response, decision, rules: [...new Set(verdict.findings.map(({ rule }) => rule))] };
}

/** Answers a review of the mutating phase: approvals are mended, nothing is refused. */
export function mutate(review: Review, deps: DecideDeps): Decided {
  const { subject } = review;
  if (subject === undefined || isAgentsOwn(subject.change, deps.policy())) return untouched(review);
  const { change } = subject;
  if (change.family !== 'ApprovalRequest' || change.operation !== 'UPDATE') return untouched(review);
  return change.subresource === 'status' ? stamped(review, subject, deps) : hinted(review, subject, deps);
}

function stamped(review: Review, { change, object, oldObject }: Subject, deps: DecideDeps): Decided {
  const mutation = stampApproval({ object, oldObject, user: change.user, now: deps.now() });
  const isMended = mutation.patch.length > 0;
  return {
    response: admitWith(review, mutation),
    decision: isMended ? 'patch' : 'admit',
    rules: isMended ? ['stamp-approval'] : [],
  };
}

function hinted(review: Review, { change, object, oldObject }: Subject, deps: DecideDeps): Decided {
  const { name, namespace } = change;
  if (modeOf(deps.policy(), hintRule, namespace) === 'off') return untouched(review);
  const warnings = approvalHint({ object, oldObject, name, namespace });
  return {
    response: admitWith(review, { patch: [], warnings }),
    decision: 'admit',
    rules: warnings.length > 0 ? [hintRule.id] : [],
  };
}

function untouched(review: Review): Decided {
  return { response: admit(review), decision: 'admit', rules: [] };
}

/**
 * What only the hub agent writes it may always write: a guard that gets in its way stops every rollout of the hub. The
 * webhook configurations keep these writes away; this holds where they do not.
 */
function isAgentsOwn(change: Change, policy: Policy): boolean {
  if (!isHubAgent(policy, change.user)) return false;
  return change.family === 'ApprovalRequest' || (change.family === 'UpdateRun' && change.subresource === 'status');
}

/**
 * Behind a hook with failurePolicy Ignore a 429 inside the review still refuses the write, and not knowing must not: the
 * brake has to work when nothing else does. An HTTP error hands the question to failurePolicy.
 */
function isForFailurePolicy(verdict: Verdict, change: Change): boolean {
  if (decisionOf(verdict) !== 'retry' || hookFor(change, 'validate')?.failurePolicy === 'Fail') return false;
  return refusalsOf(verdict).every(({ outcome }) => outcome === 'undetermined');
}

function outOfTime(): HttpError {
  return new HttpError(503, 'ran out of time before a verdict was reached');
}
