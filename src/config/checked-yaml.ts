import type { ErrorObject } from 'ajv';
import type { Document } from 'yaml';
import { GuardError } from '../errors.js';
import { plain, quoted, visible } from '../fleet/quoted.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';
import { parsed, type ConfigPath, type TextPlace } from './places.js';

export interface Problem {
  readonly path: ConfigPath;
  readonly message: string;
}

/** What a file has to be; a schema as ajv compiles it, and what no schema can say. */
export interface Kind<T> {
  readonly validate: ((json: unknown) => json is T) & { errors?: ErrorObject[] | null };
  /** Puts right what the parser has misread, in place. */
  readonly prepare?: (json: unknown) => void;
  readonly check: (value: T) => readonly Problem[];
}

export interface CheckedYaml<T> {
  readonly value: T;
  readonly placeOf: (path: ConfigPath) => TextPlace;
}

/** Reads a YAML file of ours; raises GuardError that lists all problems with their lines. */
export function checkedYaml<T>(text: string, file: string, kind: Kind<T>): CheckedYaml<T> {
  const { document, placeAt, placeOf } = parsed(text);
  const told = ({ line, column }: TextPlace, message: string): string => `${plain(file)}:${line}:${column}: ${message}`;
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const message = `is not valid YAML: ${visible(syntax.message)}`;
    throw new GuardError('CONFIG_NOT_YAML', told(placeAt(syntax.pos[0]), message));
  }
  const json = contentOf(document, file);
  kind.prepare?.(json);
  const problems = kind.validate(json) ? kind.check(json) : (kind.validate.errors ?? []).map(problemOf);
  if (problems.length > 0) {
    const lines = problems.map((problem) => told(placeOf(problem.path), visible(textOf(problem))));
    throw new GuardError('CONFIG_INVALID', [...new Set(lines)].join('\n'));
  }
  return { value: json as T, placeOf };
}

function contentOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new GuardError('CONFIG_NOT_YAML', `${plain(file)}: is not valid YAML`, { cause: error });
  }
}

function problemOf({ instancePath, keyword, params, parentSchema, data }: ErrorObject): Problem {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') {
    const key = String(params.missingProperty);
    return { path: [...path, key], message: 'is missing' };
  }
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty);
    const known = Object.keys((parentSchema?.properties ?? {}) as object);
    return { path: [...path, key], message: `there is no such key${didYouMean(key, known)}` };
  }
  const allowed = keyword === 'enum' ? (params.allowedValues as unknown[]).map(String) : [];
  const near = typeof data === 'string' ? didYouMean(data, allowed) : '';
  return { path, message: `expected ${expectation(parentSchema ?? {})}, found ${shown(data)}${near}` };
}

/** Of a long text or a whole section the beginning tells enough. */
function shown(data: unknown): string {
  return typeof data === 'string' ? quoted(data) : visible(JSON.stringify(data).slice(0, 253));
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
};

/** What a schema wants, in words. */
function expectation(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum))
    return schema.enum
      .map(String)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1');
  if (typeof schema.pattern === 'string') return String(schema.description);
  if (Array.isArray(schema.type)) return String(schema.description);
  const type = typeNames[String(schema.type)] ?? 'something else';
  if (typeof schema.minimum === 'number') return `${type} from ${schema.minimum} to ${String(schema.maximum)}`;
  if (typeof schema.maxLength === 'number') return `${type} of at most ${schema.maxLength} characters`;
  const isFull = typeof schema.minLength === 'number' || typeof schema.minItems === 'number';
  return isFull ? `${type} that is not empty` : type;
}

function textOf({ path, message }: Problem): string {
  return path.length === 0 ? message : `${path.map(plain).join('.')}: ${message}`;
}
