import type { Exemptions } from './exemption.js';
import type { Edit } from '../fleet/edit.js';
import type { KindOfFamily } from '../fleet/kinds.js';
import type { PlanView } from '../fleet/plan-view.js';
import { formatPath, type Path } from '../fleet/path.js';
import type { Severity } from './rule.js';

/** Whom a verdict is about. */
export interface Subject {
  readonly kind: KindOfFamily['kind'];
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A violation with the rule it broke, or a rule that could not tell. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly outcome: 'violated' | 'undetermined';
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  /** The fix for the text of a manifest. */
  readonly edit?: Edit;
  /** Whether sending the same again later may succeed. */
  readonly retry: boolean;
}

/** A rule that threw: a bug of the guard, and says nothing of the object. */
export interface RuleFailure {
  readonly rule: string;
  readonly error: unknown;
}

/** All that the rules have to say about one change. */
export interface Verdict {
  readonly subject: Subject;
  readonly findings: readonly Finding[];
  readonly failures: readonly RuleFailure[];
  /** Rules that could not tell, whatever became of them. */
  readonly undetermined: readonly string[];
  /** Rules in a softer mode than deny that would refuse this write in it; absent where none would. */
  readonly wouldRefuse?: readonly string[];
  /** What a run that is admitted will do, in one line. */
  readonly preview?: string;
  /** The same in full. */
  readonly plan?: PlanView;
  /** What is the matter with the run that is touched, in one line. */
  readonly diagnosis?: string;
  /** How long to wait before sending the same again, where that is known better than by default. */
  readonly retrySeconds?: number;
  /** What came of the exemptions that the object asks for; absent where none was asked for or needed. */
  readonly exemptions?: Exemptions;
  /** More for the audit log, by bare keys. */
  readonly audit?: Readonly<Record<string, string>>;
}

/** What the API server is told: admitted, refused, or refused for now. */
export type Decision = 'admit' | 'refuse' | 'retry';

/** Refused for now only if everything that refuses may heal by itself. */
export function decisionOf(verdict: Pick<Verdict, 'findings'>): Decision {
  const refusing = refusalsOf(verdict);
  if (refusing.length === 0) return 'admit';
  return refusing.every((finding) => finding.retry) ? 'retry' : 'refuse';
}

/** What whoever wrote hears of a finding. */
const heardAs: Readonly<Record<Severity, 'refusal' | 'warning' | 'nothing'>> = {
  deny: 'refusal',
  warn: 'warning',
  audit: 'nothing',
};

export function refusalsOf(verdict: Pick<Verdict, 'findings'>): readonly Finding[] {
  return verdict.findings.filter(({ severity }) => heardAs[severity] === 'refusal');
}

export function warningsOf(verdict: Pick<Verdict, 'findings'>): readonly Finding[] {
  return verdict.findings.filter(({ severity }) => heardAs[severity] === 'warning');
}

/** A finding as programs read it. */
export interface FindingJson extends Omit<Finding, 'path' | 'edit'> {
  readonly path: string;
}

export function findingJson({ path, edit: _, ...finding }: Finding): FindingJson {
  return { ...finding, path: formatPath(path) };
}
