// `npm pack` runs this before and after: it builds what the package holds, and sets a manifest without dependencies in
// the place of package.json while the package is made. Everything is bundled, so nobody who installs it needs them.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { bundle, entries } from './bundle.mjs';

const root = new URL('..', import.meta.url).pathname;
const manifest = join(root, 'package.json');
const kept = join(root, 'package.json.kept');

const packed = [
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'repository', 'license'],
  ...['type', 'bin', 'exports', 'files', 'engines'],
];

async function restore() {
  if (existsSync(kept)) await rename(kept, manifest);
}

async function before() {
  // A packing that was broken off has left it behind.
  await restore();
  await rm(join(root, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'tools/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  await bundle({ entryPoints: [entries.library], outfile: join(root, 'dist/library.js') });
  await writeFile(join(root, 'dist/library.d.ts'), await typesOf(join(root, entries.library)));

  const text = await readFile(manifest, 'utf8');
  const whole = JSON.parse(text);
  const fields = packed.filter((name) => name in whole).map((name) => [name, whole[name]]);
  await writeFile(kept, text);
  await writeFile(manifest, `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
}

/** What the library exports names nothing that it imports, so its own text is enough. */
async function typesOf(entry) {
  const { outputText, diagnostics } = ts.transpileDeclaration(await readFile(entry, 'utf8'), {
    fileName: entry,
    reportDiagnostics: true,
    compilerOptions: { strict: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 },
  });
  const [first] = diagnostics ?? [];
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
  if (/^import|\bfrom '/m.test(outputText)) throw new Error('the types of the library name what is not in them');
  return outputText;
}

await (process.argv[2] === 'after' ? restore() : before());
