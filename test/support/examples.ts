import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExampleFile } from '../../src/cli/generate/docs.js';

const root = join(import.meta.dirname, '..', '..');

/** The text of a file of the repository. */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The manifests and reviews below examples/, or below one folder of it, by their paths in the repository. */
export function exampleFiles(folder = ''): readonly ExampleFile[] {
  const base = join('examples', folder);
  return readdirSync(join(root, base), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ya?ml|json)$/.test(name))
    .map((name) => join(base, name).replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readRepositoryFile(path) }));
}
