import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { programs, type Hub } from './hub.js';
import type { User } from './users.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs kubectl as a user of a hub. */
export function kubectl(hub: Hub, user: User, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return run(hub, user, [programs.kubectl, ...args], options);
}

/** Runs a line as a user would paste it into a shell. */
export function paste(hub: Hub, user: User, line: string, options: RunOptions = {}): Promise<Ran> {
  return run(hub, user, ['bash', '--norc', '-euo', 'pipefail', '-c', line], options);
}

export function helm(hub: Hub, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return run(hub, 'admin', [programs.helm, ...args], options);
}

async function run(
  hub: Hub,
  user: User,
  [program = '', ...args]: readonly string[],
  options: RunOptions,
): Promise<Ran> {
  const child = spawn(program, args, {
    cwd: hub.folder,
    env: {
      PATH: `${dirname(programs.kubectl)}:${process.env['PATH'] ?? ''}`,
      // Caches of discovery and of Helm go with the hub.
      HOME: hub.folder,
      KUBECONFIG: hub.kubeconfig(user),
      ...options.env,
    },
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}
