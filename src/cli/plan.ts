import { Command } from 'commander';
import { decisionOf } from '../engine/verdict.js';
import { GuardError } from '../errors.js';
import { plain } from '../fleet/quoted.js';
import { planOfJudged } from '../guard/judged-plan.js';
import { requestsOf, judgeManifests, type ManifestsToJudge } from '../guard/manifest-judge.js';
import type { Judged } from '../guard/judge-together.js';
import type { ManifestProblem } from '../sources/manifests/files.js';
import { readManifests } from '../sources/manifests/read.js';
import { tellFailures } from './bug-report.js';
import { addFleetOptions, policyOn, withFleet, type FleetOptions } from './fleet-option.js';
import type { Invocation } from './invocation.js';
import { readConfig } from '../config/read.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';
import { exitCodeFor, located, objectOf, type PlanReport } from './report/model.js';

export interface PlanOptions extends FleetOptions, FormatOptions {
  readonly paths: readonly string[];
  readonly config?: string;
  readonly debug?: boolean;
}

const examples = `
Shows which clusters a run would update in which order, what stands between its stages
and what it would remove: what KubeFleet's controller would write to status.stagesStatus.

Examples:
  stageguard plan run.yaml --fleet hub.json
  stageguard plan run.yaml --live                              by the hub that kubectl is logged in to
  stageguard plan run.yaml strategy.yaml --fleet hub.json      with a strategy that is not stored yet
  stageguard plan run.yaml --fleet hub.json --format html > plan.html`;

export function planCommand({ io, exitWith, rules }: Invocation): Command {
  const command = new Command('plan')
    .description('show what a run would do, stage by stage')
    .argument('<path...>', 'the manifest of the run, and of what it needs that is not stored yet');
  return addFleetOptions(command, { isNeeded: false })
    .option('--config <file>', 'settings, as the server has them')
    .addOption(formatOption('plan'))
    .addHelpText('after', examples)
    .action(async (paths: string[], _: unknown, invoked: Command) => {
      const options = invoked.optsWithGlobals<Omit<PlanOptions, 'paths'>>();
      exitWith(await runPlan({ ...options, paths }, { io, rules }));
    });
}

/** Plans a run and reports; the exit code says whether it would be refused. */
async function runPlan(options: PlanOptions, { io, rules }: Pick<Invocation, 'io' | 'rules'>): Promise<number> {
  const config = await readConfig(options.config);
  const files = { stdin: () => io.stdin() };
  const report = await withFleet(options, { io, files }, async (source) => {
    const manifests = await readManifests(options.paths, files);
    const [known, policy] = await Promise.all([source.asked(requestsOf(manifests)), policyOn(source, config)]);
    return planManifests({ manifests, known, rules, policy, now: io.now() });
  });
  await printReport(report, options, io);
  tellFailures(report.failures, io, options.debug ?? false);
  return exitCodeFor(report);
}

/** Plans the one run among the manifests; the others are taken as applied. */
function planManifests(input: ManifestsToJudge): PlanReport {
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
