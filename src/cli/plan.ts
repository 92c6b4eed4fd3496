import { Command, Option } from 'commander';
import { policyOf } from '../config/config.js';
import { findingJson } from '../engine/verdict.js';
import { planPage } from '../http/plan-html.js';
import { catalogue } from '../rules/index.js';
import { readManifests } from '../sources/manifests/read.js';
import { kubeconfigHelp, withFleetFor, type HubOptions } from './hub-option.js';
import type { Invocation } from './invocation.js';
import type { Io } from './io.js';
import { planExitCode, planJson, planManifests, type PlanReport } from './plan-report.js';
import { planText } from './plan-text.js';
import { readConfig } from './settings.js';
import { styleOf } from './style.js';

export interface PlanOptions extends HubOptions {
  readonly paths: readonly string[];
  readonly config?: string;
  readonly format: 'text' | 'json' | 'html';
}

const examples = `
Shows which clusters a run would update in which order, what stands between its stages
and what it would remove: what KubeFleet's controller would write to status.stagesStatus.

Examples:
  stageguard plan run.yaml --fleet hub.json
  stageguard plan run.yaml --live                              by the hub that kubectl is logged in to
  stageguard plan run.yaml strategy.yaml --fleet hub.json      with a strategy that is not stored yet
  stageguard plan run.yaml --fleet hub.json --format html > plan.html`;

export function planCommand({ io, exitWith }: Invocation): Command {
  return new Command('plan')
    .description('show what a run would do, stage by stage')
    .argument('<path...>', 'the manifest of the run, and of what it needs that is not stored yet')
    .option('--fleet <path>', 'files that describe the whole hub as it stands')
    .option('--live', 'ask the hub itself how it stands')
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option('--config <file>', 'settings, as the server has them')
    .addOption(new Option('--format <format>', 'how to report').choices(['text', 'json', 'html']).default('text'))
    .addHelpText('after', examples)
    .action(async (paths: string[], options: Omit<PlanOptions, 'paths'>) => {
      exitWith(await runPlan({ ...options, paths }, io));
    });
}

/** Plans a run and reports; the exit code says whether it would be refused. */
async function runPlan(options: PlanOptions, io: Io): Promise<number> {
  const { paths, fleet, config, format } = options;
  const policy = policyOf(await readConfig(config));
  const sources = { stdin: () => io.stdin() };
  const known = fleet === undefined ? undefined : await readManifests([fleet], sources);
  const manifests = await readManifests(paths, sources);
  const report = await withFleetFor(manifests, { options, io }, (hub) =>
    planManifests({ fleet: known, hub, manifests, rules: catalogue, policy, now: io.now() }),
  );
  io.out(render(report, format, io));
  return planExitCode(report);
}

function render(report: PlanReport, format: PlanOptions['format'], io: Io): string {
  const { title, plan, verdict } = report;
  switch (format) {
    case 'text':
      return planText(report, styleOf(io.isColoured));
    case 'json':
      return planJson(report);
    case 'html':
      return planPage({ title, plan, findings: verdict.findings.map(findingJson) });
  }
}
