// Writes the program: dist/stageguard.js, or the path that is given, and beside it the parts that are loaded when needed.
import { chmod, rm } from 'node:fs/promises';
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
await chmod(outfile, 0o755);
