import { Command } from 'commander';
import { requestsOf } from '../guard/manifest-judge.js';
import { readManifests } from '../sources/manifests/read.js';
import { tellFailures } from './program/bug-report.js';
import {
  addFleetOptions,
  namespaceFor,
  namespaceOption,
  policyOn,
  withFleet,
  type FleetOptions,
} from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import { readConfig } from '../config/read.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';
import { planManifests } from './plan/plan-manifests.js';
import { exitCodeFor } from './report/model.js';
import { timeLimit } from './options/time-limit.js';

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
    .addOption(namespaceOption())
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
  const isTimeUp = timeLimit();
  const files = { stdin: () => io.stdin(), isTimeUp };
  const report = await withFleet(options, { io, files }, async (source) => {
    const manifests = await readManifests(options.paths, { ...files, namespace: namespaceFor(options, source) });
    const [known, policy] = await Promise.all([source.asked(requestsOf(manifests)), policyOn(source, config)]);
    return planManifests({ manifests, known, rules, policy, now: io.now(), isTimeUp });
  });
  await printReport(report, options, io);
  tellFailures(report.failures, io, options.debug ?? false);
  return exitCodeFor(report);
}
