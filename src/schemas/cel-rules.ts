import { Environment } from '@marcbachmann/cel-js';
import { isObject } from '../fleet/json.js';
import type { Path } from '../fleet/path.js';
import type { CelRule, Schema } from './schema.js';

export interface BrokenRule {
  readonly path: Path;
  readonly message: string;
}

type Evaluate = (values: Readonly<Record<string, unknown>>) => unknown;

const environment = new Environment({ unlistedVariablesAreDyn: true });
const parsed = new Map<string, Evaluate>();

/** The rules in CEL that an object of a sound structure breaks when it is created. Those about `oldSelf` are about changes. */
export function brokenRules(schema: Schema, json: unknown): readonly BrokenRule[] {
  return broken({ schema, value: celValue(schema, json), path: [] });
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: Path;
}

function broken({ schema, value, path }: Place): readonly BrokenRule[] {
  if (value === undefined || value === null) return [];
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => !rule.includes('oldSelf'));
  const own = rules.filter((rule) => !holds(rule, value)).map(({ message }) => ({ path, message }));
  return [...own, ...placesIn({ schema, value, path }).flatMap(broken)];
}

function placesIn({ schema, value, path }: Place): readonly Place[] {
  const { properties = {}, items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.map((item: unknown, index) => ({ schema: items, value: item, path: [...path, index] }));
  }
  if (!isObject(value)) return [];
  return Object.entries(properties).map(([name, inner]) => ({
    schema: inner,
    value: value[name],
    path: [...path, name],
  }));
}

/** The API server takes a rule that cannot be evaluated as broken. */
function holds({ rule }: CelRule, self: unknown): boolean {
  const evaluate = parsed.get(rule) ?? (environment.parse(rule) as Evaluate);
  parsed.set(rule, evaluate);
  try {
    return evaluate({ self }) === true;
  } catch {
    return false;
  }
}

/** With the defaults that the API server fills in first, and with the integers of CEL. */
function celValue(schema: Schema | undefined, value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map((item: unknown) => celValue(schema?.items, item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  const given = fields.map(([name, inner]): [string, unknown] => [name, celValue(fieldSchema(schema, name), inner)]);
  return { ...defaultsOf(schema), ...Object.fromEntries(given) };
}

function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.properties?.[name] ?? schema?.additionalProperties;
}

function defaultsOf(schema: Schema | undefined): Readonly<Record<string, unknown>> {
  const presets = Object.entries(schema?.properties ?? {}).filter(([, inner]) => inner.default !== undefined);
  return Object.fromEntries(presets.map(([name, inner]) => [name, celValue(inner, inner.default)]));
}
