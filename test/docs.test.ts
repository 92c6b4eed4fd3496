import { expect, test } from '@jest/globals';
import { renderDocs } from '../src/cli/docs.js';
import { catalogue } from '../src/rules/index.js';
import { exampleFiles, readRepositoryFile } from './support/examples.js';

const rendered = renderDocs({ rules: catalogue, examples: exampleFiles() });

test.each([...rendered.keys()])('%s is fresh; `npm run docs` writes it', (path) => {
  expect(readRepositoryFile(path)).toBe(rendered.get(path));
});

test('every rule is documented with an example and what it says of it', () => {
  const page = rendered.get('docs/rules.md') ?? '';
  const without = catalogue.filter(({ id }) => !page.includes(`\n[${id}] `)).map(({ id }) => id);
  expect(without).toEqual([]);
});
