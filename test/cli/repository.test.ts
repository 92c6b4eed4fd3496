import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

const strategy = (name: string, stages = '[]'): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateStrategy\nmetadata:\n  name: ${name}\nspec:\n  stages: ${stages}\n`;
const sound = strategy('sound', '[{name: all, labelSelector: {}}]');

function repository(files: Readonly<Record<string, string>>): string {
  const root = scratchFolder();
  mkdirSync(join(root, '.git'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

interface Told {
  readonly code: number;
  readonly names: readonly string[];
  readonly errors: readonly unknown[];
  readonly filesPassedOver: Readonly<Record<string, number>>;
}

async function judged(root: string, ...argv: string[]): Promise<Told> {
  const { code, out } = await run(['check', root, '--format', 'json', ...argv]);
  const { findings, errors, filesPassedOver } = JSON.parse(out) as Told & { findings: { name: string }[] };
  return { code, names: [...new Set(findings.map(({ name }) => name))].sort(), errors, filesPassedOver };
}

const inOrder = { code: 0, names: [], errors: [] };

describe('at the root of a repository', () => {
  test('what is not ours is passed over in silence, and counted', async () => {
    const root = repository({
      'package.json': '{"name": "x"}',
      'config.yaml': 'a: 1\n---\nb: 2',
      'broken.yaml': 'a: [\n{{ .Values.x }}',
      'binary.json': '\0\0\u00ff',
      'node_modules/p/s.yaml': strategy('dependency'),
      'chart/Chart.yaml': 'apiVersion: v2\nname: chart\ndescription: for placement.kubernetes-fleet.io',
      'chart/templates/s.yaml': `{{- if .Values.on }}\n${strategy('template')}{{- end }}`,
      'deploy/s.yaml': sound,
    });
    expect(await judged(root)).toEqual({
      ...inOrder,
      filesPassedOver: { withoutObjects: 5, templates: 1, packages: 1 },
    });
    const { out } = await run(['check', root]);
    expect(out).toBe(
      '1 file, 1 object: no problems found\npassed over: 5 files without objects of KubeFleet, the Helm templates of 1 chart, 1 node_modules\n',
    );
  });

  test('what may be ours is told where it cannot be read', async () => {
    const root = repository({ 'a.yaml': `${strategy('a')}  x: [` });
    expect(await judged(root)).toMatchObject({ code: 2, filesPassedOver: {} });
    const utf16 = repository({ 'deploy/s.yaml': sound });
    writeFileSync(join(utf16, 'b.yaml'), Buffer.from(`\ufeff${strategy('b')}`, 'utf16le'));
    expect((await judged(utf16)).errors).toMatchObject([{ message: 'is not a text file in UTF-8' }]);
  });

  test('an object whose words are escaped is judged', async () => {
    const hidden = strategy('hidden')
      .replace('kubernetes-fleet', 'k\\x75bernetes-fl\\u0065et')
      .replace(/: (placement.*)/, ': "$1"')
      .replace('ClusterStaged', '"ClusterSt\\x61ged')
      .replace('Strategy\n', 'Strategy"\n');
    expect(hidden).not.toMatch(/kubernetes-fleet|StagedUpdate/);
    expect((await judged(repository({ 'a.yaml': hidden }))).names).toEqual(['hidden']);
  });

  test('a file that is named is judged whatever it is', async () => {
    const root = repository({ '.gitignore': 'config.yaml', 'config.yaml': 'a: 1' });
    const { code, out } = await run(['check', join(root, 'config.yaml')]);
    expect(code).toBe(2);
    expect(out).toContain('is not a Kubernetes object');
  });
});

describe('what kustomize applies as a patch', () => {
  const part = (kind: string): string =>
    `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ${kind}\nmetadata: {name: release}\nspec: {state: Initialize}\n`;
  const patches = {
    'prod/kustomization.yaml': [
      'resources: [../base, whole.yaml]',
      'patches:',
      '- path: run.yaml',
      '- path: ./below/ops.yaml',
      '- patch: |-',
      `    ${part('ClusterStagedUpdateRun').replaceAll('\n', '\n    ')}`,
      '- path: whole.yaml',
      'patchesStrategicMerge: [merge.yaml]',
      'patchesJson6902: [{path: json.yaml, target: {kind: ClusterStagedUpdateRun}}]',
    ].join('\n'),
    'prod/run.yaml': part('ClusterStagedUpdateRun'),
    'prod/merge.yaml': part('ClusterStagedUpdateRun'),
    'prod/below/ops.yaml': '- {op: replace, path: /spec/placementName, value: ClusterStagedUpdateRun}',
    'prod/json.yaml': '- {op: replace, path: /spec/placementName, value: ClusterStagedUpdateRun}',
    'prod/whole.yaml': strategy('whole'),
  };

  test('is a part of an object, and passed over; what is a resource as well is judged', async () => {
    const { names, errors, filesPassedOver } = await judged(repository(patches));
    expect({ names, errors, filesPassedOver }).toEqual({
      names: ['whole'],
      errors: [],
      filesPassedOver: { patches: 4, withoutObjects: 1 },
    });
  });

  test('is judged where it is named itself, or where nothing says that it is a patch', async () => {
    const root = repository(patches);
    expect((await judged(join(root, 'prod/run.yaml'))).errors).toHaveLength(2);
    const alone = { ...patches, 'prod/kustomization.yaml': 'resources: [run.yaml]' };
    expect((await judged(repository(alone))).errors).toHaveLength(4);
  });

  test('is judged where the kustomization cannot be read', async () => {
    const root = repository({ ...patches, 'prod/kustomization.yaml': 'patches: [{path: run.yaml}' });
    expect((await judged(root)).errors).not.toEqual([]);
  });
});

describe('.gitignore', () => {
  const files = {
    '.gitignore': 'out/\n*.local.yaml\n',
    'out/s.yaml': strategy('built'),
    'apps/.gitignore': '!keep.local.yaml\n',
    'apps/keep.local.yaml': strategy('kept'),
    'apps/drop.local.yaml': strategy('dropped'),
  };

  test('leaves out what Git leaves out, and says how much', async () => {
    const root = repository(files);
    execFileSync('git', ['-c', 'init.defaultBranch=main', 'init', '-q', root]);
    expect(await judged(root)).toMatchObject({ names: ['kept'], filesPassedOver: { ignored: 2 } });
    // From the root of the repository on, wherever one begins.
    expect((await judged(join(root, 'apps'))).names).toEqual(['kept']);
  });

  test('leaves out nothing where nobody asks it, and not what is named', async () => {
    const root = repository(files);
    expect((await judged(root, '--no-gitignore')).names).toEqual(['built', 'dropped', 'kept']);
    expect((await judged(join(root, 'out'))).names).toEqual(['built']);
  });

  test('takes no fleet apart: what describes a hub is read as a whole', async () => {
    const root = repository({ '.gitignore': 'hub/', 'hub/s.yaml': sound });
    const { out } = await run(['audit', '--fleet', root]);
    expect(out).toContain('1 object judged');
  });

  test('is not followed where it is a link', async () => {
    const root = repository({ 's.yaml': strategy('a') });
    const outside = repository({ patterns: '*' });
    symlinkSync(join(outside, 'patterns'), join(root, '.gitignore'));
    expect((await judged(root)).names).toEqual(['a']);
  });
});

test('--exclude leaves out what matches, as often as it is given', async () => {
  const root = repository({
    'a/s.yaml': strategy('a'),
    'b/s.yaml': strategy('b'),
    'b/x.yaml': strategy('x'),
    'c/s.yaml': strategy('c'),
  });
  const told = await judged(root, '--exclude', 'a/', '--exclude', '/b/s.*');
  expect(told).toMatchObject({ names: ['c', 'x'], filesPassedOver: { excluded: 2 } });
});

test('a link never leads out of the folder that was named', async () => {
  const outside = repository({ 's.yaml': strategy('outside'), 'deep/s.yaml': strategy('deep') });
  const root = repository({ 'deploy/s.yaml': sound });
  symlinkSync(join(outside, 's.yaml'), join(root, 'deploy', 'link.yaml'));
  symlinkSync(join(outside, 'deep'), join(root, 'deploy', 'folder'));
  const { names, errors } = await judged(root);
  expect(names).toEqual([]);
  expect(JSON.stringify(errors)).toContain('leads out of the folder');
});

test('this repository, from its root, has no error but those that are meant', async () => {
  const { errors } = await judged('.', '--exclude', 'test/');
  expect(errors).toEqual([]);
}, 60_000);

test('a quote that nobody closes is told where it opens', async () => {
  const input = sound.replace('name: sound', 'name: "sound');
  const { out } = await run(['check', '-'], { input });
  expect(out).toContain('<stdin>:4:9: error: is not valid YAML: this quote is not closed');
});

test('a name that the fleet nearly knows is suggested', async () => {
  const input = `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateRun\nmetadata:\n  name: r\nspec:\n  placementName: storefornt\n  stagedRolloutStrategyName: ringz\n  state: Run\n`;
  const { out } = await run(['check', '-', '--fleet', 'examples/fleet'], { input });
  expect(out).toContain('"storefornt" does not exist; did you mean "storefront"?');
  expect(out).toContain('"ringz" does not exist; did you mean "rings"?');
});
