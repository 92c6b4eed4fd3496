// Writes the generated files of the repository: docs/rules.md, docs/compatibility.md, docs/metrics.md, docs/pictures/, schemas/, files of the chart and
// LICENSES-bundled.txt.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { renderLicences } from './licences.mjs';

const root = new URL('..', import.meta.url).pathname;
const scratch = await mkdtemp(join(tmpdir(), 'stageguard-docs-'));

async function bundled(entry, name) {
  const outfile = join(scratch, `${name}.mjs`);
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const options = { bundle: true, platform: 'node', format: 'esm', banner: { js: banner }, logLevel: 'warning' };
  await build({ absWorkingDir: root, entryPoints: [entry], outfile, ...options });
  return import(pathToFileURL(outfile).href);
}

async function examples() {
  const names = await readdir(join(root, 'examples'), { recursive: true });
  const paths = names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .map((name) => `examples/${name.replaceAll('\\', '/')}`);
  return Promise.all(paths.sort().map(async (path) => ({ path, text: await textOf(path) })));
}

const textOf = (path) => readFile(join(root, path), 'utf8');

async function chart() {
  const [values, manifest] = await Promise.all(
    ['values', 'Chart'].map((name) => textOf(`charts/stageguard/${name}.yaml`)),
  );
  return { values, manifest };
}

try {
  const { renderDocs } = await bundled('src/cli/generate/docs.ts', 'docs');
  const { catalogue } = await bundled('src/rules/index.ts', 'rules');
  const { others } = await bundled('src/config/entries.ts', 'entries');
  const input = { rules: catalogue, others, examples: await examples(), chart: await chart() };
  for (const [path, text] of renderDocs(input)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await writeFile(join(root, 'LICENSES-bundled.txt'), await renderLicences());
} finally {
  await rm(scratch, { recursive: true });
}
