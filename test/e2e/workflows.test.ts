import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Runner, workflowFiles } from '../pipelines/workflows.js';
import { scratchFolder } from '../support/scratch.js';
import { programs } from './harness/hub.js';
import { objectsOf } from './install/rendered.js';

const lint = (file: string) => {
  const { status, stdout, stderr } = spawnSync(programs.actionlint, ['-no-color', file], { encoding: 'utf8' });
  return { status, said: stdout + stderr };
};

test.each(workflowFiles())('actionlint finds nothing in %s', (file) => {
  expect(lint(file)).toEqual({ status: 0, said: '' });
});

test('actionlint would find an output that no job has', () => {
  const [, release = ''] = workflowFiles();
  const file = join(scratchFolder(), 'release.yml');
  writeFileSync(file, readFileSync(release, 'utf8').replace('needs.image.outputs.digest', 'needs.image.outputs.hash'));
  expect(lint(file)).toEqual({ status: 1, said: expect.stringContaining('property "hash" is not defined') });
});

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const digest = `sha256:${'1'.repeat(64)}`;
const registry = 'registry.example.com/platform';
/** The one thing that is not as at home: a registry to push to. */
const helm = `
if [ "$1" = push ]; then
  printf 'Pushed: %s/charts/stageguard:${version}\\nDigest: ${digest}\\n' '${registry}' >&2
  exit
fi
exec '${programs.helm}' "$@"`;

test('a release packs the chart with the image that it names, and pushes it', () => {
  const checkout = scratchFolder();
  for (const part of ['charts', 'tools']) cpSync(part, join(checkout, part), { recursive: true });
  const runner = new Runner(checkout, [{ name: 'helm', script: helm }, { name: 'npm' }]);
  Object.assign(runner.context, {
    'vars.REGISTRY': registry,
    'needs.checks.outputs.version': version,
    'needs.image.outputs.digest': digest,
  });
  const done = (name: string): void => {
    const { code, stderr } = runner.run(`release, chart: ${name}`);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  };
  done('Name the image in it');
  done('Package and push');
  expect(runner.told()).toEqual([
    'npm run docs',
    'helm package charts/stageguard --destination release',
    `helm push release/stageguard-${version}.tgz oci://${registry}/charts`,
  ]);
  expect(runner.context['steps.chart.outputs.digest']).toBe(digest);

  // Whoever installs that chart has to name nothing.
  const args = ['template', `release/stageguard-${version}.tgz`, '--namespace', 'fleet-stageguard'];
  const named = ['--name-template', 'stageguard'];
  const { status, stdout } = spawnSync(programs.helm, [...args, ...named], { cwd: checkout, encoding: 'utf8' });
  expect(status).toBe(0);
  const [deployment] = objectsOf(stdout).filter(({ kind }) => kind === 'Deployment');
  expect(JSON.stringify(deployment)).toContain(`"image":"${registry}/stageguard@${digest}"`);
});
