import type { Claims, Outcome } from '../claims/claim.js';
import type { Concurrency } from '../claims/protocol.js';
import { moments, type Change } from '../engine/change.js';
import {
  nameTaken,
  placementFreeRule,
  placementPending,
  placementTaken,
  placementUnclaimed,
  type Start,
} from '../engine/conflict-text.js';
import { modeOf, type Policy } from '../engine/policy.js';
import { decisionOf, type Finding, type Verdict } from '../engine/verdict.js';
import { phaseOf } from '../fleet/run.js';
import type { Log } from '../log.js';
import type { DecideDeps } from './decide.js';

type Judge = DecideDeps['judge'];

export interface ClaimingParts {
  readonly judge: Judge;
  readonly claims: Claims;
  readonly policy: () => Policy;
  /** What becomes of a start while claims cannot be written. */
  readonly whenUnavailable: () => 'retry' | 'admit';
  /** Milliseconds since 1970, as deadlines are told. */
  readonly now: () => number;
  readonly log: Log;
  /** Sees what came of every claim. */
  readonly onClaim?: (outcome: Outcome['is']) => void;
}

/** What is left of the time when claiming must end: the answer has to be written and sent. */
const marginMilliseconds = 50;

/** Whether a placement must be claimed before a run may be active there. */
export function isClaimWanted(policy: Policy, namespace: string | undefined): boolean {
  const rule = { id: placementFreeRule, severity: 'deny' } as const;
  return policy.concurrency !== 'off' && modeOf(policy, rule, namespace) === 'deny';
}

/** Who may share a placement, where claims are asked for at all. */
export function claimConcurrency({ concurrency }: Policy): Concurrency {
  return concurrency === 'compatible' ? 'compatible' : 'exclusive';
}

/** Judges as before, and lets a run be active only once it has its placement to itself. */
export function createClaimingJudge(parts: ClaimingParts): Judge {
  return (change, options) => {
    const verdict = parts.judge(change, options);
    const isClaimed = isStart(change) && isClaimWanted(parts.policy(), change.namespace);
    return isClaimed ? claimAfter(verdict, change, { ...parts, ...options }) : verdict;
  };
}

async function claimAfter(
  judged: Verdict | Promise<Verdict>,
  change: Start,
  parts: ClaimingParts & { readonly deadline: number },
): Promise<Verdict> {
  const verdict = await judged;
  // A claim is the last thing before an admission: what is refused anyway must not hold a placement.
  if (decisionOf(verdict) !== 'admit') return verdict;
  const left = Math.max(0, parts.deadline - parts.now() - marginMilliseconds);
  const outcome = await parts.claims.claim(change, AbortSignal.timeout(left));
  parts.onClaim?.(outcome.is);
  if (outcome.is === 'unavailable') {
    const { name, namespace } = change;
    parts.log.error({ run: name, namespace, because: outcome.because }, 'a placement could not be claimed');
  }
  return withOutcome(verdict, change, { outcome, whenUnavailable: parts.whenUnavailable() });
}

/** Whether a change makes a run active. A dry run makes nothing. */
function isStart(change: Change): change is Start {
  if (change.family !== 'UpdateRun' || change.dryRun || change.subresource !== undefined) return false;
  if (change.operation === 'CREATE') return change.object.spec.state === 'Run';
  return moments['state becomes Run'](change);
}

const pastTense = { take: 'taken', refresh: 'refreshed', 'take over': 'taken over' } as const;

interface Claimed {
  readonly outcome: Outcome;
  readonly whenUnavailable: 'retry' | 'admit';
}

function withOutcome(verdict: Verdict, change: Start, { outcome, whenUnavailable }: Claimed): Verdict {
  if (outcome.is === 'claimed') return { ...verdict, audit: { ...verdict.audit, claim: pastTense[outcome.how] } };
  const finding = findingOf(change, outcome, whenUnavailable);
  const isAdmitted = finding.severity === 'warn';
  // Refusals stand before warnings. The plan of a run that is not admitted interests nobody.
  const { preview, ...rest } = verdict;
  return {
    ...rest,
    ...(isAdmitted && preview !== undefined && { preview }),
    ...(outcome.is === 'undecided' && { retrySeconds: outcome.seconds }),
    findings: [finding, ...verdict.findings],
    audit: { ...verdict.audit, claim: isAdmitted ? 'none' : 'refused' },
  };
}

function findingOf(
  change: Start,
  outcome: Exclude<Outcome, { is: 'claimed' }>,
  whenUnavailable: 'retry' | 'admit',
): Finding {
  const refusal = { rule: placementFreeRule, severity: 'deny', outcome: 'violated' } as const;
  switch (outcome.is) {
    case 'held':
      return { ...refusal, ...placementTaken(change, outcome.by), retry: false };
    case 'name taken':
      return { ...refusal, ...nameTaken(change, outcome.by), retry: phaseOf(outcome.by) === 'deleting' };
    case 'undecided': {
      const { claim, run } = outcome.holder;
      const pending = { name: claim.name, isStored: run === 'idle', freeIn: outcome.freeIn };
      return { ...refusal, ...placementPending(change, pending), retry: true };
    }
    case 'crowded':
      return { ...refusal, ...placementUnclaimed(change, 'too many others ask for it at this moment'), retry: true };
    case 'unavailable': {
      const isAdmitted = whenUnavailable === 'admit';
      const text = placementUnclaimed(change, outcome.because);
      return {
        ...refusal,
        ...text,
        severity: isAdmitted ? 'warn' : 'deny',
        outcome: 'undetermined',
        fix: isAdmitted ? 'Make sure that no other run of this placement is started meanwhile.' : text.fix,
        retry: !isAdmitted,
      };
    }
  }
}
