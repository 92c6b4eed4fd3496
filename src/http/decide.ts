import type { Change } from '../engine/change.js';
import { isHubAgent, modeOf, type Mode, type Policy } from '../engine/policy.js';
import type { Judge } from '../guard/judge.js';
import { decisionOf, refusalsOf, type Verdict } from '../engine/verdict.js';
import { describe } from '../errors.js';
import type { Log } from '../log.js';
import { approvalHint, hintRule } from '../mutations/approval-hint.js';
import { stampApproval, stampApprovalEntry } from '../mutations/stamp-approval.js';
import {
  admit,
  admitNoting,
  admitWith,
  answerOf,
  type Review,
  type ReviewResponse,
  type ReviewedWrite,
} from './admission-review.js';
import { auditOfRules } from './audit.js';
import { HttpError } from './body.js';
import { before } from './deadline.js';
import type { DecisionRecord } from './decision-record.js';
import { hookFor } from './hooks.js';
import type { Metrics } from './metrics.js';

/** What the two endpoints need to come to an answer. */
export interface DecideDeps {
  readonly judge: Judge;
  /** The operator's settings as they are now. */
  policy(): Policy;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that does not jump: deadlines are told by it. That of the process, unless given. */
  elapsed?(): number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A last line under every refusal. */
  footer?(): string;
}

export function elapsedBy(deps: Pick<DecideDeps, 'elapsed'>): number {
  return deps.elapsed?.() ?? performance.now();
}

export interface Decided {
  readonly response: ReviewResponse;
  readonly decision: DecisionRecord['decision'];
  readonly rules: readonly string[];
}

/** Answers a review of the validating phase. Raises HttpError 503 where failurePolicy is to decide. */
export function validate(review: Review, deadline: number, deps: DecideDeps): Decided | Promise<Decided> {
  const { subject } = review;
  if (subject === undefined || isAgentsOwn(subject.change, deps.policy())) return untouched(review);
  const { change, requester } = subject;
  const verdict = deps.judge(change, { deadline, requester });
  // Most verdicts are there at once.
  if (!(verdict instanceof Promise)) return decided({ review, change, verdict }, deps);
  return before(verdict, deadline - elapsedBy(deps), outOfTime).then((late) =>
    decided({ review, change, verdict: late }, deps),
  );
}

interface Judged {
  readonly review: Review;
  readonly change: Change;
  readonly verdict: Verdict;
}

function decided({ review, change, verdict }: Judged, deps: DecideDeps): Decided {
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
    retrySeconds: verdict.retrySeconds ?? deps.policy().retry.defaultSeconds,
    footer: deps.footer?.() ?? '',
  });
  return { response, decision, rules: [...new Set(verdict.findings.map(({ rule }) => rule))] };
}

/** Answers a review of the mutating phase: approvals are stamped, nothing is refused. */
export function mutate(review: Review, deps: DecideDeps): Decided {
  const { subject } = review;
  if (subject === undefined || isAgentsOwn(subject.change, deps.policy())) return untouched(review);
  const { change } = subject;
  if (change.family !== 'ApprovalRequest' || change.operation !== 'UPDATE') return untouched(review);
  return change.subresource === 'status' ? stamped(review, subject, deps) : hinted(review, subject, deps);
}

function stamped(review: Review, { change, object, oldObject }: ReviewedWrite, deps: DecideDeps): Decided {
  const mode = modeOf(deps.policy(), stampApprovalEntry, change.namespace);
  const act = acts[mode];
  if (act === 'nothing') return untouched(review);
  const mutation = stampApproval({ object, oldObject, user: change.user, now: deps.now() });
  const isStamped = mutation.patch.length > 0;
  if (isStamped && act === 'note') return noted(review, stampApprovalEntry.id, deps);
  return {
    response: admitWith(
      review,
      mutation,
      isStamped ? auditOfRules([{ rule: stampApprovalEntry.id, severity: mode }]) : {},
    ),
    decision: isStamped ? 'patch' : 'admit',
    rules: isStamped ? [stampApprovalEntry.id] : [],
  };
}

function hinted(review: Review, { change, object, oldObject }: ReviewedWrite, deps: DecideDeps): Decided {
  const { name, namespace } = change;
  const mode = modeOf(deps.policy(), hintRule, namespace);
  const act = acts[mode];
  if (act === 'nothing') return untouched(review);
  const warnings = approvalHint({ object, oldObject, name, namespace });
  if (warnings.length > 0 && act === 'note') return noted(review, hintRule.id, deps);
  if (warnings.length === 0) return untouched(review);
  const audit = auditOfRules([{ rule: hintRule.id, severity: mode }]);
  return { response: admitWith(review, { patch: [], warnings }, audit), decision: 'admit', rules: [hintRule.id] };
}

/** What the mutating phase, which refuses nothing, does in a mode. An audit changes nothing and says nothing. */
const acts: Readonly<Record<Mode, 'act' | 'note' | 'nothing'>> = {
  deny: 'act',
  warn: 'act',
  audit: 'note',
  off: 'nothing',
};

function noted(review: Review, rule: string, { metrics }: DecideDeps): Decided {
  metrics.noted(rule);
  return { response: admitNoting(review, rule), decision: 'admit', rules: [rule] };
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
