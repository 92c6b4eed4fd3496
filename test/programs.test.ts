import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const readConfig =
  "const { default: config } = await import('./jest.config.mjs'); console.log(config.projects.map((it) => it.displayName).join())";

/** Stands in for Go: what it builds are files that hold the version they were built from. */
const fakeGo = `#!/usr/bin/env bash
if [[ $1 == version ]]; then exec cat "$3"; fi
while [[ $# -gt 0 ]]; do
  case $1 in
    -C) folder=$2 ;;
    -o) program=$2 ;;
  esac
  last=$1
  shift
done
echo "$last" >>"$(dirname "$0")/built"
awk '$2 ~ /^v/ { print "mod", $1, $2 }' "$folder/go.mod" >"$program"
chmod +x "$program"
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stageguard-programs-'));
  mkdirSync(join(folder, 'bin'));
  // Nothing else is there, so that no Go of this machine is.
  for (const name of ['bash', 'awk', 'cat', 'chmod', 'dirname', 'mkdir', 'mv', 'nice', 'rm']) {
    const { stdout } = spawnSync('bash', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(folder, 'bin', name));
  }
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function installGo(): void {
  writeExecutable(join(folder, 'bin', 'go'), fakeGo);
}

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const built = (): readonly string[] =>
  readFileSync(join(folder, 'bin', 'built'), 'utf8')
    .trim()
    .split('\n');

interface Configured {
  readonly code: number | null;
  /** The last line: the suites that would run. */
  readonly suites: string | undefined;
  readonly stderr: string;
}

function configure(env: Readonly<Record<string, string>> = {}): Configured {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', readConfig], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: join(folder, 'bin'), HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), ...env },
  });
  return { code: status, suites: stdout.trim().split('\n').at(-1), stderr };
}

const skipped = 'The end-to-end suite is skipped: no API server is here. `npm run test:e2e` builds one, once.\n';

describe('without the programs of the end-to-end suite', () => {
  test('npm test says in one line that it is skipped, and builds nothing even where it could', () => {
    installGo();
    expect(configure()).toEqual({ code: 0, suites: 'unit', stderr: skipped });
  });

  test.each([{ CI: 'true' }, { STAGEGUARD_E2E: 'build' }])('%j fails where they cannot be built', (env) => {
    const { code, stderr } = configure(env);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Go is needed to build etcd kube-apiserver');
    expect(stderr).toContain('the end-to-end suite has no API server to run against');
  });

  test.each([{ CI: 'true' }, { STAGEGUARD_E2E: 'build' }])('%j builds them, once', (env) => {
    installGo();
    expect(configure(env)).toMatchObject({ code: 0, suites: 'unit,e2e' });
    expect(built()).toHaveLength(7);
    expect(configure(env)).toMatchObject({ code: 0, suites: 'unit,e2e', stderr: '' });
    expect(built()).toHaveLength(7);
    expect(configure()).toEqual({ code: 0, suites: 'unit,e2e', stderr: '' });
  });
});

test('what is brought along is not built', () => {
  installGo();
  const own = join(folder, 'own');
  mkdirSync(own);
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) writeExecutable(join(own, name), '');
  const env = { KUBEBUILDER_ASSETS: own };
  expect(configure(env)).toEqual({ code: 0, suites: 'unit', stderr: skipped });
  expect(configure({ ...env, CI: 'true' })).toMatchObject({ code: 0, suites: 'unit,e2e' });
  expect(built()).toEqual([
    'k8s.io/kubernetes/cmd/kube-controller-manager',
    'helm.sh/helm/v3/cmd/helm',
    'github.com/prometheus/prometheus/cmd/promtool',
    'github.com/rhysd/actionlint/cmd/actionlint',
  ]);
});

test('a program of another version than ours is as good as none, and only that one is built again', () => {
  installGo();
  configure({ CI: 'true' });
  const [cache] = spawnSync('tools/kube/build.sh', ['--print-dir'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') },
  }).stdout.split('\n');
  writeFileSync(join(cache ?? '', 'helm'), 'mod helm.sh/helm/v3 v3.0.0');
  expect(configure()).toEqual({ code: 0, suites: 'unit', stderr: skipped });
  expect(configure({ CI: 'true' })).toMatchObject({ code: 0, suites: 'unit,e2e' });
  expect(built().slice(7)).toEqual(['helm.sh/helm/v3/cmd/helm']);
});

test('the end-to-end suite can be left out', () => {
  expect(configure({ STAGEGUARD_E2E: 'off', CI: 'true' })).toEqual({ code: 0, suites: 'unit', stderr: '' });
});
