// Writes the program: dist/stageguard.js, or the path that is given, and beside it the parts that are loaded when needed.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { bundle, entries } from './bundle.mjs';

const root = new URL('..', import.meta.url).pathname;
const outfile = resolve(root, process.argv[2] ?? 'dist/stageguard.js');

await rm(join(dirname(outfile), 'parts'), { recursive: true, force: true });
await bundle({
  isProgram: true,
  entryPoints: { [basename(outfile, extname(outfile))]: entries.program },
  outExtension: { '.js': extname(outfile) },
  outdir: dirname(outfile),
  chunkNames: 'parts/[name]-[hash]',
  splitting: true,
});
// kubectl finds a plugin by the name of its file; the program knows by it what it is called as.
const plugin = join(dirname(outfile), `kubectl-stageguard${extname(outfile)}`);
await writeFile(plugin, `#!/usr/bin/env node\nimport './${basename(outfile)}';\n`);
for (const program of [outfile, plugin]) await chmod(program, 0o755);
