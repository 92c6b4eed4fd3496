import { Ajv, type ValidateFunction } from 'ajv';
import { manifestSchemas } from './manifest-schemas.js';

/*
 * To compile schemas takes ajv longer than to check a thousand manifests. So the program is built without this file:
 * tools/build.mjs puts the functions in its place that ajv makes of the same schemas with the same options.
 */

let compiled: { readonly ajv: Ajv; readonly roots: Readonly<Record<string, string>> } | undefined;

/** The function that checks manifests of a kind and version, by `schemaId`. */
export function validatorFor(id: string): ValidateFunction | undefined {
  compiled ??= compile();
  const root = compiled.roots[id];
  return root === undefined ? undefined : compiled.ajv.getSchema(root);
}

function compile(): NonNullable<typeof compiled> {
  const { parts, roots, options } = manifestSchemas();
  const ajv = new Ajv(options);
  for (const [id, schema] of parts) ajv.addSchema(schema, id);
  return { ajv, roots };
}
