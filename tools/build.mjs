import { chmod, readFile } from 'node:fs/promises';
import { build } from 'esbuild';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const outfile = 'dist/stageguard.js';

// Bundled CommonJS dependencies call `require` for Node's own modules, and an ES module has none.
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n');

await build({
  absWorkingDir: new URL('..', import.meta.url).pathname,
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
await chmod(new URL(`../${outfile}`, import.meta.url), 0o755);
