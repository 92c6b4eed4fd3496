import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './scratch.js';

const root = join(import.meta.dirname, '..', '..');
const parts = ['package.json', 'tsconfig.json', 'README.md', 'LICENSE', 'LICENSES-bundled.txt', '.npmrc', 'action.yml'];

/** The repository as somebody else would have cloned it, so that what is built there disturbs nobody here. */
export function clone(): string {
  const folder = scratchFolder();
  for (const part of [...parts, 'src', 'tools', 'docs', 'schemas', 'examples']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  return folder;
}

/** What `npm ci` would bring; there is no registry in tests. */
export function withModules(folder: string): string {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
