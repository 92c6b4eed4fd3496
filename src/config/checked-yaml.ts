import type { ErrorObject } from 'ajv';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';
import { GuardError } from '../errors.js';
import { plain, quoted, visible } from '../fleet/quoted.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';

export type YamlPath = readonly string[];

export interface Problem {
  readonly path: YamlPath;
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
  /** The line and the column of a key, from 1. */
  readonly placeOf: (path: YamlPath) => { readonly line: number; readonly column: number };
}

/** Reads a YAML file of ours; raises GuardError that lists all problems with their lines. */
export function checkedYaml<T>(text: string, file: string, kind: Kind<T>): CheckedYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const { line, col } = lines.linePos(syntax.pos[0]);
    throw new GuardError(
      'CONFIG_NOT_YAML',
      `${plain(file)}:${line}:${col}: is not valid YAML: ${visible(syntax.message)}`,
    );
  }
  const json = contentOf(document, file);
  kind.prepare?.(json);
  const problems = kind.validate(json) ? kind.check(json) : (kind.validate.errors ?? []).map(problemOf);
  const placeOf = (path: YamlPath): { line: number; column: number } => placeIn(path, document, lines);
  if (problems.length > 0) {
    const told = problems.map((problem) => {
      const { line, column } = placeOf(problem.path);
      return `${plain(file)}:${line}:${column}: ${visible(textOf(problem))}`;
    });
    throw new GuardError('CONFIG_INVALID', [...new Set(told)].join('\n'));
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

/** The place of a key, or of the nearest that is there around it. */
function placeIn(path: YamlPath, document: Document.Parsed, lines: LineCounter): { line: number; column: number } {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const step of path) {
    const next = childOf(node, step);
    if (next === undefined) break;
    [offset, node] = next;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function childOf(node: unknown, step: string): readonly [offset: number, value: unknown] | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)] as ParsedNode | undefined;
    return item === undefined ? undefined : [item.range[0], item];
  }
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
  return pair === undefined ? undefined : [(pair.key as ParsedNode).range[0], pair.value];
}
