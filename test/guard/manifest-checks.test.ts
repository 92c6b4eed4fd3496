import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { manifestChecks } from '../../src/guard/manifest-checks.js';

test('every check of manifests is documented, with its severity', () => {
  const document = readFileSync('docs/manifests.md', 'utf8');
  const rows = [...document.matchAll(/^\| `(manifest-[a-z-]+)` *\| (\w+)/gm)].map(([, id, severity]) => [id, severity]);
  expect(rows).toEqual(Object.values(manifestChecks).map(({ id, severity }) => [id, severity]));
});
