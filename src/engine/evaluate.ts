import { Facts, UnknownFact } from '../fleet/facts.js';
import { sameJson } from '../fleet/json.js';
import { kindIn } from '../fleet/kinds.js';
import { comparePaths, compareSteps } from '../fleet/path.js';
import type { FleetState } from '../fleet/state.js';
import type { Change } from './change.js';
import { overlay } from './overlay.js';
import { modeOf, whenUndetermined, type Policy } from './policy.js';
import { appliesTo, type Context, type Rule, type Severity, type Violation } from './rule.js';
import { previewOf } from './plan-view.js';
import { decisionOf, type Finding, type RuleFailure, type Verdict } from './verdict.js';

/** Everything a verdict depends on beside the change. */
export interface World {
  readonly rules: readonly Rule[];
  readonly fleet: FleetState;
  readonly policy: Policy;
  readonly now: number;
  /** Seconds since the named thing was first seen to be settling; 0 where nobody keeps count. */
  readonly settlingFor?: (what: string) => number;
}

/** Judges a change by every rule that applies to it. Rules stand after their premises in `world.rules`. */
export function evaluate(change: Change, world: World): Verdict {
  const context: Context = {
    facts: new Facts(overlay(world.fleet, change), change.namespace),
    now: world.now,
    policy: world.policy,
  };
  const judged: Judgement[] = [];
  const settled = new Set<string>();
  for (const rule of world.rules) {
    if (!appliesTo(rule, change)) continue;
    if (rule.after?.some((premise) => settled.has(premise))) {
      // What rests on a silenced rule rests on the same objection.
      settled.add(rule.id);
      continue;
    }
    const mode = modeOf(world.policy, rule, change.namespace);
    if (mode === 'off') continue;
    const judgement = judge({ rule, mode, change, context });
    judged.push(judgement);
    if (speaks(judgement)) settled.add(rule.id);
  }
  const verdict = verdictOf(change, judged, world);
  return decisionOf(verdict) === 'admit' ? withPreview(verdict, change, context.facts) : verdict;
}

/** Adds the plan of a run; a preview that fails is noted and left out, for it is no part of the judgement. */
function withPreview(verdict: Verdict, change: Change, facts: Facts): Verdict {
  try {
    const preview = previewOf(change, facts);
    return preview === undefined ? verdict : { ...verdict, preview };
  } catch (error) {
    if (error instanceof UnknownFact) return verdict;
    return { ...verdict, failures: [...verdict.failures, { rule: 'preview', error }] };
  }
}

/** What came of one rule: violations, and at most one reason why it could not go on. */
interface Judgement {
  readonly rule: Rule;
  readonly mode: Severity;
  readonly violations: readonly Violation[];
  /** Why the rule could not tell, for people. */
  readonly obstacle?: string;
  readonly failure?: RuleFailure;
}

/** A premise that says nothing must not silence others: a warn rule that cannot tell would let all pass unseen. */
function speaks({ mode, violations, obstacle }: Judgement): boolean {
  return violations.length > 0 || (obstacle !== undefined && mode === 'deny');
}

interface Case {
  readonly rule: Rule;
  readonly mode: Severity;
  readonly change: Change;
  readonly context: Context;
}

function judge({ rule, mode, change, context }: Case): Judgement {
  const violations: Violation[] = [];
  try {
    for (const violation of rule.check(change, context)) violations.push(violation);
    return { rule, mode, violations };
  } catch (error) {
    if (error instanceof UnknownFact) return { rule, mode, violations, obstacle: `: ${error.message}` };
    const obstacle = ' because of a fault in the guard itself';
    return { rule, mode, violations, obstacle, failure: { rule: rule.id, error } };
  }
}

