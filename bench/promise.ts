/** Prints what was promised beside what was measured, and remembers whether a promise was broken. */
export function promise(what: string, measured: number, { atMost, atLeast, unit = '' }: Bound): void {
  const holds = measured <= (atMost ?? Infinity) && measured >= (atLeast ?? -Infinity);
  const bound = atMost === undefined ? `at least ${String(atLeast)}` : `at most ${String(atMost)}`;
  const number = Number.isInteger(measured) ? String(measured) : measured.toFixed(2);
  console.log(`  ${holds ? 'ok    ' : 'BROKEN'} ${what}: ${number}${unit} (${bound}${unit})`);
  if (!holds) process.exitCode = 1;
}

interface Bound {
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
}

/** Something worth knowing that nothing was promised about. */
export function note(what: string, measured: string): void {
  console.log(`         ${what}: ${measured}`);
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
