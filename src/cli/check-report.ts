import { evaluate } from '../engine/evaluate.js';
import type { Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import type { Finding, RuleFailure, Subject, Verdict } from '../engine/verdict.js';
import { exitCodes, type ExitCode } from '../errors.js';
import { IndexedFleet } from '../fleet/indexed-fleet.js';
import type { FleetState } from '../fleet/state.js';
import type { ManifestProblem } from '../sources/manifests/files.js';
import { decodeManifests, fleetOf, type ManifestObject } from '../sources/manifests/objects.js';
import type { Manifests } from '../sources/manifests/read.js';
import { judgeProposed, type Judged } from './proposed.js';

/** A finding with the object it is about and its place in a file. */
export interface LocatedFinding extends Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly subject: Subject;
}

/** All that came of judging manifests. */
export interface CheckReport {
  readonly findings: readonly LocatedFinding[];
  /** What could not be read. */
  readonly errors: readonly ManifestProblem[];
  /** Rules that threw. */
  readonly failures: readonly RuleFailure[];
  readonly files: number;
  readonly checked: number;
  readonly passedOver: number;
  /** `broken` where a part of it could not be read. */
  readonly fleet: 'none' | 'broken' | 'whole';
}

export interface CheckInput {
  readonly manifests: Manifests;
  /** The hub as it stands; without it, what the manifests do not hold is unknown. */
  readonly fleet: Manifests | undefined;
  /** The same, asked of the hub itself. */
  readonly hub?: FleetState | undefined;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly now: number;
}

/** Every manifest that could be read, judged; and what could not be read. */
export interface JudgedManifests {
  readonly judged: readonly Judged[];
  readonly errors: readonly ManifestProblem[];
}

/** Judges manifests against a fleet. */
export function judgeManifests({ manifests, fleet, hub, rules, policy, now }: CheckInput): JudgedManifests {
  const stored = hub === undefined ? storedFleet(fleet) : { fleet: hub, errors: [] };
  const objects = decodeManifests(manifests.documents);
  // Here nobody can be asked to wait: what cannot be known is noted, and decides nothing.
  const lenient: Policy = { ...policy, undetermined: { default: 'note', rules: {} } };
  const judged = judgeProposed(objects, stored.fleet, (change, world) =>
    evaluate(change, { rules, fleet: world, policy: lenient, now }),
  );
  const errors = [...stored.errors, ...manifests.problems, ...objects.flatMap(({ problems }) => problems)];
  return { judged, errors: errors.sort(byPlace) };
}

/** Judges manifests against a fleet and says where in the files the findings are. */
export function checkManifests(input: CheckInput): CheckReport {
  const { judged, errors } = judgeManifests(input);
  return {
    findings: judged.flatMap(({ manifest, verdict }) => located(manifest, verdict)).sort(byPlace),
    errors,
    failures: judged.flatMap(({ verdict }) => verdict.failures),
    files: input.manifests.files,
    checked: judged.length,
    passedOver: input.manifests.passedOver,
    fleet: knowledgeOf(input),
  };
}

function knowledgeOf({ fleet, hub }: CheckInput): CheckReport['fleet'] {
  if (fleet === undefined) return hub === undefined ? 'none' : 'whole';
  return fleet.problems.length > 0 ? 'broken' : 'whole';
}

/** A fleet of which a part could not be read is not complete: what is missing may stand in that part. */
function storedFleet(manifests: Manifests | undefined): { fleet: IndexedFleet; errors: readonly ManifestProblem[] } {
  if (manifests === undefined) return { fleet: new IndexedFleet('partial'), errors: [] };
  const { fleet, problems } = fleetOf(manifests.documents, manifests.problems.length === 0 ? 'complete' : 'partial');
  return { fleet, errors: [...manifests.problems, ...problems] };
}

function located({ document }: ManifestObject, { findings, subject }: Verdict): readonly LocatedFinding[] {
  return findings.map((finding) => ({
    ...finding,
    file: document.file,
    ...document.locate(finding.path),
    subject,
  }));
}

function byPlace(a: ManifestProblem & { rule?: string }, b: ManifestProblem & { rule?: string }): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

export function isRefusal({ severity, outcome }: Finding): boolean {
  return severity === 'deny' && outcome === 'violated';
}

export function isWarning({ severity, outcome }: Finding): boolean {
  return severity === 'warn' && outcome === 'violated';
}

/** A bug beats what could not be read, and that beats a refusal: neither may pass for a complete judgement. */
export function exitCodeFor({ findings, errors, failures }: CheckReport, failOn: 'deny' | 'warn'): ExitCode {
  if (failures.length > 0) return exitCodes.bug;
  if (errors.length > 0) return exitCodes.unusable;
  const fails = failOn === 'warn' ? (finding: Finding) => isRefusal(finding) || isWarning(finding) : isRefusal;
  return findings.some(fails) ? exitCodes.refused : exitCodes.clean;
}
