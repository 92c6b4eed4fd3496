import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Packs a clone, and gives the file. */
export function packed(clone: string): string {
  execFileSync('npm', ['pack', '--silent'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  const [file = ''] = readdirSync(clone).filter((name) => name.endsWith('.tgz'));
  return join(clone, file);
}
