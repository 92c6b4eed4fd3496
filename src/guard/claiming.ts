import type { BegunClaim, Claims, ClaimOutcome } from '../claims/claim.js';
import type { Concurrency } from '../claims/protocol.js';
import { isStart, type RunStart } from '../engine/change.js';
import {
  nameTaken,
  placementFreeRule,
  placementPending,
  placementTaken,
  placementUnclaimed,
} from '../rules/wording/conflict.js';
import { modeOf, refuses, type Policy } from '../engine/policy.js';
import { softer } from '../engine/rule.js';
import { decisionOf, type Finding, type Verdict } from '../engine/verdict.js';
import { phaseOf } from '../fleet/run.js';
import type { Log } from '../log.js';
import type { Judge } from './judge.js';
import { timeBefore, type TimeLeft } from './time-left.js';

export interface ClaimingParts {
  readonly judge: Judge;
  readonly claims: Claims;
  readonly policy: () => Policy;
  /** What becomes of a start while claims cannot be written. */
  readonly whenUnavailable: () => 'retry' | 'admit';
  /** Milliseconds of a clock that does not jump, as deadlines are told. */
  readonly elapsed: () => number;
  readonly log: Log;
  /** Sees what came of every claim, and how long it took from the verdict on. */
  readonly onClaim?: (outcome: ClaimOutcome['is'], seconds: number) => void;
}

/** What is left of the time when claiming must end: the answer has to be written and sent. */
const marginMilliseconds = 50;

/** Whether a placement must be claimed before a run may be active there. */
export function isClaimWanted(policy: Policy, namespace: string | undefined): boolean {
  const rule = { id: placementFreeRule, severity: 'deny' } as const;
  return policy.concurrency !== 'off' && refuses[modeOf(policy, rule, namespace)];
}

/** Who may share a placement, where claims are asked for at all. */
export function claimConcurrency({ concurrency }: Policy): Concurrency {
  return concurrency === 'compatible' ? 'compatible' : 'exclusive';
}

/** Judges as before, and lets a run be active only once it has its placement to itself. */
export function createClaimingJudge(parts: ClaimingParts): Judge {
  return (change, options) => {
    // A dry run makes nothing active.
    const isClaimed = isStart(change) && !change.dryRun && isClaimWanted(parts.policy(), change.namespace);
    if (!isClaimed) return parts.judge(change, options);
    // What judging and claiming read, they read at the same time.
    const time = timeBefore(options.deadline, parts.elapsed(), marginMilliseconds);
    const claim = parts.claims.begin(change, time.signal);
    const isExempt = options.exempt?.has(placementFreeRule) === true;
    return claimAfter(parts.judge(change, options), change, { ...parts, claim, time, isExempt });
  };
}

async function claimAfter(
  judged: Verdict | Promise<Verdict>,
  change: RunStart,
  parts: ClaimingParts & { readonly claim: BegunClaim; readonly time: TimeLeft; readonly isExempt: boolean },
): Promise<Verdict> {
  const verdict = await judged;
  // A claim is the last thing before an admission: what is refused anyway must not hold a placement. What it has begun to
  // read is still bounded by its time.
  if (decisionOf(verdict) !== 'admit') return verdict;
  const began = parts.elapsed();
  const outcome = await parts.claim();
  parts.time.end();
  parts.onClaim?.(outcome.is, (parts.elapsed() - began) / 1000);
  if (outcome.is === 'unavailable') {
    const { name, namespace } = change;
    parts.log.error({ run: name, namespace, because: outcome.because }, 'a placement could not be claimed');
  }
  return withOutcome(verdict, change, { ...parts, outcome, whenUnavailable: parts.whenUnavailable() });
}

const pastTense = { take: 'taken', refresh: 'refreshed', keep: 'kept', 'take over': 'taken over' } as const;

interface Claimed {
  readonly outcome: ClaimOutcome;
  readonly whenUnavailable: 'retry' | 'admit';
  /** Whoever writes may start the run beside others. */
  readonly isExempt: boolean;
}

function withOutcome(verdict: Verdict, change: RunStart, { outcome, whenUnavailable, isExempt }: Claimed): Verdict {
  if (outcome.is === 'claimed') return { ...verdict, audit: { ...verdict.audit, claim: pastTense[outcome.how] } };
  const found = findingOf(change, outcome, whenUnavailable);
  const finding = isExempt ? { ...found, severity: softer(found.severity, 'warn') } : found;
  const isAdmitted = decisionOf({ findings: [finding] }) === 'admit';
  // Refusals stand before warnings. The plan of a run that is not admitted interests nobody.
  const { preview, plan, ...rest } = verdict;
  return {
    ...rest,
    ...(isAdmitted && preview !== undefined && { preview }),
    ...(isAdmitted && plan !== undefined && { plan }),
    ...(outcome.is === 'undecided' && { retrySeconds: outcome.seconds }),
    findings: [finding, ...verdict.findings],
    audit: { ...verdict.audit, claim: isAdmitted ? 'none' : 'refused' },
  };
}

function findingOf(
  change: RunStart,
  outcome: Exclude<ClaimOutcome, { is: 'claimed' }>,
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
