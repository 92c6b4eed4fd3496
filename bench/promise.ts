import { appendFileSync } from 'node:fs';

/** Few and short rounds: whether everything still runs, not how fast it is. */
export const isQuick = process.env['BENCH_QUICK'] !== undefined;

/** Prints what was promised beside what was measured, and remembers whether a promise was broken. */
export function promise(what: string, measured: number, { atMost, atLeast, unit = '' }: Bound): void {
  const holds = measured <= (atMost ?? Infinity) && measured >= (atLeast ?? -Infinity);
  const bound = atMost === undefined ? `at least ${String(atLeast)}` : `at most ${String(atMost)}`;
  console.log(`  ${holds ? 'ok    ' : 'BROKEN'} ${what}: ${told(measured)}${unit} (${bound}${unit})`);
  record({ what, value: measured, unit, atMost, atLeast, holds });
  // What is measured in a moment holds nobody to anything.
  if (!holds && !isQuick) process.exitCode = 1;
}

interface Bound {
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
}

/** A number that nothing was promised about. */
export function figure(what: string, value: number, unit = ''): void {
  console.log(`         ${what}: ${told(value)}${unit}`);
  record({ what, value, unit });
}

/** Something worth knowing. */
export function note(what: string, text: string): void {
  console.log(`         ${what}: ${text}`);
  record({ what, text });
}

/** How far it is, on one line that is written over. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** The value that this share of all does not exceed. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function told(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** A line for bench/run.mjs, which puts together what all of them measured. */
function record(line: Readonly<Record<string, unknown>>): void {
  const file = process.env['BENCH_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
