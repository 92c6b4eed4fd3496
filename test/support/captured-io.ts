import { main } from '../../src/cli/program/args.js';
import type { Rule } from '../../src/engine/rule.js';
import type { Io } from '../../src/cli/program/io.js';

/** A moment just after the example fleet was recorded. */
export const now = Date.parse('2026-11-18T12:00:00Z');

export interface Captured {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process and keeps what it wrote. */
export async function run(
  argv: readonly string[],
  more: Partial<Io> & { input?: string; rules?: readonly Rule[] } = {},
): Promise<Captured> {
  let out = '';
  let err = '';
  const { input = '', rules, ...io } = more;
  const world: Io = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: () => Promise.resolve(Buffer.from(input)),
    async *stdinChunks() {
      await Promise.resolve();
      // As it comes through a pipe: cut anywhere.
      const bytes = Buffer.from(input);
      for (let at = 0; at < bytes.length; at += 7_919) yield bytes.subarray(at, at + 7_919);
    },
    now: () => now,
    onUnread: () => undefined,
    isColoured: false,
    hasProgress: false,
    ...io,
  };
  const code = await main(argv, world, rules);
  return { code, out, err };
}
