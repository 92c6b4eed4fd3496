import { Command } from 'commander';
import { describe, exitCodes, GuardError, type ExitCode } from '../errors.js';
import { visibleLine } from '../fleet/quoted.js';
import { HubError } from '../hub/hub.js';
import { largestFile } from '../sources/manifests/files.js';
import type { ExportedObject } from '../sources/exported-object.js';
import { runNamed } from './diagnose.js';
import { addHubOptions, addressOf, type FleetOptions } from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';

export interface ExportOptions extends Pick<FleetOptions, 'kubeconfig' | 'context'> {
  readonly run?: string;
  readonly namespace?: string;
}

const examples = `
Prints the hub as --fleet wants it: of each object what rules read, and nothing else. No manifest that is
placed on clusters is in it, no Secret, and no label or annotation of others. With --run there is in it as
well what diagnose reads about that run: the states of its bindings and works, and its clusters' agents.

Examples:
  stageguard export > hub.json
  stageguard check deploy/ --fleet hub.json                where the hub cannot be reached
  stageguard export --run payments-v12 > ticket.json
  stageguard diagnose payments-v12 --fleet ticket.json     by somebody who cannot see the hub`;

export function exportCommand({ io, exitWith }: Invocation): Command {
  const command = new Command('export')
    .description('print the hub as --fleet wants it, without what it holds for others')
    .option('--run <run>', 'with all that a diagnosis of this run reads')
    .option('-n, --namespace <namespace>', 'the namespace of the run');
  return addHubOptions(command)
    .addHelpText('after', examples)
    .action(async (_: unknown, invoked: Command) => {
      exitWith(await runExport(invoked.optsWithGlobals<ExportOptions>(), io));
    });
}

/** Nothing is printed before all of it is read: half a hub would be taken for a whole one. */
async function runExport(options: ExportOptions, io: Io): Promise<ExitCode> {
  if (options.namespace !== undefined && options.run === undefined) {
    throw new GuardError('INPUT_USAGE', '--namespace says where the run of --run is; the hub is exported as a whole');
  }
  const text = listText(await read(options));
  io.out(text);
  const size = Buffer.byteLength(text);
  if (size <= largestFile) return exitCodes.clean;
  io.err(
    `this is ${megabytes(size)}, and --fleet reads files up to ${megabytes(largestFile)}: delete runs that are over\n`,
  );
  return exitCodes.unusable;
}

async function read(options: ExportOptions): Promise<readonly ExportedObject[]> {
  // Most of the program is what talks to a hub; the help starts without it.
  const [{ Connection }, { readExport }] = await Promise.all([
    import('../hub/connection.js'),
    import('../sources/live/read-export.js'),
  ]);
  const hub = new Connection(addressOf(options));
  const { run, namespace } = options;
  try {
    return await readExport({
      hub,
      signal: AbortSignal.timeout(mostMilliseconds),
      ...(run !== undefined && { choose: (runs) => runNamed(run, runs, namespace) }),
    });
  } catch (error) {
    if (error instanceof GuardError) throw error;
    const isDenied = error instanceof HubError && (error.status === 401 || error.status === 403);
    const text = `cannot read the hub at ${hub.server}: ${describe(error)}`;
    throw new GuardError(isDenied ? 'CLUSTER_FORBIDDEN' : 'CLUSTER_UNREACHABLE', text, { cause: error });
  } finally {
    await hub.close();
  }
}

/** 100,000 bindings come in 200 pages. */
const mostMilliseconds = 10 * 60_000;

/**
 * A list for each kind, so that its name stands there once, and a line for each object, so that two exports can be
 * compared. It may be looked at on a terminal.
 */
export function listText(objects: readonly ExportedObject[]): string {
  const byKind = new Map<string, string[]>();
  for (const { apiVersion, kind, ...object } of objects) {
    const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(`${kind}List`)},"items":[\n`;
    const lines = byKind.get(head) ?? [];
    lines.push(visibleLine(JSON.stringify(object)));
    byKind.set(head, lines);
  }
  const lists = [...byKind].map(([head, lines]) => `${head}${lines.join(',\n')}\n]}`);
  return `{"apiVersion":"v1","kind":"List","items":[\n${lists.join(',\n')}\n]}\n`;
}

function megabytes(bytes: number): string {
  return `${String(Math.ceil(bytes / 1024 / 1024))} MiB`;
}
