import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { renderDocs } from '../src/cli/generate/docs.js';
import { entries, others } from '../src/config/entries.js';
import { catalogue } from '../src/rules/index.js';
import { exampleFiles, readRepositoryFile } from './support/examples.js';

const chart = {
  values: readRepositoryFile('charts/stageguard/values.yaml'),
  manifest: readRepositoryFile('charts/stageguard/Chart.yaml'),
};
const rendered = renderDocs({ rules: catalogue, others, examples: exampleFiles(), chart });

test.each([...rendered.keys()])('%s is fresh; `npm run docs` writes it', (path) => {
  expect(readRepositoryFile(path)).toBe(rendered.get(path));
});

test('every rule is documented with an example and what it says of it', () => {
  const page = rendered.get('docs/rules.md') ?? '';
  const without = catalogue.filter(({ id }) => !page.includes(`\n[${id}] `)).map(({ id }) => id);
  expect(without).toEqual([]);
});

test('everything with an id has a section', () => {
  const page = rendered.get('docs/rules.md') ?? '';
  expect(entries.filter(({ id }) => !page.includes(`\n## ${id}\n`))).toEqual([]);
});

test('every test that docs/security.md names is there', () => {
  const named = [...readRepositoryFile('docs/security.md').matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
