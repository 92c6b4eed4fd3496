import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

/**
 * A program that cannot outlive whoever started it. The shell leaves a watcher behind that reads a pipe of the starter,
 * and becomes the program; the pipe ends when the starter ends, in whatever way, and then the watcher ends the program
 * and removes the folder, which it leaves alone where the program has ended before. A worker of Jest survives the death of
 * Jest itself, so a second watcher looks for that.
 */
const script = `
runner=$1; starter=$2; folder=$3; shift 3
end() { kill -KILL $$ && sleep 0.3 && [ -n "$folder" ] && rm -rf "$folder"; }
exec 3<&0
( cat <&3; end ) >/dev/null 2>&1 &
[ "$runner" = "$starter" ] || (
  while kill -0 "$runner" && kill -0 $$; do sleep 0.5; done
  kill -0 "$runner" || { kill -KILL "$starter"; end; }
) 3<&- </dev/null >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/** The process of Jest that the suite ends with; put here by jest.config.mjs. */
const { runner } = globalThis as unknown as { readonly runner: number };

export interface Leashed {
  readonly pid: number;
  /** The text that explains a death, or undefined while it lives. */
  died(): string | undefined;
  signal(signal: NodeJS.Signals): void;
  /** Ends it, by SIGTERM where it is given time, and waits for that. */
  stop(graceMilliseconds?: number): Promise<void>;
}

export interface LeashOptions {
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Removed once the program has ended because its starter did. */
  readonly folder?: string;
}

export function startLeashed(program: string, args: readonly string[], options: LeashOptions): Leashed {
  const log = openSync(options.log, 'a');
  const watched = [runner, process.pid].map(String);
  const child = spawn('sh', ['-c', script, 'sh', ...watched, options.folder ?? '', program, ...args], {
    stdio: ['pipe', log, log],
    env: { PATH: process.env['PATH'], ...options.env },
    // Not in the group of the terminal: Ctrl-C ends the starter, and the leash the rest.
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  const { stdin } = child;
  stdin?.on('error', () => undefined);
  return {
    pid: pidOf(child),
    died: () => deathOf(child, program, options.log),
    signal: (signal) => void child.kill(signal),
    stop: async (graceMilliseconds = 0) => {
      if (!hasEnded(child)) {
        child.kill(graceMilliseconds > 0 ? 'SIGTERM' : 'SIGKILL');
        const hard = setTimeout(() => child.kill('SIGKILL'), graceMilliseconds);
        await ended;
        clearTimeout(hard);
      }
      stdin?.destroy();
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function deathOf(child: ChildProcess, program: string, log: string): string | undefined {
  if (!hasEnded(child)) return undefined;
  const tail = readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
  return `${program} ended with ${child.exitCode ?? child.signalCode ?? '?'}:\n${tail}`;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the shell could not be started');
  return pid;
}
