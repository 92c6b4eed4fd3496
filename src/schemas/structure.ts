import type { ErrorObject } from 'ajv';
import { isObject, sameJson, typeName } from '../fleet/json.js';
import { splitApiVersion, type KindOfFamily } from '../fleet/kinds.js';
import { likelyMeant, nearest } from '../fleet/nearest.js';
import type { Path } from '../fleet/path.js';
import { plain, quoted } from '../fleet/quoted.js';
import { schemaOf } from './index.js';
import { schemaId } from './manifest-schemas.js';
import { objectMeta } from './object-meta.js';
import type { Schema } from './schema.js';
import { patternProblem } from './patterns.js';
import { isTemplate, renderFirst } from './placeholders.js';
import { unknownField } from './unknown-field.js';
import { validatorFor } from './validators.js';
import type { ShapeViolation } from './violation.js';

/** Of an object that was made to have a hundred thousand errors, nobody reads more. */
const mostViolations = 100;

/** No object of these kinds that the API server stores (1.5 MB) has more; to tell all errors of more takes too long. */
const mostValues = 50_000;

/** What a manifest of one of our kinds has that its schema does not know, lacks, or has in another type or range. */
export function structureProblems(kind: KindOfFamily, json: Readonly<Record<string, unknown>>): readonly ShapeViolation[] {
  const { version } = splitApiVersion(String(json['apiVersion']));
  const validator = validatorFor(schemaId(kind, version));
  if (validator === undefined) return [];
  if (isLarger(json, mostValues)) return [tooLarge];
  if (validator(json)) return [];
  const root: Schema = schemaOf(kind, version);
  const whole: Schema = { ...root, properties: { ...root.properties, metadata: objectMeta } };
  const problems = (validator.errors ?? []).map((error) => violationOf(error, whole, json));
  return missedByName(withoutStatusValues(firstOfEach(problems), json)).slice(0, mostViolations);
}

const tooLarge: ShapeViolation = {
  what: 'type',
  path: [],
  message: `holds more than ${String(mostValues)} values, which no object of this kind does`,
  fix: 'Split it, or remove what it does not need.',
};

function isLarger(json: unknown, most: number): boolean {
  let seen = 0;
  const open: unknown[] = [json];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (++seen > most) return true;
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) open.push(inner ?? 0);
    }
  }
  return false;
}

/** A field that is missing, and one beside it that was meant for it, are one mistake: the object cannot be judged without it. */
function missedByName(problems: readonly ShapeViolation[]): readonly ShapeViolation[] {
  const isFor = ({ what, path, meant }: ShapeViolation, missing: ShapeViolation): boolean =>
    what === 'unknown' && sameJson([...path.slice(0, -1), meant], missing.path);
  const missing = problems.filter(({ what }) => what === 'missing');
  const misnamed = problems.filter((problem) => missing.some((one) => isFor(problem, one)));
  return problems
    .filter((problem) => problem.what !== 'missing' || !misnamed.some((one) => isFor(one, problem)))
    .map((problem) => (misnamed.includes(problem) ? { ...problem, what: 'missing' } : problem));
}

/** The API server takes the status off what is created before it looks at values, and after it has looked for unknown fields. */
function withoutStatusValues(problems: readonly ShapeViolation[], json: unknown): readonly ShapeViolation[] {
  return problems.filter(({ what, path }) => path[0] !== 'status' || what === 'unknown' || (what === 'type' && hasFields(path, json)));
}

/** Where a scalar is expected, every field is an unknown one. */
function hasFields(path: Path, json: unknown): boolean {
  const value = path.reduce<unknown>((around, step) => (around as Readonly<Record<string | number, unknown>>)[step], json);
  return isObject(value) && Object.keys(value).length > 0;
}

/** One for each place, in the order of the schema: what has a wrong type needs no more to be said of it. */
function firstOfEach(problems: readonly ShapeViolation[]): readonly ShapeViolation[] {
  const seen = new Set<string>();
  return problems.filter(({ path }) => {
    const place = JSON.stringify(path);
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

function violationOf(error: ErrorObject, root: Schema, json: unknown): ShapeViolation {
  const around = pathOf(error.instancePath, json);
  const { schema, value } = at(around, root, json);
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField({ path: [...around, String(params['additionalProperty'])], around: { schema, value }, root });
    case 'required': {
      const field = String(params['missingProperty']);
      return mistyped('missing', [...around, field], { schema: schema?.properties?.[field], value: undefined });
    }
    case 'type':
      return mistyped('type', around, { schema, value });
    case 'enum':
      return notAmong(around, schema?.enum ?? [], value);
    case 'pattern':
      return { what: 'value', path: around, ...patternProblem(String(params['pattern']), String(value)) };
    default:
      return outOfRange(around, { keyword: error.keyword, limit: Number(params['limit']), value });
  }
}

/** A JSON pointer as a path; whether a step is a number is for the value to say. */
function pathOf(pointer: string, json: unknown): Path {
  let value = json;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const isIndex = Array.isArray(value);
      value = (value as Readonly<Record<string, unknown>>)[step];
      return isIndex ? Number(step) : step;
    });
}

