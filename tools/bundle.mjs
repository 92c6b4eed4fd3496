// How the program and the library are bundled; everything they need is in the bundle.
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { compiledSchemas } from './compiled-schemas.mjs';

const root = new URL('..', import.meta.url).pathname;
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

// Bundled CommonJS dependencies call `require` for Node's own modules, and an ES module has none.
const banner = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n');

export const entries = { program: 'src/main.ts', library: 'src/library/index.ts' };

export function bundle({ isProgram = false, ...options }) {
  return build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    banner: { js: isProgram ? `#!/usr/bin/env node\n${banner}` : banner },
    define: { STAGEGUARD_VERSION: JSON.stringify(version) },
    plugins: [compiledSchemas(root), withoutChildProcess],
    legalComments: 'none',
    // Names stay as they are, for stack traces; what has to be parsed at every start becomes a third less.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    ...options,
  });
}

/** Commander has it for subcommands that are programs of their own, and we have none; loading it takes 4 ms. */
const withoutChildProcess = {
  name: 'without-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'child_process', namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'unused' }, () => ({ contents: '', loader: 'js' }));
  },
};
