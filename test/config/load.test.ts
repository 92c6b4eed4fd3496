import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { publishedConfigSchema } from '../../src/cli/generate/docs.js';
import { policyOf } from '../../src/config/config.js';
import { defaultConfig, loadConfig } from '../../src/config/load.js';
import { configSchema } from '../../src/config/schema.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { GuardError } from '../../src/errors.js';
import { isVersion } from '../../src/fleet/versions.js';

const ruleIds = ['strategy-stages-disjoint', 'run-removes-clusters'];
const load = (text: string) => loadConfig(text, { file: 'c.yaml', ruleIds });
const repository = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The lines of the error that a text is refused with. */
function problems(text: string): string[] {
  try {
    load(text);
  } catch (error) {
    if (error instanceof GuardError) return [error.code, ...error.message.split('\n')];
    throw error;
  }
  return [];
}

test('an empty file means the defaults, and so do comments and empty sections', () => {
  for (const text of ['', '# nothing', 'rules: {}', 'retry: {}', 'namespaces: {}'])
    expect(load(text)).toEqual(defaultConfig());
});

test('the sample holds exactly the defaults', () => {
  expect(load(read('examples/config.yaml'))).toEqual(defaultConfig());
  expect(Object.keys(load(read('examples/config.yaml')))).toEqual(
    Object.keys(configSchema.properties).filter((key) => key !== '$schema'),
  );
});

