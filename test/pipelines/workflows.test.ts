import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { clone, withModules } from '../support/clone.js';
import { Runner, scripts, workflow, workflowFiles, type StandIn } from './workflows.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const tag = `v${version}`;
const digest = `sha256:${'1'.repeat(64)}`;
const registry = 'registry.example.com/platform';

/** What is executed below, and what is not and why. */
const executed = [
  'release, checks: One version everywhere',
  'release, package: Pack',
  'release, image: Log in',
  'release, image: Build and push',
  'release, image: Sign',
  'release, chart: Name the image in it',
  'release, chart: Log in',
  'release, chart: Sign',
  'release, publish: Publish the package',
  'release, publish: Draft the release',
];
const notExecuted: Readonly<Record<string, string>> = {
  'ci, checks: Shells to complete in': 'installs on the machine',
  'ci, checks: All checks': 'is what runs this test',
  'ci, image: Build for both platforms': 'needs Docker; test/deploy/dockerfile.test.ts does what the Dockerfile says',
  'ci, image: Run it': 'needs Docker; test/deploy/dockerfile.test.ts starts what is in the image',
  'release, checks: All checks': 'is what runs this test',
  'release, package: Install': 'needs a registry; .ci/run does the same before this test',
  'release, chart: Install': 'needs a registry; .ci/run does the same before this test, and builds Helm',
  'release, chart: Package and push': 'needs Helm; test/e2e/workflows.test.ts executes it',
};

