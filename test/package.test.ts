import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { clone, withModules } from './support/clone.js';
import { readRepositoryFile } from './support/examples.js';
import { packed } from './support/packed.js';
import { scratchFolder } from './support/scratch.js';

const root = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly [field: string]: unknown;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

let home = '';
let installed = '';
let packedFile = '';

beforeAll(() => {
  const source = withModules(clone());
  const before = readFileSync(join(source, 'package.json'), 'utf8');
  packedFile = packed(source);
  expect(readFileSync(join(source, 'package.json'), 'utf8')).toBe(before);

  home = scratchFolder();
  const install = ['install', packedFile, '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', install, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  installed = join(home, 'node_modules', 'stageguard');
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
}, 120_000);

describe('the package', () => {
  test('is alone: it needs no other', () => {
    expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['stageguard']);
    const names = Object.keys(manifestOf(installed));
    expect(names.filter((name) => /dependencies|scripts|overrides/i.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['repository', 'keywords', 'engines', 'exports', 'bin', 'license']));
  });

  test('holds the bundle, the schemas, the docs, the index of the examples and the licences, and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
    const listed = files.map((file) => file.replace(/^((?:dist\/parts|docs|schemas)\/).*/, '$1')).sort();
    expect([...new Set(listed)]).toEqual([
      ...['LICENSE', 'LICENSES-bundled.txt', 'README.md'],
      ...['dist/kubectl-stageguard.js', 'dist/library.d.ts', 'dist/library.js', 'dist/parts/', 'dist/stageguard.js'],
      ...['docs/', 'examples/README.md'],
      ...['package.json', 'schemas/'],
    ]);
  });
});

/** This Node, and those that tools/other-nodes.sh has fetched. */
function nodes(): readonly [version: string, path: string][] {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'stageguard', 'node');
  const others = existsSync(cache) ? readdirSync(cache).map((major) => join(cache, major, 'bin', 'node')) : [];
  const all = [process.execPath, ...others.filter((path) => existsSync(path))];
  return all.map((path) => [/\d+/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[0] ?? '', path]);
}

describe.each(nodes())('on Node %s', (_version, node) => {
  const stageguard = (...argv: string[]) => {
    const program = join(home, 'node_modules', '.bin', 'stageguard');
    const { status, stdout, stderr } = spawnSync(node, [program, ...argv], { cwd: home, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  test('the program runs in an empty folder', () => {
    const { version } = manifestOf(root);
    expect(stageguard('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    const good = stageguard('check', 'examples/good', '--fleet', 'examples/fleet');
    expect({ status: good.status, stderr: good.stderr }).toEqual({ status: 0, stderr: '' });
    const bad = stageguard('check', 'examples/bad/strategy-stages-disjoint.yaml');
    expect(bad.status).toBe(1);
    expect(bad.stdout).toContain('[strategy-stages-disjoint]');
    const plan = stageguard('plan', 'examples/good/run-explicit-index.yaml', '--fleet', 'examples/fleet');
    expect(plan.stdout).toContain('staging');
  }, 60_000);

  test('the library can be imported', () => {
    const script = `import('stageguard').then((it) => console.log(Object.keys(it).sort().join(), it.rules().length > 50))`;
    expect(execFileSync(node, ['-e', script], { cwd: home, encoding: 'utf8' })).toBe('check,plan,rules true\n');
  }, 30_000);
});

test('kubectl finds its plugin', () => {
  const plugin = join(home, 'node_modules', '.bin', 'kubectl-stageguard');
  expect(execFileSync(plugin, ['plan', '--help'], { encoding: 'utf8' })).toContain('Usage: kubectl stageguard plan ');
}, 30_000);

test('npx runs the packed file in an empty folder, as docs/package.md says', () => {
  const [command = ''] = /npx \.\/stageguard-\*\.tgz check deploy\//.exec(readRepositoryFile('docs/package.md')) ?? [];
  const empty = scratchFolder();
  cpSync(packedFile, join(empty, basename(packedFile)));
  cpSync(join(root, 'examples', 'good'), join(empty, 'deploy'), { recursive: true });
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    npm_config_yes: 'true',
    npm_config_cache: join(empty, '.npm'),
  };
  const { status, stdout } = spawnSync('bash', ['-c', command], { cwd: empty, env, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('no problems found') });
}, 60_000);

/** The example of docs/package.md. */
const program = /```ts\n([^]*?)```/.exec(readRepositoryFile('docs/package.md'))?.[1] ?? '';

test('the program of docs/package.md is type-checked, and runs', () => {
  const folder = join(home, 'program');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'index.ts'), program);
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--exactOptionalPropertyTypes'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...types, 'index.ts'];
  const { status, stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  const ran = spawnSync(process.execPath, ['program/index.js'], { cwd: home, encoding: 'utf8' });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 1, stderr: '' });
  expect(ran.stdout).toBe(/It prints\n\n```\n([^]*?)```/.exec(readRepositoryFile('docs/package.md'))?.[1]);
}, 60_000);

test('the licences of what is bundled are fresh; `npm run docs` writes them', () => {
  const script =
    "const { renderLicences } = await import('./tools/licences.mjs'); process.stdout.write(await renderLicences());";
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 8 * 1024 * 1024 } as const;
  const rendered = execFileSync(process.execPath, ['--input-type=module', '-e', script], options);
  expect(readRepositoryFile('LICENSES-bundled.txt')).toBe(rendered);
  const { dependencies } = manifestOf(root) as unknown as { dependencies: object };
  for (const name of Object.keys(dependencies)) expect(rendered).toMatch(new RegExp(`^${name} \\d`, 'm'));
}, 60_000);
