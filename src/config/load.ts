import { freezeProblem } from '../engine/freeze.js';
import type { Config } from './config.js';
import { checkedYaml, type Problem } from './checked-yaml.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';
import { validate } from './validator.js';

export interface ConfigSource {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The ids of all rules that can be set. */
  readonly ruleIds: Iterable<string>;
}

/** Reads a config file; raises GuardError that lists all problems with their lines. */
export function loadConfig(text: string, { file, ruleIds }: ConfigSource): Config {
  const known = new Set(ruleIds);
  const check = (config: Config): readonly Problem[] => [...unknownRules(config, known), ...impossibleFreezes(config)];
  const { value } = checkedYaml(text, file, { validate, prepare: restoreOff, check });
  const config = { ...(value as Config & { $schema?: string }) };
  delete config.$schema;
  return deepFreeze(config);
}

/** What holds without a config file. */
export function defaultConfig(): Config {
  return loadConfig('', { file: 'defaults', ruleIds: [] });
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

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
