import type fc from 'fast-check';

const { FUZZ_RUNS, FUZZ_SEED } = process.env;

/** How long to search: a little in every run of the suite, for hours by hand with FUZZ_RUNS; FUZZ_SEED finds the same again. */
export function fuzz(runs: number): fc.Parameters<unknown> {
  return {
    numRuns: FUZZ_RUNS === undefined ? runs : Number(FUZZ_RUNS),
    ...(FUZZ_SEED !== undefined && { seed: Number(FUZZ_SEED) }),
  };
}

/** As long as the search by hand takes. */
export const fuzzTimeout = FUZZ_RUNS === undefined ? 60_000 : 24 * 3_600_000;

/** Says how much was tried, where somebody has asked for more than usual. */
export function tellCounts(what: string, counts: Readonly<Record<string, number>>): void {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${String(count)}`);
  process.stdout.write(`${what}: ${parts.join(', ')}\n`);
}
