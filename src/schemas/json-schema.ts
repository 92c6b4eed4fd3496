import type { Schema } from './schema.js';

/** JSON Schema, of which this is a part. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const limits = ['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const;

/**
 * A structural schema in the words of JSON Schema, where a field that it does not name is an error: the API server
 * drops such a field, or refuses the object.
 */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  return {
    ...typeOf(schema),
    ...Object.fromEntries(limits.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]])),
    ...formatOf(schema),
    ...(schema.items && { items: jsonSchemaOf(schema.items) }),
    ...(schema.required && { required: schema.required }),
    ...fieldsOf(schema),
  };
}

/** What has a default takes null for "not given" (apiextensions-apiserver, schema/defaulting PruneNonNullableNullsWithoutDefaults). */
function typeOf({ type, default: preset, enum: values, ...schema }: Schema): JsonSchema {
  const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : [type];
  if (preset === undefined) return { type: types, ...(values && { enum: values }) };
  return { type: [...types, 'null'], ...(values && { enum: [...values, null] }) };
}

/** Formats of texts are what only the status has, and nobody's manifest. */
function formatOf({ format, minimum, maximum }: Schema): JsonSchema {
  if (format !== 'int32') return {};
  return { minimum: minimum ?? -(2 ** 31), maximum: maximum ?? 2 ** 31 - 1 };
}

function fieldsOf({ properties, additionalProperties, ...schema }: Schema): JsonSchema {
  if (additionalProperties) return { additionalProperties: jsonSchemaOf(additionalProperties) };
  if (!properties) return {};
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, jsonSchemaOf(inner)])),
    ...(schema['x-kubernetes-preserve-unknown-fields'] !== true && { additionalProperties: false }),
  };
}
