import { createHash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { clone, withModules } from './support/clone.js';
import { packed } from './support/packed.js';
import { readRepositoryFile } from './support/examples.js';
import { scratchFolder } from './support/scratch.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly homepage: string;
    readonly shortDescription: string;
    readonly platforms: readonly Platform[];
  };
}

interface Platform {
  readonly selector: { readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[] };
  readonly uri: string;
  readonly sha256: string;
  readonly bin: string;
}

/** What krew itself asks of a manifest (krew, internal/index/validation), for the parts that ours has. */
function krewProblems({ apiVersion, kind, metadata, spec }: Manifest): readonly string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [apiVersion === 'krew.googlecontainertools.github.com/v1alpha2', 'apiVersion'],
    [kind === 'Plugin', 'kind'],
    [/^[\w-]+$/.test(metadata.name), 'name'],
    [/^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(spec.version), 'version'],
    [spec.shortDescription !== '' && !/[\r\n]/.test(spec.shortDescription), 'shortDescription'],
    [spec.platforms.length > 0, 'platforms'],
    ...spec.platforms.flatMap(platformChecks),
  ];
  return checks.filter(([isSound]) => !isSound).map(([, what]) => what);
}

function platformChecks({ selector, uri, sha256, bin }: Platform): readonly (readonly [boolean, string])[] {
  const expressions = selector.matchExpressions ?? [];
  return [
    [/^https:\/\/\S+\.(?:tar\.gz|zip)$/.test(uri), 'uri'],
    [/^[0-9a-f]{64}$/.test(sha256), 'sha256'],
    [expressions.length > 0 && expressions.every(({ key }) => ['os', 'arch'].includes(key)), 'selector'],
    [bin !== '' && !bin.startsWith('/') && !bin.split('/').includes('..'), 'bin'],
  ];
}

const filledIn = (values: Readonly<Record<string, string>>): Manifest => {
  const text = readRepositoryFile('deploy/krew.yaml').replaceAll(
    /\$\{([A-Z0-9]+)\}/g,
    (_, name: string) => values[name] ?? '',
  );
  return parse(text) as Manifest;
};

const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string };

describe('the manifest for krew', () => {
  let archive = '';
  beforeAll(() => {
    archive = packed(withModules(clone()));
  }, 120_000);

  test('is one that krew takes, once a release has filled it in', () => {
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    expect(krewProblems(filledIn({ VERSION: version, SHA256: sha256 }))).toEqual([]);
    expect(krewProblems(filledIn({}))).toEqual(['version', 'sha256']);
  });

  test('installs a plugin that runs, as krew installs it', () => {
    const { spec, metadata } = filledIn({ VERSION: version, SHA256: '' });
    const store = join(scratchFolder(), 'store', metadata.name, spec.version);
    const bin = join(scratchFolder(), 'bin');
    for (const folder of [store, bin]) mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', archive, '-C', store]);
    const target = join(store, spec.platforms[0]?.bin ?? '');
    expect(existsSync(target)).toBe(true);
    symlinkSync(target, join(bin, `kubectl-${metadata.name}`));
    const env = { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: bin };
    const run = (...args: readonly string[]) => spawnSync('kubectl-stageguard', args, { env, encoding: 'utf8' });
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    expect(run('--help').stdout).toContain('Usage: kubectl stageguard ');
    copyFileSync('examples/bad/run-snapshot-index.yaml', join(bin, 'run.yaml'));
    const checked = run('check', join(bin, 'run.yaml'), '--fleet', 'examples/fleet');
    expect({ status: checked.status, out: checked.stdout.includes('[run-snapshot-index]') }).toEqual({
      status: 1,
      out: true,
    });
  }, 60_000);
});
