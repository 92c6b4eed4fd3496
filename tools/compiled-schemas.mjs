// An esbuild plugin: in the place of the files that compile schemas when they are asked, src/schemas/validators.ts,
// src/config/validator.ts and src/config/cases-validator.ts, the functions that ajv makes of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

export function compiledSchemas(root) {
  const source = join(root, 'src');
  return {
    name: 'compiled-schemas',
    setup({ onLoad }) {
      const replace = (filter, contents) =>
        onLoad({ filter }, async ({ path }) => ({
          contents: await contents(),
          loader: 'js',
          resolveDir: dirname(path),
        }));
      replace(/[\\/]src[\\/]schemas[\\/]validators\.ts$/, () => ofManifests(join(source, 'schemas')));
      replace(/[\\/]src[\\/]config[\\/]validator\.ts$/, () => ofConfig(join(source, 'config')));
      replace(/[\\/]src[\\/]config[\\/]cases-validator\.ts$/, () => ofCases(join(source, 'config')));
    },
  };
}

async function ofManifests(folder) {
  const { manifestSchemas } = await imported(join(folder, 'manifest-schemas.ts'));
  const { parts, roots, options } = manifestSchemas();
  const ajv = compilerOf(options);
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

async function ofConfig(folder) {
  const { configSchema, ajvOptions } = await imported(join(folder, 'schema.ts'));
  const ajv = compilerOf(ajvOptions);
  ajv.addSchema(configSchema, 'config');
  return standalone.default(ajv, { validate: 'config' });
}

async function ofCases(folder) {
  const { casesSchema, casesAjvOptions } = await imported(join(folder, 'cases-schema.ts'));
  const ajv = compilerOf(casesAjvOptions);
  ajv.addSchema(casesSchema, 'cases');
  return standalone.default(ajv, { validateCases: 'cases' });
}

function compilerOf(options) {
  return new Ajv({ ...options, code: { source: true, esm: true } });
}

/** What a file of the source exports. */
async function imported(entryPoint) {
  const scratch = await mkdtemp(join(tmpdir(), 'stageguard-schemas-'));
  try {
    const outfile = join(scratch, 'schemas.mjs');
    await build({ entryPoints: [entryPoint], outfile, bundle: true, format: 'esm', logLevel: 'warning' });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(scratch, { recursive: true });
  }
}
