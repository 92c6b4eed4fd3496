/** A rule in CEL beside the shape, as a CustomResourceDefinition has it. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/** A structural schema, in the words of a CustomResourceDefinition that this project needs. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: 'int32' | 'int64' | 'date-time' | 'byte';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: string | number;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

type More = Omit<Schema, 'type' | 'properties' | 'required'>;

/** An object with these fields; a name with a star at its end is required. */
export function fields(properties: Readonly<Record<string, Schema>>, more: More = {}): Schema {
  const bare = (name: string): string => name.replace(/\*$/, '');
  const required = Object.keys(properties).filter((name) => name.endsWith('*'));
  const named = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [bare(name), schema]));
  return {
    type: 'object',
    ...(required.length > 0 && { required: required.map(bare) }),
    ...more,
    properties: named,
  };
}

export function list(items: Schema, more: Omit<Schema, 'type' | 'items'> = {}): Schema {
  return { type: 'array', ...more, items };
}

/** An object whose keys are anybody's. */
export function dictionary(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

/** One of these texts. */
export function oneOf(values: readonly string[], more: Pick<Schema, 'default' | 'x-kubernetes-validations'> = {}): Schema {
  return { type: 'string', enum: values, ...more };
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const int32: Schema = { type: 'integer', format: 'int32' };
export const int64: Schema = { type: 'integer', format: 'int64' };
