import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { exitCodes, GuardError } from '../errors.js';
import { createLog, logLevels, type LogLevel } from '../log.js';
import type { Invocation } from './invocation.js';
import { readConfig } from './settings.js';
import { startStandalone } from './standalone-guard.js';

interface ServeOptions {
  readonly fleet?: string;
  readonly config?: string;
  readonly host?: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsDir?: string;
  readonly logLevel: LogLevel;
}

/** A guard that answers, whatever it knows its fleet from. */
export interface RunningGuard {
  readonly url: string;
  stop(): Promise<void>;
}

export function serveCommand({ io, exitWith }: Invocation): Command {
  return new Command('serve')
    .description('answer the AdmissionReviews of an API server until told to end')
    .option('--fleet <path>', 'take the fleet from the manifests of a file or folder, and follow them')
    .option('--config <file>', 'settings, as in examples/config.yaml')
    .option('--host <address>', 'where to listen (default: 127.0.0.1 with --fleet)')
    .option('--port <number>', 'port of /validate and /mutate', portNumber, 8443)
    .option('--metrics-port <number>', 'port of /metrics, plain HTTP', portNumber, 8444)
    .option('--tls-dir <dir>', 'folder with tls.crt and tls.key, followed; without it a self-signed pair is made')
    .addOption(new Option('--log-level <level>', 'how much to log').choices(logLevels).default('info'))
    .action(async (options: ServeOptions) => {
      // Asked for before anything starts, so that an early signal is not lost.
      const toldToEnd = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
      const guard = await startGuard(options);
      io.out(`stageguard listens on ${guard.url}\n`);
      await toldToEnd;
      await guard.stop();
      exitWith(exitCodes.clean);
    });
}

async function startGuard({ fleet, config: file, ...options }: ServeOptions): Promise<RunningGuard> {
  if (fleet === undefined) {
    throw new GuardError(
      'INPUT_USAGE',
      'serve must know a fleet: give --fleet PATH, for example --fleet examples/fleet',
    );
  }
  const config = await readConfig(file);
  return startStandalone({ ...options, config, fleet, log: createLog(options.logLevel) });
}

function portNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return number;
}
