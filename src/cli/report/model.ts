import { subjectName } from '../../engine/message.js';
import type { Finding, RuleFailure, Subject, Verdict } from '../../engine/verdict.js';
import { exitCodes, type ExitCode } from '../../errors.js';
import { sameJson } from '../../fleet/json.js';
import { plain } from '../../fleet/quoted.js';
import { planOfJudged, type JudgedPlan } from '../../guard/judged-plan.js';
import type { JudgedManifests, ManifestsToJudge } from '../../guard/manifest-judge.js';
import type { Judged } from '../../guard/judge-together.js';
import { withoutEchoes } from '../../guard/without-echoes.js';
import type { KnownFleet } from '../../sources/fleet-source.js';
import { byPlace, type ManifestProblem } from '../../sources/manifests/files.js';
import type { EditInText } from '../../sources/manifests/places.js';
import { editInText } from '../../sources/manifests/replacement.js';
import type { PassedOver } from '../../sources/manifests/passing-over.js';
import { suppress } from './suppress.js';

/** Where something stands; nowhere, where a hub told of it. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An object that was judged. */
export interface ReportedObject extends Partial<Place> {
  readonly subject: Subject;
}

/** A finding with the object it is about. */
export interface ReportedFinding extends Finding, ReportedObject {}

/** A finding with its place in a file. */
export type LocatedFinding = ReportedFinding & Place & { readonly inText?: EditInText };

/** A finding that a comment keeps from being told, and why. */
export type SuppressedFinding = LocatedFinding & { readonly reason: string };

interface Common {
  /** Everything that was judged, whatever came of it. */
  readonly objects: readonly ReportedObject[];
  readonly findings: readonly ReportedFinding[];
  /** What could not be read. */
  readonly errors: readonly ManifestProblem[];
  /** Rules that threw. */
  readonly failures: readonly RuleFailure[];
}

/** All that came of judging manifests. */
export interface CheckReport extends Common {
  readonly of: 'check';
  readonly findings: readonly LocatedFinding[];
  readonly files: number;
  readonly checked: number;
  readonly passedOver: number;
  readonly filesPassedOver: PassedOver;
  /** What comments keep from being told here; the webhook does not see them. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Comments that keep nothing from being told. */
  readonly unused: readonly (ManifestProblem & Place)[];
  readonly fleet: KnownFleet['knowledge'];
  /** What the runs would do, as far as it can be known; not worked out before somebody asks. */
  plans(): readonly JudgedPlan[];
}

/** The plan of one run, and what is held against it. */
export interface PlanReport extends Common, JudgedPlan {
  readonly of: 'plan';
}

/** All that came of judging what is stored. */
export interface AuditReport extends Common {
  readonly of: 'audit';
  readonly judged: number;
}

export type Report = CheckReport | PlanReport | AuditReport;

/** What came of judging manifests, and where in the files the findings are. */
export function checkReport(
  { manifests, known, policy }: Pick<ManifestsToJudge, 'manifests' | 'known' | 'policy'>,
  { judged, errors }: JudgedManifests,
): CheckReport {
  const { files, passedOver, filesPassedOver } = manifests;
  const { version } = policy.kubefleet;
  const all = withoutEchoes(judged).flatMap(located).sort(byPlace);
  const { findings, suppressed, unused, problems } = suppress(manifests.suppressions, all, { judged, errors });
  return {
    of: 'check',
    objects: judged.map(objectOf),
    findings,
    suppressed,
    unused,
    errors: [...errors, ...problems].sort(byPlace),
    failures: judged.flatMap(({ verdict }) => verdict.failures),
    files,
    checked: judged.length,
    passedOver,
    filesPassedOver,
    fleet: known.knowledge,
    plans: () => judged.map((one) => planOfJudged(one, version)).filter(({ plan }) => plan !== undefined),
  };
}

/** The findings of an object, with their places. */
export function located({ manifest, verdict }: Judged): readonly LocatedFinding[] {
  const { document } = manifest;
  return reported(verdict).map((finding) => {
    const inText = editFor(finding, manifest);
    const place = { file: document.file, ...document.locate(finding.path) };
    return { ...finding, ...place, ...(inText !== undefined && { inText }) };
  });
}

/** A rule may say in other words what is wrong with the shape at the same place. */
function editFor({ path, edit }: Finding, { document, shape }: Judged['manifest']): EditInText | undefined {
  return editInText(document, { path, edit: edit ?? shape.find((one) => sameJson(one.path, path))?.edit });
}

export function objectOf({ manifest: { document }, verdict: { subject } }: Judged): ReportedObject & Place {
  return { subject, file: document.file, ...document.locate([]) };
}

export function reported({ findings, subject }: Verdict): readonly ReportedFinding[] {
  return findings.map((finding) => ({ ...finding, subject }));
}

/** What a finding comes to, for whoever reads a report. */
export type Standing = 'refused' | 'warning' | 'audited' | 'unknown';

const standings = { deny: 'refused', warn: 'warning', audit: 'audited' } as const;

export function standingOf({ severity, outcome }: Finding): Standing {
  return outcome === 'undetermined' ? 'unknown' : standings[severity];
}

export function isRefusal(finding: Finding): boolean {
  return standingOf(finding) === 'refused';
}

export function isWarning(finding: Finding): boolean {
  return standingOf(finding) === 'warning';
}

/** Judged, and said to nobody but whoever asks for it. */
export function isAudited(finding: Finding): boolean {
  return standingOf(finding) === 'audited';
}

/** The mildest that ends with exit code 1. */
export type FailOn = 'deny' | 'warn';

export function fails(finding: Finding, failOn: FailOn): boolean {
  return isRefusal(finding) || (failOn === 'warn' && isWarning(finding));
}

type ExitCauses = Pick<Report, 'findings' | 'errors' | 'failures'> & Partial<Pick<CheckReport, 'unused'>>;

/** A bug beats what could not be read, and that beats a refusal: neither may pass for a complete judgement. */
export function exitCodeFor({ findings, errors, failures, ...more }: ExitCauses, failOn: FailOn = 'deny'): ExitCode {
  if (failures.length > 0) return exitCodes.bug;
  if (errors.length > 0) return exitCodes.unusable;
  const isWarned = failOn === 'warn' && more.unused !== undefined && more.unused.length > 0;
  return isWarned || findings.some((finding) => fails(finding, failOn)) ? exitCodes.refused : exitCodes.clean;
}

/** `ClusterStagedUpdateRun storefront-v15`. */
export function nameOf(subject: Subject): string {
  return `${subject.kind} ${plain(subjectName(subject))}`;
}