interface Place {
  readonly schema: Schema | undefined;
  readonly value: unknown;
}

function at(path: Path, root: Schema, json: unknown): Place {
  return path.reduce<Place>(
    ({ schema, value }, step) => ({
      schema: typeof step === 'number' ? schema?.items : (schema?.properties?.[step] ?? schema?.additionalProperties),
      value: (value as Readonly<Record<string | number, unknown>>)[step],
    }),
    { schema: root, value: json },
  );
}

function mistyped(what: 'missing' | 'type', path: Path, { schema, value }: Place): ShapeViolation {
  const expected = typeText(schema);
  const found = value === undefined ? 'nothing' : typeName(value);
  const field = String(path.at(-1));
  const fix = what === 'missing' ? `Set ${plain(field)}: ${expected}.` : typeFix(schema, { field, value, expected });
  const isText = what === 'type' && isToBeQuoted(schema, value);
  const asText = isText ? patternMissed(schema, String(value)) : undefined;
  if (asText !== undefined) return { what, path, message: `expected ${expected}, found ${found}`, fix: asText.fix };
  const edit = isText ? { edit: { of: 'quotes' } as const } : {};
  return { what, path, message: `expected ${expected}, found ${found}`, fix, ...edit };
}

function isToBeQuoted(schema: Schema | undefined, value: unknown): boolean {
  return schema?.type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
}

/** What is wrong with a text where quotes alone would not put it right: a waitTime of 24. */
function patternMissed(schema: Schema | undefined, text: string): Pick<ShapeViolation, 'fix'> | undefined {
  const { pattern } = schema ?? {};
  return pattern === undefined || new RegExp(pattern, 'u').test(text) ? undefined : patternProblem(pattern, text);
}

/** What YAML reads as a number, a truth or a time is a text in quotes. */
function typeFix(
  schema: Schema | undefined,
  { field, value, expected }: { readonly field: string; readonly value: unknown; readonly expected: string },
): string {
  if (isTemplate(value)) return renderFirst;
  if (isToBeQuoted(schema, value)) return `Put it in quotes: ${quoted(String(value))}.`;
  if (schema?.type === 'array' && value !== null) return `Make ${plain(field)} a list: a line for each item, after "- ".`;
  return selectorFix(schema, value) ?? (schema?.type === 'object' ? anObject : `Make it ${expected}.`);
}

const anObject = 'Make it an object: a line for each of its fields, "name: value".';

/** A selector as kubectl takes it after -l. */
function selectorFix(schema: Schema | undefined, value: unknown): string | undefined {
  if (schema?.properties?.['matchLabels'] === undefined || typeof value !== 'string') return undefined;
  const [, key, label] = /^([^\s=,]+)==?([^\s=,]+)$/.exec(value) ?? [];
  if (key === undefined || label === undefined) return undefined;
  return `Write it as an object: {matchLabels: {${quoted(key)}: ${quoted(label)}}}`;
}

function typeText(schema: Schema | undefined): string {
  if (schema?.['x-kubernetes-int-or-string'] === true) return 'a whole number or a string';
  const texts = {
    object: 'an object',
    array: 'a list',
    string: 'a string',
    integer: 'a whole number',
    boolean: 'true or false',
  } as const;
  return texts[schema?.type ?? 'object'];
}

function notAmong(path: Path, allowed: readonly string[], value: unknown): ShapeViolation {
  const slip = nearest(String(value), allowed);
  const near = slip ?? likelyMeant(String(value), allowed);
  const meant = near === undefined ? '' : `; did you mean ${quoted(near)}?`;
  const field = plain(String(path.at(-1)));
  return {
    what: 'value',
    path,
    message: `is ${quoted(String(value))}, which is none of ${allowed.join(', ')}${meant}`,
    fix: near === undefined ? `Set ${field} to one of ${allowed.join(', ')}.` : `Write ${field}: ${near}`,
    ...(near !== undefined && { edit: { of: 'value', to: near } }),
  };
}

const ranges: Readonly<Record<string, readonly [is: string, fix: string]>> = {
  maxLength: ['characters long; the API takes at most', 'Shorten it to'],
  minLength: ['characters long; the API takes at least', 'Lengthen it to'],
  maxItems: ['items long; the API takes at most', 'Shorten it to'],
  minItems: ['items long; the API takes at least', 'Lengthen it to'],
  maximum: ['; the API takes at most', 'Write at most'],
  minimum: ['; the API takes at least', 'Write at least'],
};

function outOfRange(
  path: Path,
  { keyword, limit, value }: { readonly keyword: string; readonly limit: number; readonly value: unknown },
): ShapeViolation {
  const [is, fix] = ranges[keyword] ?? ['; the API refuses it:', 'Keep to'];
  const size = typeof value === 'string' || Array.isArray(value) ? `${String(value.length)} ` : String(value);
  return { what: 'value', path, message: `is ${size}${is} ${String(limit)}`, fix: `${fix} ${String(limit)}.` };
}
