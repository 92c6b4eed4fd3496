import { decisionOf } from '../../engine/verdict.js';
import { GuardError } from '../../errors.js';
import { plain } from '../../fleet/quoted.js';
import { planOfJudged } from '../../guard/judged-plan.js';
import { judgeManifests, type ManifestsToJudge } from '../../guard/manifest-judge.js';
import type { Judged } from '../../guard/judge-together.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import { located, objectOf, type PlanReport } from '../report/model.js';

/** Plans the one run among the manifests; the others are taken as applied. */
export function planManifests(input: ManifestsToJudge): PlanReport {
  const { judged, errors } = judgeManifests(input);
  const runs = judged.filter(({ change }) => change.family === 'UpdateRun');
  const [run] = runs;
  if (run === undefined || runs.length > 1) throw notOneRun(runs.length, errors);
  const { failures } = run.verdict;
  const planned = planOfJudged(run, input.policy.kubefleet.version);
  const isUnknown = planned.plan === undefined && decisionOf(run.verdict) === 'admit';
  const all = isUnknown ? [...errors, noPlan(run, input)] : errors;
  return { of: 'plan', ...planned, objects: [objectOf(run)], findings: located(run), failures, errors: all };
}

/** Without a plan there is nothing to rely on, so this is no success. */
function noPlan({ manifest: { document } }: Judged, { known }: ManifestsToJudge): ManifestProblem {
  const fix = {
    none: 'Give --fleet PATH, or --live: the plan rests on what the hub holds.',
    broken: 'Fix what cannot be read of the fleet.',
    whole: 'Wait until KubeFleet has scheduled the placement, and read the fleet again.',
  } as const;
  return { file: document.file, ...document.locate([]), message: 'no plan can be made', fix: fix[known.knowledge] };
}

function notOneRun(found: number, errors: readonly ManifestProblem[]): GuardError {
  const [error] = errors;
  const reason = error === undefined ? '' : `: ${plain(error.file)}: ${error.message}`;
  const text =
    found === 0 ? `there is no run to plan${reason}` : `there are ${String(found)} runs; give the one to plan`;
  return new GuardError('INPUT_UNREADABLE', text);
}
