import { createHash } from 'node:crypto';
import type { PlanView } from '../fleet/plan-view.js';
import type { Mode } from '../engine/policy.js';
import { decisionOf, type Verdict } from '../engine/verdict.js';
import { version } from '../version.js';

/** What the audit log of the API server holds of an answer, by bare keys: it drops keys that hold a slash. */
export type AuditAnnotations = Readonly<Record<string, string>>;

/** What every answer says, whatever came of it. */
export function auditOfGuard(settings: string | undefined): AuditAnnotations {
  return { version, ...(settings !== undefined && { settings }) };
}

/** What the rules had to say, and what was let through. */
export function auditOfVerdict(verdict: Verdict): AuditAnnotations {
  const { findings, audit, plan, wouldRefuse } = verdict;
  const isPlanned = plan !== undefined && decisionOf(verdict) === 'admit';
  return {
    ...(findings.length > 0 && auditOfRules(findings)),
    ...(wouldRefuse !== undefined && { wouldRefuse: wouldRefuse.join(',') }),
    ...audit,
    ...(isPlanned && { plan: planHash(plan) }),
  };
}

/** The rules, those that refuse first, and what each of them came to; of several findings of a rule the hardest. */
export function auditOfRules(
  findings: readonly { readonly rule: string; readonly severity: Mode }[],
): AuditAnnotations {
  const modes = new Map<string, string>();
  for (const { rule, severity } of findings) if (!modes.has(rule)) modes.set(rule, severity);
  return {
    rules: [...modes.keys()].join(','),
    modes: [...modes].map(([rule, mode]) => `${rule}=${mode}`).join(','),
  };
}

/** Equal for equal plans: the stages with their clusters in order, what is removed at the end, and the snapshot. */
function planHash({ placement, snapshot, stages, deletion }: PlanView): string {
  const named = stages.map(({ name, clusters }) => [name, clusters.map((cluster) => cluster.name)]);
  return shortHash(JSON.stringify([placement, snapshot, named, deletion]));
}

/** Long enough to tell what people write apart. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
