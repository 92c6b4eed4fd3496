import { Command, Option } from 'commander';
import { policyOf } from '../config/config.js';
import { catalogue } from '../rules/index.js';
import { readManifests, type Manifests } from '../sources/manifests/read.js';
import { bugReport } from './bug-report.js';
import { jsonReport } from './check-json.js';
import { checkManifests, exitCodeFor } from './check-report.js';
import { textReport } from './check-text.js';
import { kubeconfigHelp, withFleetFor, type HubOptions } from './hub-option.js';
import type { Invocation } from './invocation.js';
import type { Io } from './io.js';
import { readConfig } from './settings.js';
import { styleOf } from './style.js';

export interface CheckOptions extends HubOptions {
  readonly paths: readonly string[];
  readonly config?: string;
  readonly format: 'text' | 'json';
  readonly failOn: 'deny' | 'warn';
  readonly quiet?: boolean;
  readonly debug?: boolean;
}

const examples = `
The manifests are judged as if they were all applied at once, so that a run in one file
sees the strategy in another. Without --fleet or --live, what they do not hold is unknown,
and what depends on it is not judged. An object that the fleet already holds is judged as an update.

Examples:
  stageguard check deploy/                            every .yaml, .yml and .json below deploy/
  stageguard check deploy/ --fleet hub/               against the hub as hub/ describes it
  stageguard check deploy/ --live                     against the hub that kubectl is logged in to
  kustomize build . | stageguard check -              standard input
  stageguard check deploy/ --format json              for programs

A fleet of the hub you are logged in to:
  kubectl get -A -o json memberclusters,clusterresourceplacements,resourceplacements,\\
clusterschedulingpolicysnapshots,schedulingpolicysnapshots,clusterresourcesnapshots,resourcesnapshots,\\
clusterresourcebindings,resourcebindings,clusterstagedupdatestrategies,stagedupdatestrategies,\\
clusterstagedupdateruns,stagedupdateruns,clusterapprovalrequests,approvalrequests > hub.json`;

export function checkCommand({ io, exitWith }: Invocation): Command {
  return new Command('check')
    .description('judge manifests before they are applied')
    .argument('<path...>', 'files, folders with all below them, or - for standard input')
    .option('--fleet <path>', 'files that describe the whole hub as it stands')
    .option('--live', 'ask the hub itself how it stands')
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option('--config <file>', 'settings, as the server has them')
    .addOption(new Option('--format <format>', 'how to report').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--fail-on <severity>', 'what ends with exit code 1').choices(['deny', 'warn']).default('deny'),
    )
    .option('--quiet', 'report only what is refused or cannot be read')
    .addHelpText('after', examples)
    .action(async (paths: string[], options: Omit<CheckOptions, 'paths'>, command: Command) => {
      const { debug } = command.optsWithGlobals<{ debug?: boolean }>();
      exitWith(await runCheck({ ...options, paths, ...(debug === undefined ? {} : { debug }) }, io));
    });
}

/** Judges manifests and reports; the exit code says what came of it. */
async function runCheck(options: CheckOptions, io: Io): Promise<number> {
  const policy = policyOf(await readConfig(options.config));
  const { manifests, fleet } = await readAll(options, io);
  const report = await withFleetFor(manifests, { options, io }, (hub) =>
    checkManifests({ manifests, fleet, hub, rules: catalogue, policy, now: io.now() }),
  );
  const text =
    options.format === 'json'
      ? jsonReport(report)
      : textReport(report, { style: styleOf(io.isColoured), isQuiet: options.quiet ?? false });
  io.out(text);
  for (const { rule, error } of report.failures) {
    io.err(`rule ${rule}: ${bugReport(error, options.debug ?? false)}`);
  }
  return exitCodeFor(report, options.failOn);
}

/** A progress line is worth it only where one has to wait. */
const filesWorthProgress = 50;

async function readAll(
  { paths, fleet }: CheckOptions,
  io: Io,
): Promise<{ manifests: Manifests; fleet: Manifests | undefined }> {
  const onFile = (done: number, total: number): void => {
    if (!io.hasProgress || total < filesWorthProgress) return;
    const isLast = done + 1 === total;
    io.err(isLast ? '\r\u001b[K' : `\rreading file ${String(done + 1)} of ${String(total)}`);
  };
  const sources = { onFile, stdin: () => io.stdin() };
  const known = fleet === undefined ? undefined : await readManifests([fleet], sources);
  return { manifests: await readManifests(paths, sources), fleet: known };
}
