import { subjectName } from '../engine/message.js';
import { overlay } from '../engine/overlay.js';
import { planView, type PlanView } from '../engine/plan-view.js';
import { findingJson, type Verdict } from '../engine/verdict.js';
import { exitCodes, GuardError, type ExitCode } from '../errors.js';
import { Facts, UnknownFact } from '../fleet/facts.js';
import type { ManifestProblem } from '../sources/manifests/files.js';
import { isRefusal, judgeManifests, type CheckInput } from './check-report.js';
import type { Judged } from './proposed.js';

/** The plan of one run, and what is held against it. */
export interface PlanReport {
  readonly title: string;
  readonly plan: PlanView | undefined;
  readonly verdict: Verdict;
  readonly errors: readonly ManifestProblem[];
}

/** Plans the one run among the manifests; the others are taken as applied. */
export function planManifests(input: CheckInput): PlanReport {
  const { judged, errors } = judgeManifests(input);
  const runs = judged.filter(({ change }) => change.family === 'UpdateRun');
  const [run] = runs;
  if (run === undefined || runs.length > 1) throw notOneRun(runs.length, errors);
  const { subject } = run.verdict;
  return { title: `${subject.kind} ${subjectName(subject)}`, plan: planOf(run), verdict: run.verdict, errors };
}

function notOneRun(found: number, errors: readonly ManifestProblem[]): GuardError {
  const [error] = errors;
  const reason = error === undefined ? '' : `: ${error.file}: ${error.message}`;
  const text =
    found === 0 ? `there is no run to plan${reason}` : `there are ${String(found)} runs; give the one to plan`;
  return new GuardError('INPUT_UNREADABLE', text);
}

function planOf({ change, fleet }: Judged): PlanView | undefined {
  if (change.family !== 'UpdateRun' || change.operation === 'DELETE') return undefined;
  try {
    return planView(change.object, new Facts(overlay(fleet, change), change.namespace));
  } catch (error) {
    // The findings name what could not be known.
    if (error instanceof UnknownFact) return undefined;
    throw error;
  }
}

/** The plan for programs: what the controller would write to stagesStatus. */
export function planJson({ plan, verdict }: PlanReport): string {
  const stages = (plan?.stages ?? []).map(({ name, clusters }) => ({
    name,
    clusters: clusters.map((one) => one.name),
  }));
  const report = { stages, deletion: plan?.deletion ?? [], findings: verdict.findings.map(findingJson) };
  return `${JSON.stringify(report, null, 2)}\n`;
}

export function planExitCode({ verdict, errors }: PlanReport): ExitCode {
  if (verdict.failures.length > 0) return exitCodes.bug;
  if (errors.length > 0) return exitCodes.unusable;
  return verdict.findings.some(isRefusal) ? exitCodes.refused : exitCodes.clean;
}
