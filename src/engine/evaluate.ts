import { Facts, UnknownFact } from '../fleet/facts.js';
import { sameJson } from '../fleet/json.js';
import { kindIn } from '../fleet/kinds.js';
import { formatPath } from '../fleet/path.js';
import type { FleetState } from '../fleet/state.js';
import type { Change } from './change.js';
import { overlay } from './overlay.js';
import { modeOf, whenUndetermined, type Policy } from './policy.js';
import { appliesTo, type Context, type Rule, type Severity, type Violation } from './rule.js';
import type { Finding, RuleFailure, Verdict } from './verdict.js';

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
  const objecting = new Set<string>();
  for (const rule of world.rules) {
    if (!appliesTo(rule, change) || rule.after?.some((premise) => objecting.has(premise))) continue;
    const mode = modeOf(world.policy, rule, change.namespace);
    if (mode === 'off') continue;
    const judgement = judge({ rule, mode, change, context });
    judged.push(judgement);
    if (judgement.violations.length > 0 || judgement.unknown !== undefined) objecting.add(rule.id);
  }
  return verdictOf(change, judged, world);
}

/** What came of one rule: violations, and at most one reason why it could not go on. */
interface Judgement {
  readonly rule: Rule;
  readonly mode: Severity;
  readonly violations: readonly Violation[];
  /** What the rule would have had to know. */
  readonly unknown?: string;
  readonly error?: unknown;
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
    if (error instanceof UnknownFact) return { rule, mode, violations, unknown: error.what };
    return { rule, mode, violations, unknown: 'an answer, because of a fault in the guard itself', error };
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
    failures: judged.flatMap(({ rule, error }): RuleFailure[] =>
      error === undefined ? [] : [{ rule: rule.id, error }],
    ),
    undetermined: judged.filter(({ unknown }) => unknown !== undefined).map(({ rule }) => rule.id),
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
  const { rule, mode, unknown, error } = judgement;
  if (unknown === undefined || mode === 'warn') return [];
  // A bug is not worth a line beside a refusal that stands without it.
  if (error !== undefined && isRefused) return [];
  const consequence = change.dryRun ? 'warn' : whenUndetermined(world.policy, rule);
  return [
    {
      rule: rule.id,
      severity: consequence === 'retry' ? 'deny' : 'warn',
      outcome: 'undetermined',
      path: [],
      message: `could not be checked: cannot know ${unknown}`,
      fix: 'Send the same again in a few seconds.',
      retry: consequence === 'retry',
    },
  ];
}

/** Refusals first, then the order of the catalogue, then path and message; the same thing is said once. */
function inOrder(findings: readonly Finding[], rules: readonly Rule[]): readonly Finding[] {
  const rank = new Map(rules.map((rule, index) => [rule.id, String(index).padStart(4, '0')]));
  const keyed = findings.map((finding) => {
    const parts = [finding.severity, rank.get(finding.rule), formatPath(finding.path), finding.message];
    return { finding, key: parts.join('\n') };
  });
  const unique = new Map(keyed.map(({ key, finding }) => [key, finding]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}
