import { isObject } from '../fleet/json.js';
import { kinds, type KindOfFamily } from '../fleet/kinds.js';
import { schemaOf } from './index.js';
import { jsonSchemaOf, metadataJsonSchema, type JsonSchema } from './json-schema.js';

type OfKind = Pick<KindOfFamily, 'family' | 'namespaced'>;

/** The name of the schema that a manifest of a kind is checked by. */
export function schemaId({ family, namespaced }: OfKind, version: string): string {
  return `${family}_${namespaced ? 'namespaced' : 'cluster'}_${version}`;
}

export interface ManifestSchemas {
  /** Every object in the schemas below, once, by an id that they refer to it by. */
  readonly parts: ReadonlyMap<string, JsonSchema>;
  /** For each kind and version, which of the parts it is. */
  readonly roots: Readonly<Record<string, string>>;
  /** How ajv is to read them. */
  readonly options: typeof ajvOptions;
}

const ajvOptions = { allErrors: true, strict: false, messages: false, inlineRefs: false } as const;

/**
 * Manifests of every kind and version in JSON Schema. What several of them have is one part: written out everywhere, the
 * code that is made of it would be ten times as long.
 */
export function manifestSchemas(): ManifestSchemas {
  const ids = new Map<string, string>();
  const parts = new Map<string, JsonSchema>();
  const idOf = (schema: JsonSchema): string => {
    const key = JSON.stringify(schema);
    const id = ids.get(key) ?? `part${String(ids.size)}`;
    ids.set(key, id);
    parts.set(id, schema);
    return id;
  };
  const taken = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const inner = mapped(value, taken);
    return isObject(inner['properties']) && 'type' in inner ? { $ref: idOf(inner) } : inner;
  };
  const roots = kinds.flatMap((kind) =>
    kind.versions.map((version): [string, string] => {
      const { $ref } = taken(manifestSchema(kind, version)) as { readonly $ref: string };
      return [schemaId(kind, version), $ref];
    }),
  );
  return { parts, roots: Object.fromEntries(roots), options: ajvOptions };
}

function mapped(schema: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([word, value]) => [word, change(value)]));
}

function manifestSchema(kind: OfKind, version: string): JsonSchema {
  const schema = jsonSchemaOf(schemaOf(kind, version));
  return { ...schema, properties: { ...(schema['properties'] as JsonSchema), metadata: metadataJsonSchema } };
}
