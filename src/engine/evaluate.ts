import { Facts, UnknownFact } from '../fleet/facts.js';
import { sameJson } from '../fleet/json.js';
import { kindIn } from '../fleet/kinds.js';
import { comparePaths, compareSteps } from '../fleet/path.js';
import { planView } from '../fleet/plan-view.js';
import type { FleetState } from '../fleet/state.js';
import { isCreationOrStart, type Change } from './change.js';
import { previewText } from './message.js';
import { overlay } from './overlay.js';
import { judgeBy, speaksUnknowing, type Judgement } from './judgement.js';
import { whenUndetermined, type Policy } from './policy.js';
import { severityRank, softer, type Context, type Rule, type Violation } from './rule.js';
import { decisionOf, refusalsOf, type Finding, type Verdict } from './verdict.js';

/** Everything a verdict depends on beside the change. */
export interface World {
  readonly rules: readonly Rule[];
  readonly fleet: FleetState;
  readonly policy: Policy;
  readonly now: number;
  /** Rules that must not refuse this one write: whoever writes it may bypass them. */
  readonly exempt?: ReadonlySet<string> | undefined;
  /** Seconds since the named thing was first seen to be settling; 0 where nobody keeps count. */
  readonly settlingFor?: (what: string) => number;
}

/** Judges a change by every rule that applies to it. Rules stand after their premises in `world.rules`. */
export function evaluate(change: Change, world: World): Verdict {
  const context: Context = {
    facts: new Facts(overlay(world.fleet, change), change.namespace),
    now: world.now,
    policy: world.policy,
    exempt: world.exempt,
  };
  const judged = judgeBy(world.rules, change, context);
  const verdict = verdictOf(change, judged, world);
  return decisionOf(verdict) === 'admit' ? withPreview(verdict, change, context) : verdict;
}

/** Adds the plan of a run; a preview that fails is noted and left out, for it is no part of the judgement. */
function withPreview(verdict: Verdict, change: Change, { facts, policy }: Context): Verdict {
  if (!isCreationOrStart(change)) return verdict;
  try {
    const view = planView(change.object, facts, policy.kubefleet.version);
    return view === undefined ? verdict : { ...verdict, preview: previewText(view), plan: view };
  } catch (error) {
    if (error instanceof UnknownFact) return verdict;
    return { ...verdict, failures: [...verdict.failures, { rule: 'preview', error }] };
  }
}

function verdictOf(change: Change, judged: readonly Judgement[], world: World): Verdict {
  const violated = judged.flatMap((judgement) =>
    judgement.violations.map((violation) => violatedFinding(judgement, violation, { change, world })),
  );
  const isRefused = refusalsOf({ findings: violated }).length > 0;
  const undetermined = judged.flatMap((judgement) => undeterminedFinding(judgement, isRefused, { change, world }));
  const refusing = judged.filter(({ mode }) => mode === 'deny').flatMap(({ violations }) => violations);
  const waits = refusing.flatMap(({ healsInSeconds }) => healsInSeconds ?? []);
  const wouldRefuse = judged.filter((judgement) => isSparing(judgement, change, world)).map(({ rule }) => rule.id);
  return {
    ...(wouldRefuse.length > 0 && { wouldRefuse }),
    ...(isRefused && waits.length > 0 && { retrySeconds: Math.max(...waits) }),
    subject: { kind: kindIn(change.family, change.namespace).kind, namespace: change.namespace, name: change.name },
    findings: inOrder([...violated, ...undetermined], world.rules),
    failures: judged.flatMap(({ failure }) => failure ?? []),
    undetermined: judged.filter(({ obstacle }) => obstacle !== undefined).map(({ rule }) => rule.id),
  };
}

/** Whether only its mode keeps a rule from refusing; whoever is exempted from one knows that it refuses. */
function isSparing({ rule, mode, violations }: Judgement, change: Change, { exempt }: World): boolean {
  if (mode === 'deny' || exempt?.has(rule.id) === true || isExcused(rule, change)) return false;
  return violations.some(({ atMost }) => atMost === undefined);
}

interface Circumstances {
  readonly change: Change;
  readonly world: World;
}

function violatedFinding(judgement: Judgement, violation: Violation, { change, world }: Circumstances): Finding {
  const { rule, mode } = judgement;
  const atMost = violation.atMost ?? (isExcused(rule, change) ? 'warn' : mode);
  const age = violation.settling === undefined ? Infinity : (world.settlingFor?.(violation.settling) ?? 0);
  return {
    rule: rule.id,
    severity: softer(mode, atMost),
    outcome: 'violated',
    path: violation.path,
    message: violation.message,
    fix: violation.fix ?? rule.fix,
    retry: !change.dryRun && (violation.healsInSeconds !== undefined || age <= world.policy.retry.maxAgeSeconds),
    ...(violation.edit !== undefined && { edit: violation.edit }),
  };
}

/**
 * Problems that may be told but must not refuse. A dry run comes before the objects it rests on are stored (Flux dry-runs
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
  if (obstacle === undefined || !speaksUnknowing[mode]) return [];
  // A bug is not worth a line beside a refusal that stands without it.
  if (failure !== undefined && isRefused) return [];
  // What would be a warning if it were known is no more than that while it is unknown.
  const isSoft = change.dryRun || isExcused(rule, change);
  const wanted = whenUndetermined(world.policy, rule);
  const consequence = isSoft && wanted === 'retry' ? 'warn' : wanted;
  return [
    {
      rule: rule.id,
      severity: severityUnknowing[consequence],
      outcome: 'undetermined',
      path: [],
      message: `could not be checked${obstacle}`,
      fix: failure === undefined ? remedies[consequence] : remedies.bug,
      retry: consequence === 'retry',
    },
  ];
}

/** What comes of a write of which a rule could not tell; what is only noted decides nothing. */
const severityUnknowing = { retry: 'deny', warn: 'warn', note: 'audit' } as const;

/** What to do about a rule that could not tell. */
const remedies = {
  retry: 'Send the same again in a few seconds.',
  warn: 'Look at it yourself before you rely on it.',
  note: 'Check it against the whole fleet.',
  bug: 'Send the same again; if that does not help, set this rule to warn and report the bug with the log.',
} as const;

/** Refusals first, what is said to nobody last; then the order of the catalogue, then path and message; the same thing is said once. */
function inOrder(findings: readonly Finding[], rules: readonly Rule[]): readonly Finding[] {
  if (findings.length < 2) return findings;
  const rank = new Map(rules.map((rule, index) => [rule.id, index]));
  const unique = new Map(
    findings.map((finding) => {
      const { severity, rule, path, message } = finding;
      return [JSON.stringify([severity, rule, path, message]), finding];
    }),
  );
  return [...unique.values()].sort(
    (a, b) =>
      severityRank[a.severity] - severityRank[b.severity] ||
      compareSteps(rank.get(a.rule) ?? 0, rank.get(b.rule) ?? 0) ||
      comparePaths(a.path, b.path) ||
      compareSteps(a.message, b.message),
  );
}
