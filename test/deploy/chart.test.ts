import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valuesSchema } from '../../src/cli/generate/chart-values.js';
import { chartReadme } from '../../src/cli/generate/chart-readme.js';
import { commandsIn } from '../support/document-commands.js';
import { readRepositoryFile } from '../support/examples.js';

const manifest = readRepositoryFile('charts/stageguard/Chart.yaml');
const readme = readRepositoryFile('charts/stageguard/README.md');
const { name, home, sources, version, annotations } = parse(manifest) as {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly version: string;
  readonly annotations: Readonly<Record<string, unknown>>;
};
const { repository, license } = JSON.parse(readRepositoryFile('package.json')) as {
  readonly repository: { readonly url: string };
  readonly license: string;
};

test('it names the home and the sources that the package names', () => {
  expect(`git+${home}.git`).toBe(repository.url);
  expect(sources).toEqual([home]);
});

test('what Artifact Hub reads of it is what Artifact Hub takes', () => {
  const { 'artifacthub.io/links': links, 'artifacthub.io/license': ofChart, ...more } = annotations;
  // Annotations are texts, also where they hold YAML, and Helm refuses others.
  expect(Object.values(annotations).map((value) => typeof value)).toEqual(Object.keys(annotations).map(() => 'string'));
  expect(ofChart).toBe(license);
  expect(more).toEqual({ 'artifacthub.io/category': 'integration-delivery', 'artifacthub.io/operator': 'false' });
  const named = parse(String(links)) as readonly { readonly name: string; readonly url: string }[];
  for (const { url } of named) expect(url.startsWith(`${home}/`)).toBe(true);
  const files = named.map(({ url }) => /\/blob\/main\/(.*)$/.exec(url)?.[1]).filter((path) => path !== undefined);
  for (const path of files) expect(readRepositoryFile(path)).not.toBe('');
  expect(named.map(({ url }) => url)).toContain(`${home}/issues`);
});

/** The paths of all values, as the schema knows them. */
function paths(schema: object, prefix = ''): readonly string[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, object>> };
  return Object.entries(properties).flatMap(([key, within]) =>
    'properties' in within && key !== 'config' ? paths(within, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

test('its README has every value, its version, and the command of docs/install.md', () => {
  const missing = paths(valuesSchema()).filter((path) => path !== 'global' && !readme.includes(`\n| \`${path}\` | `));
  expect(missing).toEqual([]);
  expect(readme).toContain(`version ${version}`);
  const [install] = commandsIn('docs/install.md').filter(({ command }) => command.startsWith(`helm install ${name}`));
  expect(commandsIn('charts/stageguard/README.md').map(({ command }) => command)).toEqual([install?.command]);
});

test('a value of which nothing is said keeps the README from being written', () => {
  const values = 'replicaCount: 2\nimage:\n  # Where it is.\n  repository: ""\n';
  expect(() => chartReadme({ values, manifest })).toThrow('values.yaml says nothing of replicaCount');
  expect(chartReadme({ values: `# How many.\n${values}`, manifest })).toContain('| `replicaCount` | `2` | How many. |');
});
