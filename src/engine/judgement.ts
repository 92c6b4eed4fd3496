import { UnknownFact } from '../fleet/facts.js';
import type { Change } from './change.js';
import { modeOf } from './policy.js';
import { appliesTo, softer, type Context, type Rule, type Severity, type Violation } from './rule.js';
import type { RuleFailure } from './verdict.js';

/** What came of one rule: violations, and at most one reason why it could not go on. */
export interface Judgement {
  readonly rule: Rule;
  readonly mode: Severity;
  readonly violations: readonly Violation[];
  /** Why the rule could not tell, for people. */
  readonly obstacle?: string;
  readonly failure?: RuleFailure;
}

/**
 * Judges a change by every rule that applies to it, in the modes that are set. Rules stand after their premises. Nobody
 * else calls `check`: a rule that asks others about an object of its own does it by this.
 */
export function judgeBy(rules: readonly Rule[], change: Change, context: Context): readonly Judgement[] {
  const judged: Judgement[] = [];
  const settled = new Set<string>();
  for (const rule of rulesAbout(change, rules)) {
    if (!appliesTo(rule, change)) continue;
    if (rule.after?.some((premise) => settled.has(premise))) {
      // What rests on a silenced rule rests on the same problem.
      settled.add(rule.id);
      continue;
    }
    const set = modeOf(context.policy, rule, change.namespace);
    if (set === 'off') continue;
    const isExempt = context.exempt?.has(rule.id) === true;
    const mode = isExempt ? softer(set, 'warn') : set;
    const judgement = judge({ rule, mode, change, context });
    judged.push(judgement);
    // Whoever is exempted from a rule is not exempted from those that would otherwise have left it to that one.
    if (!isExempt && speaks(judgement)) settled.add(rule.id);
  }
  return judged;
}

/** The rules of each catalogue by what they are about: most are about something else. */
const byTarget = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>();

/** Those that may apply; the moment to which some are narrowed is not looked at. */
function rulesAbout({ family, operation, subresource }: Change, rules: readonly Rule[]): readonly Rule[] {
  const known = byTarget.get(rules) ?? new Map<string, readonly Rule[]>();
  byTarget.set(rules, known);
  const target = `${family} ${operation} ${subresource ?? ''}`;
  const found =
    known.get(target) ??
    rules.filter((rule) =>
      rule.appliesTo.some(
        (one) => one.family === family && one.operations.includes(operation) && one.subresource === subresource,
      ),
    );
  known.set(target, found);
  return found;
}

/** Whether a rule says so where it cannot tell. */
export const speaksUnknowing: Readonly<Record<Severity, boolean>> = { deny: true, warn: false, audit: false };

/** Whether a rule that finds something tells the user of it. */
const speaksUp: Readonly<Record<Severity, boolean>> = { deny: true, warn: true, audit: false };

/** A premise that says nothing must not silence others: a warn rule that cannot tell, or one that is only audited, would let all pass unseen. */
function speaks({ mode, violations, obstacle }: Judgement): boolean {
  const isTold = violations.some(({ atMost = mode }) => speaksUp[softer(mode, atMost)]);
  return isTold || (obstacle !== undefined && speaksUnknowing[mode]);
}

interface Case {
  readonly rule: Rule;
  readonly mode: Severity;
  readonly change: Change;
  readonly context: Context;
}

/** Nobody reads more of one rule, and an object can be made to break it a hundred thousand times. */
const mostViolations = 100;

function judge({ rule, mode, change, context }: Case): Judgement {
  const violations: Violation[] = [];
  try {
    for (const violation of rule.check(change, context)) {
      violations.push(violation);
      if (violations.length === mostViolations) break;
    }
    return { rule, mode, violations };
  } catch (error) {
    if (error instanceof UnknownFact) return { rule, mode, violations, obstacle: `: ${error.message}` };
    const obstacle = ' because of a bug in the guard itself';
    return { rule, mode, violations, obstacle, failure: { rule: rule.id, error } };
  }
}
