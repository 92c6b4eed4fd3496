// Writes the program as one file: dist/stageguard.js, or the path that is given.
import { chmod, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const root = new URL('..', import.meta.url).pathname;
const outfile = resolve(root, process.argv[2] ?? 'dist/stageguard.js');

// Bundled CommonJS dependencies call `require` for Node's own modules, and an ES module has none.
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n');

await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  banner: { js: banner },
  define: { STAGEGUARD_VERSION: JSON.stringify(version) },
  legalComments: 'none',
  logLevel: 'warning',
});
await chmod(outfile, 0o755);