test('every script of a workflow is executed, or it is said why not', () => {
  expect([...scripts().keys()].sort()).toEqual([...executed, ...Object.keys(notExecuted)].sort());
  const named = Object.values(notExecuted).flatMap((why) => why.match(/test\/[\w/.-]+\.test\.ts/g) ?? []);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

describe('the workflows', () => {
  test('name every action of others by commit, with the version that it is', () => {
    const uses = [...workflowFiles(), 'action.yml'].flatMap(
      (file) => readFileSync(file, 'utf8').match(/\buses: .*/g) ?? [],
    );
    expect(uses.length).toBeGreaterThan(10);
    expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const versionsOf = new Map<string, Set<string>>();
    for (const line of uses) {
      const [, action = '', at = ''] = /^uses: ([\w/-]+)@(.*)$/.exec(line) ?? [];
      versionsOf.set(action, (versionsOf.get(action) ?? new Set()).add(at));
    }
    expect([...versionsOf].filter(([, versions]) => versions.size > 1)).toEqual([]);
  });

  test.each(['ci', 'release'])('%s may read, ends some time, and no expression is a piece of a script', (name) => {
    const { permissions, defaults, jobs } = workflow(name);
    expect({ permissions, defaults }).toEqual({
      permissions: { contents: 'read' },
      defaults: { run: { shell: 'bash' } },
    });
    for (const { 'timeout-minutes': minutes, steps } of Object.values(jobs)) {
      expect(minutes).toBeGreaterThan(0);
      for (const { run = '' } of steps) expect(run).not.toContain('${{');
    }
  });

  test('what publishes waits for all checks, and for whoever guards the environment', () => {
    const { on, jobs } = workflow('release');
    expect(on).toEqual({ push: { tags: ['v*'] } });
    const needs = (job: string): readonly string[] => [jobs[job]?.needs ?? []].flat();
    for (const job of Object.keys(jobs).filter((name) => name !== 'checks')) expect(needs(job)).toContain('checks');
    const isPublishing = (run = ''): boolean => /--push|helm push|npm publish|gh release|cosign/.test(run);
    const publishing = Object.keys(jobs).filter((job) => jobs[job]?.steps.some(({ run }) => isPublishing(run)));
    expect(publishing).toEqual(['image', 'chart', 'publish']);
    for (const job of publishing) expect(jobs[job]?.environment).toBe('release');
  });
});

/** A clone in which a version is about to be released. */
function released(): string {
  const folder = withModules(clone());
  for (const part of ['package-lock.json', 'Dockerfile', 'CHANGELOG.md', 'charts', 'deploy']) {
    cpSync(part, join(folder, part), { recursive: true });
  }
  const changelog = join(folder, 'CHANGELOG.md');
  const text = readFileSync(changelog, 'utf8');
  writeFileSync(changelog, text.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - 2026-11-20`));
  return folder;
}

const docker = `
while [ $# -gt 0 ]; do
  if [ "$1" = --metadata-file ]; then echo '{"containerimage.digest": "${digest}"}' > "$2"; fi
  if [ "$1" = --password-stdin ]; then read -r line; [ "$line" = 'a token' ] || exit 1; fi
  shift
done`;
const standIns: readonly StandIn[] = [{ name: 'docker', script: docker }, { name: 'cosign' }, { name: 'gh' }];

function runnerFor(checkout: string): Runner {
  const runner = new Runner(checkout, standIns);
  Object.assign(runner.context, {
    'vars.REGISTRY': registry,
    'vars.REGISTRY_USER': 'releaser',
    'secrets.REGISTRY_TOKEN': 'a token',
    'github.token': 'another token',
    'github.repository': 'example/stageguard',
    'needs.checks.outputs.version': version,
    'needs.image.outputs.digest': digest,
  });
  return runner;
}

describe('a release', () => {
  const checkout = released();
  const runner = runnerFor(checkout);
  const done = (name: string, environment: Readonly<Record<string, string>> = {}): string => {
    const { code, stdout, stderr } = runner.run(name, { GITHUB_REF_NAME: tag, ...environment });
    expect({ name, code, stderr: code === 0 ? '' : stderr }).toEqual({ name, code: 0, stderr: '' });
    return stdout;
  };

  test('is of one version, which the tag names', () => {
    const step = 'release, checks: One version everywhere';
    done(step);
    expect(runner.context['steps.version.outputs.version']).toBe(version);
    const refused = (name: string, environment: Readonly<Record<string, string>> = {}): string => {
      const { code, stdout, stderr } = runner.run(step, { GITHUB_REF_NAME: name, ...environment });
      expect(code).toBe(1);
      return stdout + stderr;
    };
    expect(refused('v9.9.9')).toContain(`Chart.yaml, appVersion: ${version}, but the tag is v9.9.9`);
    expect(refused('v9.9.9').trim().split('\n')).toHaveLength(5);
    expect(refused('version-1')).toContain('version-1 is no tag of a version');
    expect(refused(tag, { REGISTRY: '' })).toContain('the variable REGISTRY of the repository is not set');
    // As the repository is now: nothing has been released.
    cpSync('CHANGELOG.md', join(checkout, 'CHANGELOG.md'));
    expect(refused(tag)).toContain(`CHANGELOG.md has no section "## [${version}] - <date>"`);
    cpSync(join(released(), 'CHANGELOG.md'), join(checkout, 'CHANGELOG.md'));
  }, 30_000);

  test('packs the package, its manifest for krew, and what the changelog says', () => {
    done('release, package: Pack');
    const archive = join(checkout, 'release', `stageguard-${version}`);
    const packed = readFileSync(`${archive}.tgz`);
    expect(readFileSync(`${archive}.tar.gz`).equals(packed)).toBe(true);
    const krew = parse(readFileSync(join(checkout, 'release/krew.yaml'), 'utf8')) as {
      readonly spec: { readonly version: string; readonly platforms: readonly [{ readonly sha256: string }] };
    };
    expect(krew.spec.version).toBe(tag);
    expect(krew.spec.platforms[0].sha256).toBe(createHash('sha256').update(packed).digest('hex'));
    const notes = readFileSync(join(checkout, 'release/notes.md'), 'utf8');
    expect(notes).toMatch(/^### Security\n/);
    expect(notes).not.toContain('\n## ');
  }, 90_000);

  test('pushes an image for two platforms, with what it is made of, and signs it by digest', () => {
    done('release, image: Log in');
    done('release, image: Build and push');
    expect(runner.context['steps.image.outputs.digest']).toBe(digest);
    done('release, image: Sign');
    const [login, create, build, sign, ...more] = runner.told();
    expect(login).toBe('docker login --username releaser --password-stdin registry.example.com');
    expect(create).toBe('docker buildx create --use');
    expect(build).toContain('--platform linux/amd64,linux/arm64 --sbom=true --provenance=mode=max ');
    expect(build).toContain(`--build-arg VERSION=${version} --tag ${registry}/stageguard:${version} `);
    expect(sign).toBe(`cosign sign --yes ${registry}/stageguard@${digest}`);
    expect(more).toEqual([]);
  });

  test('names the image in the chart, and signs that by digest, too', () => {
    done('release, chart: Name the image in it');
    const { image } = parse(readFileSync(join(checkout, 'charts/stageguard/values.yaml'), 'utf8')) as { image: object };
    expect(image).toMatchObject({ repository: `${registry}/stageguard`, digest });
    const readme = readFileSync(join(checkout, 'charts/stageguard/README.md'), 'utf8');
    expect(readme).toContain(`| \`image.digest\` | \`"${digest}"\` |`);
    // Once more finds nothing to fill in.
    expect(runner.run('release, chart: Name the image in it').stderr).toContain('has no one empty repository');
    runner.context['steps.chart.outputs.digest'] = digest;
    done('release, chart: Log in');
    done('release, chart: Sign');
    expect(runner.told()).toEqual([
      'docker login --username releaser --password-stdin registry.example.com',
      `cosign sign --yes ${registry}/charts/stageguard@${digest}`,
    ]);
  }, 60_000);

  test('publishes the package, and drafts what people read', () => {
    // The real npm, which tells what it would publish.
    const said = done('release, publish: Publish the package', { npm_config_dry_run: 'true' });
    expect(said).toBe(`+ stageguard@${version}\n`);
    done('release, publish: Draft the release');
    const notes = `--notes-file release/notes.md release/stageguard-${version}.tar.gz release/krew.yaml`;
    expect(runner.told()).toEqual([
      `gh release create ${tag} --draft --verify-tag --title stageguard ${version} ${notes}`,
    ]);
  }, 30_000);
});
