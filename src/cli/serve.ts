import { once } from 'node:events';
import { Command, Option } from 'commander';
import { exitCodes, GuardError } from '../errors.js';
import { createLog, logLevels, standardError, type Log, type LogLevel } from '../log.js';
import type { HubAddress } from '../hub/connection.js';
import { armGuard } from '../guard/serving/armed-guard.js';
import type { Invocation } from './program/invocation.js';
import { addListenOptions, checkListenFlags } from './options/listen-options.js';
import type { ListenFlags } from '../guard/serving/listen-flags.js';
import type { RunningGuard } from '../guard/serving/listening-guard.js';
import { watchConfig } from '../guard/serving/watched-config.js';
import { startLive, type LiveOptions } from '../guard/serving/live-guard.js';
import { startStandalone } from '../guard/serving/standalone-guard.js';

interface ServeOptions extends ListenFlags {
  readonly fleet?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly config?: string;
  readonly logLevel: LogLevel;
}

export function serveCommand({ io, exitWith }: Invocation): Command {
  const command = new Command('serve')
    .description('answer the AdmissionReviews of an API server until told to end')
    .option('--fleet <path>', 'take the fleet from the manifests of a file or folder, and follow them')
    .option('--kubeconfig <file>', 'take the fleet from the hub this leads to (default: as a pod of the hub)')
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option(
      '--namespace <name>',
      'where to keep Leases (default: that of the pod or kubeconfig, else fleet-stageguard)',
    )
    .option('--config <file>', 'settings, as in examples/config.yaml; followed')
    .addOption(new Option('--log-level <level>', 'how much to log').choices(logLevels).default('info'));
  return addListenOptions(command).action(async (options: ServeOptions) => {
    // Asked for before anything starts, so that an early signal is not lost.
    const signals = new AbortController();
    const unread = new AbortController();
    const noteUnread = (): void => {
      unread.abort();
    };
    io.onUnread(noteUnread);
    const toldToEnd = Promise.race([
      ...endSignals.map((name) => once(process, name, signals)),
      // A guard whose reader is gone (`npm start | head`) was meant to end with it.
      once(unread.signal, 'abort', signals),
    ]);
    toldToEnd.catch(() => undefined);
    try {
      const guard = await startGuard(options, createLog(options.logLevel, standardError(noteUnread)));
      io.out(`stageguard listens on ${guard.url}\n`);
      await toldToEnd;
      const unhear = endAtOnceWhenToldAgain();
      await guard.stop().finally(unhear);
      exitWith(exitCodes.clean);
    } finally {
      signals.abort();
    }
  });
}

const endSignals = ['SIGTERM', 'SIGINT'] as const;

/** Whoever says it a second time does not want to wait. The first process of a container has no other way to hear it. */
function endAtOnceWhenToldAgain(): () => void {
  const end = (_: string, number: number): never => process.exit(128 + number);
  for (const name of endSignals) process.once(name, end);
  return () => {
    for (const name of endSignals) process.removeListener(name, end);
  };
}

async function startGuard(
  { fleet, config: file, kubeconfig, context, ...options }: ServeOptions,
  log: Log,
): Promise<RunningGuard> {
  checkListenFlags(options, fleet === undefined);
  if (fleet !== undefined && kubeconfig !== undefined) {
    throw new GuardError('INPUT_USAGE', 'give either --fleet or --kubeconfig: a guard knows one fleet');
  }
  const settings = await watchConfig(file, { log });
  const rest = { ...options, settings, log };
  const guard =
    fleet === undefined
      ? await startOnHub(rest, hubAddress(kubeconfig, context))
      : await startStandalone({ ...rest, fleet });
  settings.start();
  return {
    url: guard.url,
    async stop() {
      await settings.stop();
      await guard.stop();
    },
  };
}

async function startOnHub(options: Omit<LiveOptions, 'hub'> & ListenFlags, hub: HubAddress): Promise<RunningGuard> {
  const { arm, webhookConfiguration, log } = options;
  const guard = await startLive({ ...options, hub });
  if (arm === undefined || webhookConfiguration === undefined) return guard;
  const names = { namespace: arm.namespace, role: arm.name, deployment: webhookConfiguration };
  return armGuard(guard, { hub, names, log });
}

/** Without a kubeconfig a guard is a pod of its hub; on a desk that is a mistake worth a hint. */
function hubAddress(kubeconfig: string | undefined, context: string | undefined): HubAddress {
  if (kubeconfig !== undefined) return { kubeconfig, ...(context !== undefined && { context }) };
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined) return 'in-cluster';
  throw new GuardError(
    'INPUT_USAGE',
    'serve must know a fleet: give --kubeconfig FILE, or --fleet PATH, for example --fleet examples/fleet',
  );
}
