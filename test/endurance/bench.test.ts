import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');

interface Figure {
  readonly what: string;
  readonly value?: number;
  readonly text?: string;
}

interface Told {
  readonly isQuick: boolean;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly results: readonly {
    readonly bench: string;
    readonly isKept: boolean;
    readonly figures: readonly Figure[];
  }[];
}

/** What each bench measures at least; a quick round says nothing about how much it is. */
const expected: Readonly<Record<string, readonly string[]>> = {
  edge: [
    'cold start to ready, standalone',
    ...['strategy create', 'run create', 'approval status'].flatMap((load) => [
      ...['bare node:https', 'Express', 'the guard'].map((name) => `${load}, ${name}`),
      ...['Express', 'the guard'].map((name) => `${load}, ${name}, of bare`),
      `${load}, the guard, p99`,
      `${load}, growth from 100 to 10,000 runs, strategies and placements`,
    ]),
    'the guard, resident memory',
  ],
  'api-server': ['strategy create', 'run create', 'approval status'].flatMap((load) =>
    ['nothing', 'policies', 'the guard'].flatMap((name) => [
      `${load}, ${name}, p50`,
      `${load}, ${name}, p99`,
      `${load}, ${name}, 8 at a time`,
    ]),
  ),
};

let told: Told;

beforeAll(async () => {
  const args = ['bench/run.mjs', ...Object.keys(expected), '--quick', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  told = JSON.parse(stdout) as Told;
}, 240_000);

test('a quick round of the benches says so, and on what machine', () => {
  expect(told).toMatchObject({ isQuick: true, machine: { node: process.version } });
});

describe.each(Object.keys(expected))('%s', (bench) => {
  test('measures all that it is there for', () => {
    const { isKept, figures = [] } = told.results.find((result) => result.bench === bench) ?? {};
    expect(isKept).toBe(true);
    expect(figures.filter(({ value, text }) => !(Number.isFinite(value) || text !== undefined))).toEqual([]);
    const measured = new Set(figures.map(({ what }) => what));
    expect(expected[bench]?.filter((what) => !measured.has(what))).toEqual([]);
  });
});
