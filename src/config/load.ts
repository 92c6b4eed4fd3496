import type { ErrorObject } from 'ajv';
import type { Document } from 'yaml';
import { freezeProblem } from '../engine/freeze.js';
import { GuardError } from '../errors.js';
import { plain, quoted, visible } from '../fleet/quoted.js';
import type { Config } from './config.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';
import { parsed, type ConfigPath } from './places.js';
import { validate } from './validator.js';

export interface ConfigSource {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The ids of all rules that can be set. */
  readonly ruleIds: Iterable<string>;
}

interface Problem {
  readonly path: ConfigPath;
  readonly message: string;
}

/** Reads a config file; raises GuardError that lists all problems with their lines. */
export function loadConfig(text: string, source: ConfigSource): Config {
  const { document, placeAt, placeOf } = parsed(text);
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    throw new GuardError(
      'CONFIG_NOT_YAML',
      `${plain(source.file)}:${placeAt(syntax.pos[0])}: is not valid YAML: ${visible(syntax.message)}`,
    );
  }
  const json = contentOf(document, source.file);
  restoreOff(json);
  const problems = validate(json)
    ? [...unknownRules(json, new Set(source.ruleIds)), ...impossibleFreezes(json)]
    : (validate.errors ?? []).map(problemOf);
  if (problems.length > 0) {
    const told = problems.map(
      (problem) => `${plain(source.file)}:${placeOf(problem.path)}: ${visible(textOf(problem))}`,
    );
    throw new GuardError('CONFIG_INVALID', [...new Set(told)].join('\n'));
  }
  const config = { ...(json as Config & { $schema?: string }) };
  delete config.$schema;
  return deepFreeze(config);
}

/** What holds without a config file. */
export function defaultConfig(): Config {
  return loadConfig('', { file: 'defaults', ruleIds: [] });
}

function contentOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new GuardError('CONFIG_NOT_YAML', `${plain(file)}: is not valid YAML`, { cause: error });
  }
}

/** Other tools read YAML 1.1 and hand on an `off` without quotes as false. The object is fresh from the parser. */
function restoreOff(json: unknown): void {
  const config = sectionOf({ json }, 'json');
  const places = [sectionOf(config, 'namespaces'), sectionOf(config, 'namespaceLabels')].flatMap((each) =>
    Object.values<unknown>(each),
  );
  for (const place of [config, ...places.map((each) => sectionOf({ each }, 'each'))]) {
    if (place['defaultMode'] === false) place['defaultMode'] = 'off';
    const modes = sectionOf(place, 'rules');
    for (const [id, mode] of Object.entries(modes)) if (mode === false) modes[id] = 'off';
  }
  if (config['concurrency'] === false) config['concurrency'] = 'off';
}

/** An object below another; an empty one where there is none. */
function sectionOf(value: unknown, key: string): Record<string, unknown> {
  const section = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof section === 'object' && section !== null ? (section as Record<string, unknown>) : {};
}

function problemOf({ instancePath, keyword, params, parentSchema, data }: ErrorObject): Problem {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty);
    const known = Object.keys((parentSchema?.properties ?? {}) as object);
    return { path: [...path, key], message: `there is no such key${didYouMean(key, known)}` };
  }
  if (keyword === 'required') return { path, message: `the key ${quoted(String(params.missingProperty))} is missing` };
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
  const type = typeNames[String(schema.type)] ?? 'something else';
  if (typeof schema.minimum === 'number') return `${type} from ${schema.minimum} to ${String(schema.maximum)}`;
  if (typeof schema.maxLength === 'number') return `${type} of at most ${schema.maxLength} characters`;
  return typeof schema.minLength === 'number' ? `${type} that is not empty` : type;
}

function unknownRules(config: Config, known: ReadonlySet<string>): readonly Problem[] {
  const inNamespaces = Object.entries(config.namespaces).map(([name, { rules }]) => ({
    path: ['namespaces', name, 'rules'],
    ids: Object.keys(rules),
  }));
  const byLabel = config.namespaceLabels.map(({ rules }, index) => ({
    path: ['namespaceLabels', String(index), 'rules'],
    ids: Object.keys(rules),
  }));
  const places = [
    { path: ['rules'], ids: Object.keys(config.rules) },
    ...inNamespaces,
    ...byLabel,
    { path: ['undetermined', 'rules'], ids: Object.keys(config.undetermined.rules) },
  ];
  const gates = config.exemptions.gates.map((id, index) => ({ id, path: ['exemptions', 'gates', String(index)] }));
  return [...places.flatMap(({ path, ids }) => ids.map((id) => ({ id, path: [...path, id] }))), ...gates]
    .filter(({ id }) => !known.has(id))
    .map(({ id, path }) => ({ path, message: `there is no such rule${didYouMean(id, known)}` }));
}

function impossibleFreezes({ freeze }: Config): readonly Problem[] {
  return freeze.flatMap((one, index) => {
    const [key, message] = freezeProblem(one) ?? [];
    return key === undefined || message === undefined ? [] : [{ path: ['freeze', String(index), key], message }];
  });
}

function textOf({ path, message }: Problem): string {
  return path.length === 0 ? message : `${path.map(plain).join('.')}: ${message}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
