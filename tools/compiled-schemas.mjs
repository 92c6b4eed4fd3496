// An esbuild plugin: in the place of src/schemas/validators.ts, which compiles the schemas when it is asked, the
// functions that ajv makes of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

export function compiledSchemas(root) {
  const resolveDir = join(root, 'src', 'schemas');
  return {
    name: 'compiled-schemas',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]schemas[\\/]validators\.ts$/ }, async () => ({
        contents: await compiled(resolveDir),
        loader: 'js',
        resolveDir,
      }));
    },
  };
}

async function compiled(folder) {
  const { parts, roots, options } = await schemasIn(folder);
  const ajv = new Ajv({ ...options, code: { source: true, esm: true } });
  for (const [id, schema] of parts) ajv.addSchema(schema, id);
  const ids = [...new Set(Object.values(roots))];
  const code = standalone.default(ajv, Object.fromEntries(ids.map((id) => [id, id])));
  return [
    code,
    `const roots = ${JSON.stringify(roots)};`,
    `const validators = { ${ids.join(', ')} };`,
    'export function validatorFor(id) { return validators[roots[id]]; }',
  ].join('\n');
}

async function schemasIn(folder) {
  const scratch = await mkdtemp(join(tmpdir(), 'stageguard-schemas-'));
  try {
    const outfile = join(scratch, 'schemas.mjs');
    const entryPoints = [join(folder, 'manifest-schemas.ts')];
    await build({ entryPoints, outfile, bundle: true, format: 'esm', logLevel: 'warning' });
    const { manifestSchemas } = await import(pathToFileURL(outfile).href);
    return manifestSchemas();
  } finally {
    await rm(scratch, { recursive: true });
  }
}
