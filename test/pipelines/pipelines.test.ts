import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { clone } from '../support/clone.js';
import { readRepositoryFile } from '../support/examples.js';
import {
  component,
  hooks,
  installHook,
  readAction,
  runAction,
  runHook,
  runJob,
  workspaceWith,
  type ActionRun,
} from './runners.js';

const page = readRepositoryFile('docs/pipelines.md');

describe('action.yml', () => {
  const checkout = clone();
  const act = (workspace: string, given: Readonly<Record<string, string>> = {}): ActionRun =>
    runAction(checkout, workspace, given);

  test('builds the bundle once, tells the lines, uploads SARIF and writes the plan into the summary', () => {
    const workspace = workspaceWith('bad', 'fleet');
    const told = act(workspace, { paths: 'bad/run-placement-free.yaml', fleet: 'fleet' });
    expect({ code: told.code, stderr: told.stderr }).toEqual({ code: 1, stderr: '' });
    expect(existsSync(join(checkout, 'dist/stageguard.js'))).toBe(true);
    expect(told.stdout).toContain('::error file=bad/run-placement-free.yaml,line=8,col=3,');
    expect(told.summary).toContain('[run-placement-free]');
    expect(told.summary).toMatch(/3 {2}production {2}2 /);
    expect(told.outputs).toEqual({ sarif: 'stageguard.sarif', 'exit-code': '1' });
    expect(told.used).toEqual([
      {
        uses: expect.stringMatching(/^github\/codeql-action\/upload-sarif@[0-9a-f]{40}$/),
        with: { sarif_file: 'stageguard.sarif', category: 'stageguard' },
      },
    ]);
    expect(JSON.parse(readFileSync(join(workspace, 'stageguard.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
  }, 90_000);

  test('ends well where all is in order', () => {
    const told = act(workspaceWith('gitops'), { upload: 'false' });
    expect(told).toMatchObject({ code: 0, used: [], outputs: { 'exit-code': '0' } });
  }, 30_000);

  test('takes its settings', () => {
    const workspace = workspaceWith('bad', 'warn', 'fleet');
    const codes = [
      { paths: 'warn\nbad/strategy-stages-disjoint.yaml\n', exclude: 'strategy-*\n' },
      { paths: 'warn\nbad\n', exclude: '*.yaml\n' },
      { paths: 'warn/run-not-started.yaml', fleet: 'fleet' },
      { paths: 'warn/run-not-started.yaml', fleet: 'fleet', 'fail-on': 'warn' },
      { paths: 'bad/strategy-stages-disjoint.yaml', config: 'missing.yaml' },
    ].map((given) => act(workspace, given).code);
    expect(codes).toEqual([1, 2, 0, 1, 2]);
  }, 60_000);

  test('no input is a piece of the script, or an option', () => {
    const workspace = workspaceWith('good');
    const texts = Object.entries(readAction(checkout).inputs).filter(([name]) => name !== 'upload');
    for (const hostile of ['$(touch pwned)', '"; touch pwned; "', "'; touch pwned; '"]) {
      act(workspace, Object.fromEntries(texts.map(([name, { default: usual = '' }]) => [name, `${usual}${hostile}`])));
      act(workspace, { paths: `.\n${hostile}`, exclude: hostile });
      expect(existsSync(join(workspace, 'pwned'))).toBe(false);
    }
    expect(act(workspace, { paths: '--help' })).toMatchObject({
      code: 2,
      stdout: expect.not.stringContaining('Usage'),
    });
  }, 60_000);

  test('every input and output is in docs/pipelines.md', () => {
    const { inputs, outputs } = readAction(checkout);
    const names = [...Object.keys(inputs), ...Object.keys(outputs)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('what npm packs', () => {
  let installed: ReturnType<typeof installHook> = { home: '', packed: '' };
  beforeAll(() => {
    installed = installHook(clone());
  }, 120_000);

  const [hook] = hooks();
  if (hook === undefined) throw new Error('no hook');

  test('the hook is installed as pre-commit does it, and judges all for one file', () => {
    const folder = workspaceWith('bad', 'fleet');
    const told = runHook(hook, installed.home, { folder, files: ['README.md', 'bad/run-finished.yaml'] });
    expect({ code: told?.code, stderr: told?.stderr }).toEqual({ code: 1, stderr: '' });
    expect(told?.stdout).toContain('bad/strategy-stages-disjoint.yaml:14:7: refused');
    expect(hook.language).toBe('node');
  }, 30_000);

  test('the hook lets pass what is in order, and what does not concern it', () => {
    const folder = workspaceWith('gitops');
    expect(runHook(hook, installed.home, { folder, files: ['README.md'] })).toBeUndefined();
    const told = runHook(hook, installed.home, { folder, files: ['gitops/fleet/strategies/rings.yaml'] });
    expect(told).toMatchObject({ code: 0, stderr: '' });
  }, 30_000);

  test('the GitLab component reports what it finds', () => {
    const folder = workspaceWith('bad', 'fleet');
    const given = { package: installed.packed, paths: 'bad', options: '--fleet fleet' };
    const { jobs } = component('templates/stageguard.yml', given);
    const job = jobs['stageguard'];
    if (job === undefined) throw new Error('no job');
    expect(runJob(job, folder).code).toBe(1);
    const { codequality = '', junit = '' } = job.artifacts.reports;
    const issues = JSON.parse(readFileSync(join(folder, codequality), 'utf8')) as { check_name: string }[];
    expect(issues.map(({ check_name }) => check_name)).toContain('run-placement-free');
    expect(readFileSync(join(folder, junit), 'utf8')).toMatch(/^<\?xml/);
  }, 60_000);

  test('the GitLab component lets pass what is in order, and asks for the package', () => {
    const { jobs, spec } = component('templates/stageguard.yml', { package: installed.packed });
    const job = jobs['stageguard'];
    expect(job === undefined ? undefined : runJob(job, workspaceWith('gitops'))).toMatchObject({ code: 0 });
    expect(() => component('templates/stageguard.yml', {})).toThrow('package');
    expect(Object.keys(spec.inputs).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  }, 60_000);
});
