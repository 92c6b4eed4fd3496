// The licences of the packages that are in the bundles, as LICENSES-bundled.txt has them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, entries } from './bundle.mjs';

const root = new URL('..', import.meta.url).pathname;
const rule = '-'.repeat(80);

/** The folders of the packages of which a bundle has at least one file. */
async function bundledPackages() {
  const { metafile } = await bundle({
    entryPoints: Object.values(entries),
    outdir: 'dist',
    metafile: true,
    write: false,
  });
  const folders = Object.keys(metafile.inputs).map(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const names = await readdir(join(root, folder));
  const files = names.filter((file) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(file)).sort();
  if (typeof license !== 'string' || license === '') throw new Error(`${folder} names no licence`);
  const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), 'utf8')));
  return { title: `${name} ${version}, ${license}`, texts: texts.map(tidy) };
}

function tidy(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

export async function renderLicences() {
  const parts = await Promise.all((await bundledPackages()).map(licenceOf));
  const seen = new Set();
  const unique = parts.filter(({ title }) => !seen.has(title) && seen.add(title));
  const head =
    'stageguard is one file with its parts, and these packages are in it, under the licences below.\nWritten by `npm run docs`. Do not edit.';
  const sections = unique.map(({ title, texts }) =>
    [rule, title, ...(texts.length === 0 ? ['The package brings no text of its licence.'] : texts)].join('\n\n'),
  );
  return `${[head, ...sections].join('\n\n')}\n`;
}