describe('the published schema', () => {
  // As an editor has it: a validator of draft 7 that nobody has set up.
  const inEditor = new Ajv().compile(JSON.parse(read('schemas/config.schema.json')) as object);
  const check = (text: string): string[] => {
    inEditor(parse(text));
    return (inEditor.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  };

  test('is written from the one that is checked', () => {
    expect(JSON.parse(read('schemas/config.schema.json'))).toEqual(publishedConfigSchema());
  });

  test('takes the sample, and a file that names its schema', () => {
    expect(check(read('examples/config.yaml'))).toEqual([]);
    const named = '$schema: ../schemas/config.schema.json\nrules: {strategy-wait-time: warn}';
    expect(check(named)).toEqual([]);
    expect(loadConfig(named, { file: 'c.yaml', ruleIds: ['strategy-wait-time'] })).not.toHaveProperty('$schema');
  });

  test('knows the rules everywhere, which the program then knows as well', () => {
    const refused = 'must NOT have additional properties';
    expect(check('rules: {strategy-wait-tim: warn}')).toEqual([`/rules ${refused}`]);
    expect(check('namespaces: {a: {rules: {x: warn}}}')).toEqual([`/namespaces/a/rules ${refused}`]);
    expect(check('namespaceLabels: [{label: a=b, rules: {x: warn}}]')).toEqual([`/namespaceLabels/0/rules ${refused}`]);
  });
});

test('what is set is kept, the rest is filled in, and nothing can be changed afterwards', () => {
  const config = load(`
rules: {strategy-stages-disjoint: warn}
namespaces: {team-a: {rules: {run-removes-clusters: off}}, team-b: {}}
retry: {defaultSeconds: 5}
hubAgent: {confirmed: false}
`);
  expect(config).toMatchObject({
    rules: { 'strategy-stages-disjoint': 'warn' },
    namespaces: { 'team-a': { rules: { 'run-removes-clusters': 'off' } }, 'team-b': { rules: {} } },
    retry: { defaultSeconds: 5, maxAgeSeconds: 120 },
    claims: { settleSeconds: 60, whenUnavailable: 'retry' },
  });
  expect(Object.isFrozen(config.namespaces['team-a']?.rules)).toBe(true);
});

test('default modes are kept, for all, by namespace and by label', () => {
  const text = `
defaultMode: audit
namespaces: {pilot: {defaultMode: deny}}
namespaceLabels: [{label: tier=prod, defaultMode: warn}, {label: example.com/lab=, rules: {strategy-stages-disjoint: false}}]
`;
  expect(load(text)).toMatchObject({
    defaultMode: 'audit',
    namespaces: { pilot: { defaultMode: 'deny', rules: {} } },
    namespaceLabels: [
      { label: 'tier=prod', defaultMode: 'warn', rules: {} },
      { label: 'example.com/lab=', rules: { 'strategy-stages-disjoint': 'off' } },
    ],
  });
  expect(load('defaultMode: false\nnamespaces: {a: {defaultMode: false}}')).toMatchObject({
    defaultMode: 'off',
    namespaces: { a: { defaultMode: 'off' } },
  });
});

test('an off that some tool has made false is off', () => {
  const config = load(`
rules: {strategy-stages-disjoint: false}
namespaces: {team-a: {rules: {run-removes-clusters: false}}, team-b: {}}
concurrency: false
`);
  expect(config).toMatchObject({
    rules: { 'strategy-stages-disjoint': 'off' },
    namespaces: { 'team-a': { rules: { 'run-removes-clusters': 'off' } } },
    concurrency: 'off',
  });
});

describe('problems name the file, the line and the nearest right word', () => {
  test.each<[string, string, string[]]>([
    [
      'an unknown key',
      'concurency: off',
      ['c.yaml:1:1: concurency: there is no such key; did you mean "concurrency"?'],
    ],
    [
      'an unknown key inside',
      'retry:\n  maxAgeSecond: 3',
      ['c.yaml:2:3: retry.maxAgeSecond: there is no such key; did you mean "maxAgeSeconds"?'],
    ],
    ['a key like nothing', 'zebra: 1', ['c.yaml:1:1: zebra: there is no such key']],
    [
      'an unknown rule',
      'rules:\n  strategy-stage-disjoint: warn',
      ['c.yaml:2:3: rules.strategy-stage-disjoint: there is no such rule; did you mean "strategy-stages-disjoint"?'],
    ],
    [
      'an unknown rule of a namespace',
      'namespaces:\n  a:\n    rules: {x: off}',
      ['c.yaml:3:13: namespaces.a.rules.x: there is no such rule'],
    ],
    [
      'an unknown rule of a label',
      'namespaceLabels:\n  - label: a=b\n  - label: c=d\n    rules: {x: off}',
      ['c.yaml:4:13: namespaceLabels.1.rules.x: there is no such rule'],
    ],
    [
      'a label without a value',
      'namespaceLabels:\n  - {label: a}',
      ['c.yaml:2:6: namespaceLabels.0.label: expected a label with its value, such as tier=prod, found "a"'],
    ],
    [
      'modes for no label',
      'namespaceLabels:\n  - {defaultMode: warn}',
      ['c.yaml:2:5: namespaceLabels.0.label: is missing'],
    ],
    [
      'an unknown rule where it cannot tell',
      'undetermined: {rules: {x: warn}}',
      ['c.yaml:1:24: undetermined.rules.x: there is no such rule'],
    ],
    [
      'an unknown mode',
      'rules: {run-removes-clusters: wan}',
      ['c.yaml:1:9: rules.run-removes-clusters: expected deny, warn, audit or off, found "wan"; did you mean "warn"?'],
    ],
    [
      'a false where off is not allowed',
      'undetermined: {rules: {run-removes-clusters: false}}',
      ['c.yaml:1:24: undetermined.rules.run-removes-clusters: expected retry or warn, found false'],
    ],
    [
      'larger reviews than the bounds on reading hold for',
      'limits: {bodyBytes: 67108864}',
      ['c.yaml:1:10: limits.bodyBytes: expected a whole number from 65536 to 7340032, found 67108864'],
    ],
    ['no namespaces', 'namespaces: false', ['c.yaml:1:1: namespaces: expected an object, found false']],
    [
      'a wrong type',
      'retry: {defaultSeconds: "3"}',
      ['c.yaml:1:9: retry.defaultSeconds: expected a whole number from 1 to 86400, found "3"'],
    ],
    [
      'a number out of range',
      'limits: {inFlight: 0}',
      ['c.yaml:1:10: limits.inFlight: expected a whole number from 1 to 10000, found 0'],
    ],
    [
      'a version that is a number',
      'kubefleet: {version: 0.3}',
      ['c.yaml:1:13: kubefleet.version: expected auto, main, or a version such as v0.3.1, found 0.3'],
    ],
    ['a list for an object', 'rules: []', ['c.yaml:1:1: rules: expected an object, found []']],
    ['a text for the whole', 'hello', ['c.yaml:1:1: expected an object, found "hello"']],
    [
      'an empty user',
      'hubAgent: {users: [""]}',
      ['c.yaml:1:20: hubAgent.users.0: expected a string that is not empty, found ""'],
    ],
    [
      'several at once',
      'a: 1\nretry: 5',
      ['c.yaml:1:1: a: there is no such key', 'c.yaml:2:1: retry: expected an object, found 5'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(problems(text)).toEqual(['CONFIG_INVALID', ...expected]);
  });

  test('text that is not YAML, a key given twice, and an alias bomb', () => {
    expect(problems('rules: [')[0]).toBe('CONFIG_NOT_YAML');
    expect(problems('a: 1\nretry: {}\nretry: {}')[1]).toMatch(/^c\.yaml:3:1: is not valid YAML: /);
    const bomb = `a: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]`;
    expect(problems(bomb)[0]).toBe('CONFIG_NOT_YAML');
  });
});

describe('the policy', () => {
  test('of the default config is the default policy', () => {
    expect(policyOf(defaultConfig())).toEqual(defaultPolicy);
  });

  test.each<['auto' | boolean, boolean, boolean]>([
    ['auto', true, true],
    ['auto', false, false],
    [true, false, true],
    [false, true, false],
  ])('confirmed %s, and %s by the hub, is %s', (confirmed, byHub, expected) => {
    const config = load(`hubAgent: {confirmed: ${String(confirmed)}}`);
    expect(policyOf(config, { isConfirmed: byHub }).hubAgent.confirmed).toBe(expected);
  });
});

test.each(['auto', 'main', 'v0.3.1', '0.3.1', '"0.3"', 'v0.4.0-rc.1', 'v1.0.0+build'])('%s is a version', (version) => {
  const { kubefleet } = load(`kubefleet: {version: ${version}}`);
  expect(kubefleet.version === 'auto' || isVersion(kubefleet.version)).toBe(true);
});

test.each(['latest', 'v0', '1a2b3c4', '2026.08.20', 'v0.3.1 or so', 'MAIN'])('%s is no version', (version) => {
  expect(problems(`kubefleet: {version: ${version}}`)[0]).toBe('CONFIG_INVALID');
});
