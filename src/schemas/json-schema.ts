import { objectMeta } from './object-meta.js';
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
  // A list passes for bytes as well (kube-openapi, validation/validate/type.go).
  const plainly = schema.format === 'byte' ? [type, 'array'] : [type];
  const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : plainly;
  if (preset === undefined) return { type: types, ...(values && { enum: values }) };
  return { type: [...types, 'null'], ...(values && { enum: [...values, null] }) };
}

/** Times are what only the status has, and nobody's manifest. */
function formatOf({ format, minimum, maximum }: Schema): JsonSchema {
  if (format === 'byte') return { pattern: base64 };
  // The last number before 2^63 that JSON as JavaScript reads it can hold.
  if (format === 'int64') return { minimum: minimum ?? -(2 ** 63), maximum: maximum ?? 2 ** 63 - 1024 };
  if (format !== 'int32') return {};
  return { minimum: minimum ?? -(2 ** 31), maximum: maximum ?? 2 ** 31 - 1 };
}

/** Bytes as JSON has them (RFC 4648). */
export const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

function fieldsOf({ properties, additionalProperties, ...schema }: Schema): JsonSchema {
  if (schema['x-kubernetes-embedded-resource'] === true) return embedded;
  if (additionalProperties) return { additionalProperties: jsonSchemaOf(additionalProperties) };
  if (!properties) return {};
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, jsonSchemaOf(inner)])),
    ...(schema['x-kubernetes-preserve-unknown-fields'] !== true && { additionalProperties: false }),
  };
}

/** Go reads null as nothing, wherever it stands in metadata. */
export const metadataJsonSchema: JsonSchema = nullable(jsonSchemaOf(objectMeta));

function nullable(schema: JsonSchema): JsonSchema {
  const inner = Object.entries(schema).map(([word, value]): [string, unknown] => {
    if (word === 'type') return [word, [value, 'null'].flat()];
    if (word === 'properties') {
      const properties = Object.entries(value as Record<string, JsonSchema>);
      return [word, Object.fromEntries(properties.map(([name, part]) => [name, nullable(part)]))];
    }
    const isSchema = (word === 'items' || word === 'additionalProperties') && typeof value === 'object';
    return [word, isSchema ? nullable(value as JsonSchema) : value];
  });
  return Object.fromEntries(inner);
}

/** A DNS label, in capital letters too (apiextensions-apiserver, pkg/apiserver/schema/objectmeta/validation.go). */
export const kindPattern = '^[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?$';

/** An object of any kind inside of another. */
const embedded: JsonSchema = {
  required: ['apiVersion', 'kind'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string', pattern: kindPattern, maxLength: 63 },
    metadata: metadataJsonSchema,
  },
};
