import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The commit of the first release. */
const firstRelease = 'ebd0246';

const root = join(import.meta.dirname, '..', '..', '..');

export interface Release {
  /** Its chart. */
  readonly chart: string;
  /** Its program. */
  readonly program: string;
}

/** The first release as it was: chart and program are taken from the history, and the program is built by its own tools. */
export function buildFirstRelease(folder: string): Release {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', root, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    git('cat-file', '-e', `${firstRelease}^{tree}`);
  } catch (cause) {
    const remedy = 'This proof needs Git and the whole history: git fetch --unshallow.';
    throw new Error(`The commit of the first release, ${firstRelease}, is not here. ${remedy}`, { cause });
  }
  const target = join(folder, 'first-release');
  mkdirSync(target);
  execFileSync('tar', ['-x', '-C', target], { input: git('archive', firstRelease) });
  expectSubset(target);
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  const program = join(target, 'stageguard.mjs');
  execFileSync(process.execPath, [join(target, 'tools', 'build.mjs'), program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { chart: join(target, 'charts', 'stageguard'), program };
}

/** It is built with the packages of now, so all that it needs must be among them, and asked for in the same words. */
function expectSubset(target: string): void {
  const [then, now] = [target, root].map((folder) => {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    return (JSON.parse(text) as { dependencies: Readonly<Record<string, string>> }).dependencies;
  });
  const others = Object.entries(then ?? {}).filter(([name, range]) => now?.[name] !== range);
  if (others.length === 0) return;
  throw new Error(
    `The first release needs other packages than are here: ${JSON.stringify(Object.fromEntries(others))}`,
  );
}