function verdictOf(change: Change, judged: readonly Judgement[], world: World): Verdict {
  const violated = judged.flatMap((judgement) =>
    judgement.violations.map((violation) => violatedFinding(judgement, violation, { change, world })),
  );
  const isRefused = violated.some((finding) => finding.severity === 'deny');
  const undetermined = judged.flatMap((judgement) => undeterminedFinding(judgement, isRefused, { change, world }));
  return {
    subject: { kind: kindIn(change.family, change.namespace).kind, namespace: change.namespace, name: change.name },
    findings: inOrder([...violated, ...undetermined], world.rules),
    failures: judged.flatMap(({ failure }) => failure ?? []),
    undetermined: judged.filter(({ obstacle }) => obstacle !== undefined).map(({ rule }) => rule.id),
  };
}

interface Circumstances {
  readonly change: Change;
  readonly world: World;
}

function violatedFinding(judgement: Judgement, violation: Violation, { change, world }: Circumstances): Finding {
  const { rule, mode } = judgement;
  const isSoft = violation.atMost === 'warn' || isExcused(rule, change);
  const age = violation.settling === undefined ? Infinity : (world.settlingFor?.(violation.settling) ?? 0);
  return {
    rule: rule.id,
    severity: isSoft ? 'warn' : mode,
    outcome: 'violated',
    path: violation.path,
    message: violation.message,
    fix: violation.fix ?? rule.fix,
    retry: !change.dryRun && age <= world.policy.retry.maxAgeSeconds,
  };
}

/**
 * Faults that may be told but must not refuse. A dry run comes before the objects it rests on are stored (Flux dry-runs
 * a whole commit first). An update that leaves the spec alone is not to blame for what was stored before.
 */
function isExcused(rule: Rule, change: Change): boolean {
  if (change.dryRun && rule.reads.length > 0) return true;
  if (rule.judges === 'write' || change.operation !== 'UPDATE' || change.subresource !== undefined) return false;
  return sameJson(specOf(change.object), specOf(change.oldObject));
}

function specOf(object: object): unknown {
  return 'spec' in object ? object.spec : undefined;
}

function undeterminedFinding(judgement: Judgement, isRefused: boolean, { change, world }: Circumstances): Finding[] {
  const { rule, mode, obstacle, failure } = judgement;
  if (obstacle === undefined || mode === 'warn') return [];
  // A bug is not worth a line beside a refusal that stands without it.
  if (failure !== undefined && isRefused) return [];
  // What would be a warning if it were known is no more than that while it is unknown.
  const isSoft = change.dryRun || isExcused(rule, change);
  const wanted = whenUndetermined(world.policy, rule);
  const consequence = isSoft && wanted === 'retry' ? 'warn' : wanted;
  return [
    {
      rule: rule.id,
      severity: consequence === 'retry' ? 'deny' : 'warn',
      outcome: 'undetermined',
      path: [],
      message: `could not be checked${obstacle}`,
      fix: failure === undefined ? remedies[consequence] : remedies.fault,
      retry: consequence === 'retry',
    },
  ];
}

/** What to do about a rule that could not tell. */
const remedies = {
  retry: 'Send the same again in a few seconds.',
  warn: 'Look at it yourself before you rely on it.',
  note: 'Check it against the whole fleet.',
  fault: 'Send the same again; if that does not help, set this rule to warn and report the fault with the log.',
} as const;

/** Refusals first, then the order of the catalogue, then path and message; the same thing is said once. */
function inOrder(findings: readonly Finding[], rules: readonly Rule[]): readonly Finding[] {
  const rank = new Map(rules.map((rule, index) => [rule.id, index]));
  const unique = new Map(
    findings.map((finding) => {
      const { severity, rule, path, message } = finding;
      return [JSON.stringify([severity, rule, path, message]), finding];
    }),
  );
  return [...unique.values()].sort(
    (a, b) =>
      compareSteps(a.severity, b.severity) ||
      compareSteps(rank.get(a.rule) ?? 0, rank.get(b.rule) ?? 0) ||
      comparePaths(a.path, b.path) ||
      compareSteps(a.message, b.message),
  );
}
