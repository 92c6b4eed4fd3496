// Bundles every bench/*.bench.ts and runs each in a process of its own. A bench prints what it measured beside its
// baseline and exits with 1 when a promise is broken. `--quick` runs them for a moment, to see that they work; `--json`
// prints all figures as JSON; `--docs` writes docs/performance.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { neededForDocs, performanceText } from './performance.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const flags = ['--quick', '--json', '--docs'];
const [isQuick, isJson, isForDocs] = flags.map((flag) => process.argv.includes(flag));
const wanted = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const benches = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace(/\.bench\.ts$/, ''))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
if (benches.length === 0) {
  console.error(`no bench is called ${wanted.join(' or ')}`);
  process.exit(2);
}

/** The harness of the end-to-end suite finds what it needs from where its files stand. */
const whereSourcesStand = {
  name: 'where-sources-stand',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]test[\\/]e2e[\\/]harness[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    }));
  },
};

if (isForDocs && (isQuick || !neededForDocs.every((name) => benches.includes(name)))) {
  console.error(`--docs wants ${neededForDocs.join(', ')}, and not --quick`);
  process.exit(2);
}

const out = mkdtempSync(join(tmpdir(), 'stageguard-bench-'));
try {
  await build({
    entryPoints: benches.map((name) => join(here, `${name}.bench.ts`)),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [whereSourcesStand],
  });
  const results = benches.map(run);
  const broken = results.filter(({ isKept }) => !isKept).map(({ bench }) => bench);
  const [{ model = 'unknown' } = {}] = cpus();
  const machine = { cpus: cpus().length, model, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };
  const told = { date: new Date().toISOString().slice(0, 10), machine, isQuick, results };
  if (isForDocs) writeFileSync(join(here, '..', 'docs', 'performance.md'), performanceText(told));
  if (isJson) console.log(JSON.stringify(told, undefined, 2));
  else console.log(broken.length === 0 ? '\nall promises kept' : `\nbroken: ${broken.join(', ')}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}

function run(bench) {
  const figuresFile = join(out, `${bench}.figures`);
  const env = { ...process.env, BENCH_FIGURES: figuresFile, ...(isQuick && { BENCH_QUICK: 'yes' }) };
  const print = isJson ? console.error : console.log;
  print(`\n== ${bench}`);
  const args = ['--expose-gc', join(out, `${bench}.bench.mjs`)];
  const { status } = spawnSync(process.execPath, args, { stdio: ['inherit', isJson ? 2 : 'inherit', 'inherit'], env });
  const lines = existsSync(figuresFile) ? readFileSync(figuresFile, 'utf8').trim().split('\n') : [];
  return { bench, isKept: status === 0, figures: lines.map((line) => JSON.parse(line)) };
}
