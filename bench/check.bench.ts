import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { note, promise } from './promise.js';

/*
 * What a check costs whoever waits for it: the start of the program, and many documents. The promises: to check one file
 * takes at most 1.6 times what Node and the library that reads YAML take alone, and memory grows with the largest file,
 * not with the sum of all.
 */

const group = 'placement.kubernetes-fleet.io/v1beta1';
const strategy = (name: string): string => `apiVersion: ${group}
kind: ClusterStagedUpdateStrategy
metadata: {name: ${name}}
spec:
  stages:
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
      maxConcurrency: 1
      afterStageTasks: [{type: Approval}]
    - name: rest
      labelSelector: {matchLabels: {ring: rest}}
`;
/** Without an index, so that each of them is told. */
const run = (name: string): string => `apiVersion: ${group}
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: ${name}, stagedRolloutStrategyName: ${name}, state: Run}
`;

const scratch = mkdtempSync(join(tmpdir(), 'stageguard-check-bench-'));
try {
  const program = join(scratch, 'stageguard.mjs');
  if (spawnSync(process.execPath, [resolve('tools/build.mjs'), program], { stdio: 'inherit' }).status !== 0) {
    throw new Error('the program cannot be built');
  }
  const one = join(scratch, 'one.yaml');
  writeFileSync(one, run('release'));
  coldStart(program, one);
  manyDocuments(program);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** In turns, and the fastest of each: what else a machine is busy with only ever adds. */
function coldStart(program: string, file: string): void {
  const yaml = `require(${JSON.stringify(resolve('node_modules/yaml'))})`;
  const rounds = Array.from({ length: 21 }, () => ({
    bare: millisecondsOf(['-e', yaml]),
    check: millisecondsOf([program, 'check', file]),
  }));
  const bare = Math.min(...rounds.map((round) => round.bare));
  const check = Math.min(...rounds.map((round) => round.check));
  note('node and the YAML library', `${bare.toFixed(0)} ms`);
  note('check of one file', `${check.toFixed(0)} ms`);
  promise('check of one file, by node and the YAML library', check / bare, { atMost: 1.6, unit: ' times' });
}

function millisecondsOf(args: readonly string[]): number {
  const start = performance.now();
  spawnSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - start;
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

function manyDocuments(program: string): void {
  const few = measured(program, { files: 100, documents: 10 });
  const many = measured(program, { files: 1_000, documents: 10 });
  const large = measured(program, { files: 1, documents: 10_000 });
  note('1,000 documents in 100 files', told(few));
  note('10,000 documents in 1,000 files', told(many));
  note('10,000 documents in one file', told(large));
  note('rate', `${(10_000 / many.seconds).toFixed(0)} documents a second`);
  // The objects themselves are kept, since all are judged together; the trees of their texts, 150 times as large, are not.
  const growth = (many.megabytes - few.megabytes) / (large.megabytes - few.megabytes);
  promise('memory of many files, by that of one as large as all', growth, { atMost: 0.6, unit: ' times' });
}

function told({ seconds, megabytes }: Measured): string {
  return `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`;
}

/** Half of the documents are strategies, half are runs that use them. */
function measured(
  program: string,
  { files, documents }: { readonly files: number; readonly documents: number },
): Measured {
  const folder = join(scratch, `${String(files)}-${String(documents)}`);
  mkdirSync(folder);
  for (let file = 0; file < files; file++) {
    const names = Array.from({ length: documents / 2 }, (_, index) => `release-${String(file)}-${String(index)}`);
    const texts = names.flatMap((name) => [strategy(name), run(name)]);
    writeFileSync(join(folder, `${String(file)}.yaml`), texts.join('---\n'));
  }
  const tellMemory = 'process.on("exit", () => process.stderr.write(`\\n${process.resourceUsage().maxRSS}`))';
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(tellMemory)}`, program, 'check', folder],
    { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`check ended with ${String(status)}: ${stderr}`);
  const seconds = (performance.now() - start) / 1000;
  return { seconds, megabytes: Number(stderr.trim().split('\n').at(-1)) / 1024 };
}
