// Bundles every bench/*.bench.ts and runs each in a process of its own. A bench prints what it measured beside its
// baseline and exits with 1 when a promise is broken.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const benches = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(`${name}.`)));
if (benches.length === 0) {
  console.error(`no bench is called ${wanted.join(' or ')}`);
  process.exit(2);
}
const out = mkdtempSync(join(tmpdir(), 'stageguard-bench-'));
try {
  await build({
    entryPoints: benches.map((file) => join(here, file)),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const failed = benches.filter((file) => {
    console.log(`\n== ${file}`);
    const script = join(out, file.replace(/\.ts$/, '.mjs'));
    return spawnSync(process.execPath, ['--expose-gc', script], { stdio: 'inherit' }).status !== 0;
  });
  console.log(failed.length === 0 ? '\nall promises kept' : `\nbroken: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
