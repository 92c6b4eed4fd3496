import { Option, type Command } from 'commander';
import { policyOf, type Config } from '../../config/config.js';
import type { Policy } from '../../engine/policy.js';
import { GuardError } from '../../errors.js';
import { plain, visible } from '../../fleet/quoted.js';
import type { HubAddress } from '../../hub/connection.js';
import { noFleet, type FleetSource } from '../../sources/fleet-source.js';
import type { ConnectOptions } from '../../sources/live/connect.js';
import { openFleetFiles } from '../../sources/manifests/fleet-files.js';
import type { Namespace } from '../../sources/manifests/namespace.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import type { ManifestIo } from '../../sources/manifests/read.js';
import type { Io } from '../program/io.js';

/** How commands are told which fleet to judge by. */
export interface FleetOptions {
  readonly fleet?: string;
  readonly live?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export const kubeconfigHelp = 'the hub to ask (default: as kubectl finds it)';

/** The options of a command that may do without a fleet; one that cannot asks a hub unless it is given files. */
export function addFleetOptions(command: Command, { isNeeded }: { readonly isNeeded: boolean }): Command {
  command.option('--fleet <path>', 'files that describe the whole hub as it stands');
  if (!isNeeded) command.option('--live', 'ask the hub itself how it stands');
  return addHubOptions(command);
}

/** The options of a command that asks a hub, and nothing else. */
export function addHubOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', 'the context of the kubeconfig to use, and to ask its hub');
}

/** Of commands that judge manifests. */
export function namespaceOption(): Option {
  const help = 'the namespace of what names none (default: that of the context, where a hub is asked; else default)';
  return new Option('-n, --namespace <namespace>', help);
}

export function namespaceFor({ namespace }: FleetOptions, source: FleetSource): Namespace | undefined {
  if (namespace !== undefined) return { name: namespace, isOnly: true };
  return source.namespace === undefined ? undefined : { name: source.namespace, isOnly: false };
}

/** What opening a fleet needs of the world. */
export interface FleetIo {
  /** Whether to go on without the kinds that may not be read. */
  readonly isTolerant?: boolean;
  readonly io: Io;
  readonly files: ManifestIo;
}

/** Does something with the fleet that a command was told of, and lets go of it whatever comes of that. */
export async function withFleet<T>(
  options: FleetOptions,
  world: FleetIo,
  use: (source: FleetSource) => Promise<T>,
): Promise<T> {
  const source = await openFleet(options, world);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** The settings, with what they leave to the hub to say. */
export async function policyOn(source: FleetSource, config: Config): Promise<Policy> {
  const isAsked = config.kubefleet.version === 'auto';
  const [version, labelsOf] = await Promise.all([
    isAsked ? source.version(config.hubAgent.deployment) : undefined,
    config.namespaceLabels.length === 0 ? undefined : source.namespaceLabels(),
  ]);
  return policyOf(config, { version, labelsOf });
}

/** The one place that knows all kinds of sources. */
async function openFleet(options: FleetOptions, { io, files, isTolerant = false }: FleetIo): Promise<FleetSource> {
  const isNamed = options.live === true || options.kubeconfig !== undefined || options.context !== undefined;
  if (options.fleet !== undefined && isNamed) {
    throw new GuardError('INPUT_USAGE', 'give either --fleet or a hub to ask: there is one fleet');
  }
  if (options.fleet !== undefined) {
    return openFleetFiles(options.fleet, files, (doubts) => {
      tellDoubts(doubts, io);
    });
  }
  // Whoever asks through kubectl means the hub that it talks to.
  return isNamed || io.isPlugin === true ? askHub({ address: addressOf(options), isTolerant }, io) : noFleet();
}

const mostDoubts = 10;

/** They decide nothing, so they stand beside the report. */
function tellDoubts(doubts: readonly ManifestProblem[], io: Io): void {
  for (const { file, line = 1, column = 1, message } of doubts.slice(0, mostDoubts)) {
    io.err(`warning: ${plain(file)}:${String(line)}:${String(column)}: in the fleet: ${visible(message)}\n`);
  }
  const more = doubts.length - mostDoubts;
  if (more > 0) io.err(`warning: in the fleet: ${String(more)} more of this kind\n`);
}

async function askHub(how: Pick<ConnectOptions, 'address' | 'isTolerant'>, io: Io): Promise<FleetSource> {
  if (io.hasProgress) io.err('reading the fleet of the hub');
  // Most of the program is what talks to a hub; a check of files starts without it.
  const { openHub } = await import('../../sources/live/connect.js');
  const source = await openHub(how);
  if (io.hasProgress) io.err('\r\u001b[K');
  return source;
}

export function addressOf({ kubeconfig, context }: FleetOptions): HubAddress {
  if (kubeconfig !== undefined) return { kubeconfig, ...(context !== undefined && { context }) };
  return context === undefined ? 'default' : { context };
}
