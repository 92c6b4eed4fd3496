import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildStage, lastOf, readStages, shell, type Stage } from './dockerfile.js';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'stageguard-image-'));
const stages = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'), scratch);
const final = stages.at(-1) as Stage;

interface Named {
  readonly version: string;
  readonly license: string;
  readonly description: string;
}

/** Node as its image has it, with empty files for the libraries that belong to that image alone. */
function layNode(folder: string): void {
  const files = ['lib/ld-musl-x86_64.so.1', 'usr/lib/libstdc++.so.6', 'usr/lib/libgcc_s.so.1'];
  for (const path of ['lib', 'usr/lib', 'usr/local/bin']) mkdirSync(join(folder, path), { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), '');
  symlinkSync(process.execPath, join(folder, 'usr/local/bin/node'));
}

/** The packages are here already, from the same lockfile; a test needs no network. */
function run(command: string, folder: string): void {
  if (command.startsWith('npm ci')) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else shell(command, folder);
}

beforeAll(() => {
  for (const stage of stages) {
    if (stage.base !== 'scratch') layNode(stage.root);
    buildStage(stage, { context: root, stages, run });
  }
}, 60_000);
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

test('the final stage holds node, the program, its bill of materials and its licence, and no more', () => {
  expect(final.base).toBe('scratch');
  expect(readdirSync(join(final.root, 'app')).sort()).toEqual([
    'LICENSE',
    'parts',
    'sbom.cdx.json',
    'stageguard.js',
  ]);
  expect(readdirSync(final.root).sort()).toEqual(['app', 'lib', 'usr']);
});

test('the bill of materials names what is bundled and nothing that only builds or tests', () => {
  const { bomFormat, components } = JSON.parse(readFileSync(join(final.root, 'app/sbom.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string }[];
  };
  const names = components.map(({ name }) => name);
  expect(bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['express', 'pino', 'undici']));
  expect(names.filter((name) => /^(?:jest|esbuild|typescript|eslint)$/.test(name))).toEqual([]);
});

test('its labels say what it is, and of which version', () => {
  const label = lastOf(final, 'LABEL');
  const { version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Named;
  expect(lastOf(final, 'ARG')).toBe(`VERSION=${version}`);
  const found = label.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g);
  const labels = new Map([...found].map(([, key = '', value = '']) => [key, value]));
  expect(['title', 'licenses', 'version'].map((key) => labels.get(key))).toEqual(['stageguard', license, '${VERSION}']);
  expect(description).toContain(labels.get('description'));
  const chart = readFileSync(join(root, 'charts/stageguard/Chart.yaml'), 'utf8');
  expect(chart).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
});

test('it is the same for every platform: what is compiled is copied from the image of that platform', () => {
  // Nothing is run on the platform of the image, which the machine that builds may only be able to emulate.
  const ran = stages.filter(({ instructions }) => instructions.some(({ word }) => word === 'RUN'));
  expect(ran.map(({ name }) => name)).toEqual(['build']);
  const froms = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (.*)$/gm)].map(([, rest]) => rest);
  expect(froms).toEqual(['--platform=$BUILDPLATFORM ${NODE} AS build', '${NODE} AS node', 'scratch']);
  const copied = final.instructions.filter(({ word, rest }) => word === 'COPY' && rest.startsWith('--from=node'));
  // No name of a library names a platform.
  expect(copied.map(({ rest }) => rest).filter((rest) => /x86|amd64|aarch64|arm64/.test(rest))).toEqual([]);
});

test('its base image is named by version and pinned by digest', () => {
  const base = /^ARG NODE=(.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1];
  expect(base).toMatch(/^node:24\.\d+\.\d+-alpine@sha256:[0-9a-f]{64}$/);
});

test('it runs as nobody, on the ports of the chart', () => {
  expect(lastOf(final, 'USER')).toBe('65532:65532');
  expect(lastOf(final, 'EXPOSE')).toBe('8443 8444');
});

test('what is copied from the folder is not held back by .dockerignore', () => {
  const allowed = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = stages
    .flatMap(({ instructions }) => instructions)
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  expect(copied.sort()).toEqual(allowed.sort());
});

test('its entry point starts a guard', async () => {
  const [node = '', program = ''] = JSON.parse(lastOf(final, 'ENTRYPOINT')) as string[];
  const ports = ['--port', '0', '--metrics-port', '0'];
  const args = [join(final.root, program), 'serve', '--fleet', join(root, 'examples/fleet'), ...ports];
  const child = spawn(join(final.root, node), args, { cwd: join(final.root, lastOf(final, 'WORKDIR')), env: {} });
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => {
      resolve(chunk.toString());
    });
    child.once('exit', (code) => {
      reject(new Error(`it ended with ${String(code)}`));
    });
  });
  child.removeAllListeners('exit');
  child.kill();
  expect(said).toMatch(/^stageguard listens on https:\/\/127\.0\.0\.1:\d+\n$/);
}, 30_000);
