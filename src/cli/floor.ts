import { Command } from 'commander';
import { stringify } from 'yaml';
import type { Config } from '../config/config.js';
import { readConfig } from '../config/read.js';
import { describe, exitCodes, GuardError } from '../errors.js';
import { fieldOf } from '../fleet/json.js';
import { serviceAccountOf } from '../fleet/service-account.js';
import { differencesBetween, type FloorDifference } from '../floor/compare.js';
import { floorObjects, type FloorObject, type FloorSettings } from '../floor/objects.js';
import { floorPolicies } from '../floor/policy.js';
import { Connection } from '../hub/connection.js';
import { mayWriteRunStatus } from '../hub/hub-agent.js';
import { catalogue } from '../rules/index.js';
import { addressOf, kubeconfigHelp, type FleetOptions } from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { table } from './report/style.js';

interface FloorOptions extends FleetOptions {
  readonly config?: string;
  readonly release: string;
  readonly namespace: string;
  readonly serviceAccount?: string;
  readonly alone?: true;
  readonly notServed?: readonly string[];
  readonly check?: true;
}

const help = `
The floor is what the API server holds by itself, also while no guard answers: docs/floor.md.
The chart installs it. --check compares what is on a hub with what these options ask for.

Examples:
  stageguard floor --config config.yaml | kubectl apply -f -
  stageguard floor --alone                      for a hub that runs no guard
  stageguard floor --check                      the hub that kubectl is logged in to`;

export function floorCommand({ io, exitWith }: Invocation): Command {
  return new Command('floor')
    .description('print the policies that hold without the guard, or check them on a hub')
    .option('--config <file>', 'settings, as the server has them: modes, and who the hub agent is')
    .option('--release <name>', 'what the names of the objects begin with', 'stageguard')
    .option('--namespace <name>', 'the namespace of the guard', 'fleet-stageguard')
    .option('--service-account <name>', 'the account of the guard (default: the name of the release)')
    .option('--alone', 'for a hub without a guard: all policies are in force at all times')
    .option('--not-served <plural...>', 'kinds that the hub does not serve, as the chart has them: notServedKinds')
    .option('--check', 'tell whether a hub has just these policies; exit code 1 where it has not')
    .option('--kubeconfig <file>', `with --check: ${kubeconfigHelp}`)
    .option('--context <name>', 'with --check: the context of the kubeconfig to use')
    .addHelpText('after', help)
    .action(async (options: FloorOptions) => {
      exitWith(await runFloor(options, io));
    });
}

async function runFloor(options: FloorOptions, io: Io): Promise<number> {
  const config = await readConfig(options.config);
  const objects = floorObjects(floorPolicies(catalogue), settingsOf(options, config));
  if (options.check === true) return checkFloor(objects, options, { io, config });
  if (options.kubeconfig !== undefined) throw new GuardError('INPUT_USAGE', '--kubeconfig goes with --check only');
  io.out(objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'));
  return exitCodes.clean;
}

function settingsOf(options: FloorOptions, config: Config): FloorSettings {
  const { release, namespace, serviceAccount = release, alone, notServed = [] } = options;
  const { hubAgent, exemptions } = config;
  return {
    prefix: release,
    hubAgent,
    guard: alone === true ? undefined : { namespace, serviceAccount },
    modes: config,
    exemptGates: exemptions.gates,
    notServedKinds: notServed,
  };
}

async function checkFloor(
  wanted: readonly FloorObject[],
  options: FloorOptions,
  { io, config }: Check,
): Promise<number> {
  const hub = new Connection(addressOf(options));
  try {
    const stored = await storedFloor(hub);
    const differences = differencesBetween(wanted, stored, options.release);
    const doubt = await silentGates(hub, config);
    io.out(differences.length === 0 ? unchanged(wanted) : differing(differences));
    if (doubt !== undefined) io.out(doubt);
    return differences.length === 0 && doubt === undefined ? exitCodes.clean : exitCodes.refused;
  } catch (error) {
    if (error instanceof GuardError) throw error;
    throw new GuardError('INPUT_UNREADABLE', `the policies of the hub cannot be read: ${describe(error)}`, {
      cause: error,
    });
  } finally {
    await hub.close();
  }
}

interface Check {
  readonly io: Io;
  readonly config: Config;
}

async function storedFloor(hub: Connection): Promise<readonly FloorObject[]> {
  const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'] as const;
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const plural = kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : `${kind.toLowerCase()}s`;
      const items = fieldOf(await hub.call({ path: `/apis/admissionregistration.k8s.io/v1/${plural}` }), 'items');
      return (Array.isArray(items) ? items : []).map((item) => ({ ...(item as FloorObject), kind }));
    }),
  );
  return lists.flat();
}

/** Gates hold only where the hub agent is known by a name that is right. */
async function silentGates(hub: Connection, { hubAgent }: Config): Promise<string | undefined> {
  if (hubAgent.confirmed === true) return undefined;
  const signal = AbortSignal.timeout(30_000);
  for (const user of hubAgent.confirmed === 'auto' ? hubAgent.users : []) {
    if (serviceAccountOf(user) !== undefined && (await mayWriteRunStatus(hub, user, signal))) return undefined;
  }
  return [
    'the gates are silent: no ServiceAccount among hubAgent.users may update the status of runs',
    'Fix: name the account of the hub agent under hubAgent.users, then upgrade the release of the chart.',
    '  kubectl get pods -A -o custom-columns=NAMESPACE:.metadata.namespace,POD:.metadata.name,ACCOUNT:.spec.serviceAccountName',
    '',
  ].join('\n');
}

function unchanged(wanted: readonly FloorObject[]): string {
  const policies = wanted.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy').length;
  return `the floor is in force and unchanged: ${String(policies)} policies, ${String(wanted.length - policies)} bindings\n`;
}

function differing(differences: readonly FloorDifference[]): string {
  const rows = differences.map(({ kind, name, is }) => [kind, name, is]);
  return [
    `the floor is not as these options ask for:`,
    table(rows),
    'Fix: upgrade the release of the chart, or put the printed policies on the hub and delete what is left over.',
    '  stageguard floor | kubectl apply -f -',
    '',
  ].join('\n');
}
