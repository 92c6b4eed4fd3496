// Writes the program: dist/stageguard.js, or the path that is given, and beside it the parts that are loaded when needed.
import { chmod, readFile, rm } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { compiledSchemas } from './compiled-schemas.mjs';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const root = new URL('..', import.meta.url).pathname;
const outfile = resolve(root, process.argv[2] ?? 'dist/stageguard.js');

// Bundled CommonJS dependencies call `require` for Node's own modules, and an ES module has none.
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n');

await rm(join(dirname(outfile), 'parts'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { [basename(outfile, extname(outfile))]: 'src/main.ts' },
  outExtension: { '.js': extname(outfile) },
  outdir: dirname(outfile),
  chunkNames: 'parts/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  banner: { js: banner },
  define: { STAGEGUARD_VERSION: JSON.stringify(version) },
  plugins: [compiledSchemas(root)],
  legalComments: 'none',
  logLevel: 'warning',
});
await chmod(outfile, 0o755);
