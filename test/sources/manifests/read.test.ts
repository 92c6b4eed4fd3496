import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { diskReader, type FileReader } from '../../../src/sources/manifests/file-reader.js';
import { largestFile } from '../../../src/sources/manifests/files.js';
import { largestYaml } from '../../../src/sources/manifests/yaml.js';
import { decodeManifests, fleetOf } from '../../../src/sources/manifests/objects.js';
import { readManifests, type Manifests } from '../../../src/sources/manifests/read.js';

const root = mkdtempSync(join(tmpdir(), 'stageguard-manifests-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

let folders = 0;

/** Writes files into a fresh folder and gives its path. */
function folder(files: Record<string, string | Buffer>): string {
  const path = join(root, String(++folders));
  mkdirSync(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

const cluster = (name: string, more = ''): string =>
  `apiVersion: cluster.kubernetes-fleet.io/v1beta1\nkind: MemberCluster\nmetadata:\n  name: ${name}\n${more}`;

const names = ({ documents }: Manifests): string[] =>
  decodeManifests(documents, 'fleet').map(({ object }) => object.metadata.name);

const messages = ({ problems }: Manifests, base: string): string[] =>
  problems.map(({ file, line, column, message }) =>
    [file.replace(`${base}/`, ''), ...(line === undefined ? [] : [line, column]), ` ${message}`].join(':'),
  );

const stdin = (text: string) => ({ stdin: () => Promise.resolve(Buffer.from(text)) });

describe('what is read', () => {
  test('a folder is read with all below it, in the order of the paths, and only .yaml, .yml and .json', async () => {
    const path = folder({
      'b.yml': cluster('b'),
      'a/z.yaml': cluster('a-z'),
      'c.json': JSON.stringify({
        apiVersion: 'cluster.kubernetes-fleet.io/v1',
        kind: 'MemberCluster',
        metadata: { name: 'c' },
      }),
      'd.txt': 'not: [a manifest',
      'README.md': '# no',
      '.github/workflow.yaml': 'on: push',
    });
    const read = await readManifests([path]);
    expect(names(read)).toEqual(['a-z', 'b', 'c']);
    expect(read).toMatchObject({ problems: [], files: 3, passedOver: 0 });
  });

  test('a file is read whatever its name, and once however often it is named', async () => {
    const path = folder({ manifest: cluster('a') });
    const read = await readManifests([join(path, 'manifest'), join(path, 'manifest')]);
    expect(names(read)).toEqual(['a']);
    expect(read.files).toBe(1);
  });

  test('a minus sign is standard input', async () => {
    const read = await readManifests(['-'], stdin(cluster('piped')));
    expect(names(read)).toEqual(['piped']);
    expect(read.documents[0]?.file).toBe('<stdin>');
  });

  test('documents, empty ones passed over, and lists within lists are taken apart', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - ${cluster('c').trim().replaceAll('\n', '\n    ')}\n`;
    const read = await readManifests(
      ['-'],
      stdin(`---\n# nothing\n---\n${cluster('a')}---\n${cluster('b')}---\n${list}`),
    );
    expect(names(read)).toEqual(['a', 'b', 'c']);
  });

  test('the items of a typed list have the kind of the list', async () => {
    const text = JSON.stringify({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'StagedUpdateStrategyList',
      items: [{ metadata: { name: 'a', namespace: 'team-a' }, spec: { stages: [] } }],
    });
    const read = await readManifests(['-'], stdin(text));
    expect(read.documents[0]?.kind?.kind).toBe('StagedUpdateStrategy');
  });

  test('kinds of others are counted and have no kind, v1alpha1 of ours is read', async () => {
    const others = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n---\n';
    const read = await readManifests(['-'], stdin(`${others}${cluster('a').replace('v1beta1', 'v1alpha1')}`));
    expect(read.passedOver).toBe(1);
    expect(read.documents.map(({ kind }) => kind?.family)).toEqual([undefined, 'MemberCluster']);
  });

  test('YAML means what kubectl takes it for', async () => {
    const values = 'spec: {a: yes, b: 2024-01-02, c: 12:30, d: 0o17, e: "yes", f: 1e3}';
    const read = await readManifests(['-'], stdin(cluster('a', values)));
    expect(read.documents[0]?.json.spec).toEqual({
      a: true,
      b: '2024-01-02',
      c: '12:30',
      d: 15,
      e: 'yes',
      f: 1000,
    });
  });

  test('anchors, aliases and merge keys are read', async () => {
    const read = await readManifests(['-'], stdin(cluster('a', 'spec: {a: &x {k: v}, b: *x, c: {<<: *x, l: w}}')));
    expect(read.documents[0]?.json.spec).toEqual({ a: { k: 'v' }, b: { k: 'v' }, c: { k: 'v', l: 'w' } });
  });

  test('a kustomization without a kind is passed over', async () => {
    const path = folder({ 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': cluster('a') });
    expect(await readManifests([path])).toMatchObject({ problems: [], files: 2 });
  });

  test('symbolic links are followed, and circles of them come to an end', async () => {
    const path = folder({ 'real/a.yaml': cluster('a') });
    symlinkSync(path, join(path, 'real', 'loop'));
    symlinkSync(join(path, 'real', 'a.yaml'), join(path, 'b.yaml'));
    symlinkSync('self', join(path, 'self'));
    const read = await readManifests([path]);
    expect(names(read)).toEqual(['a', 'a']);
    expect(read.problems).toEqual([]);
  });

  test('a large JSON file is read, without places', async () => {
    const json = JSON.stringify({ apiVersion: 'v1', kind: 'A', padding: 'x'.repeat(largestYaml) });
    const read = await readManifests(['-'], stdin(json));
    expect(read.problems).toEqual([]);
    expect(read.documents[0]?.locate(['padding'])).toEqual({ line: 1, column: 1 });
  });

  test('JSON, one object after the other, as jq prints it and kubectl reads it', async () => {
    const json = (name: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { text: '} "{' } } });
    const pretty = JSON.stringify(JSON.parse(json('c')), undefined, 2);
    const { documents, problems } = await readManifests(['-'], stdin(`${json('a')}\n${json('b')} ${pretty}\n\n`));
    expect(problems).toEqual([]);
    expect(documents.map(({ json: { metadata } }) => (metadata as { name: string }).name)).toEqual(['a', 'b', 'c']);
    expect(documents.map((document) => document.locate(['metadata', 'name']))).toEqual([
      { line: 1, column: json('a').indexOf('"name"') + 1 },
      { line: 2, column: json('b').indexOf('"name"') + 1 },
      { line: 6, column: 5 },
    ]);
  });

  test('a broken object among them is told at its place', async () => {
    const { problems } = await readManifests(
      ['-'],
      stdin('{"apiVersion": "v1", "kind": "List", "items": []}\n{"kind": [}\n'),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 2 });
  });

  test('progress is told before each file', async () => {
    const path = folder({ 'a.yaml': cluster('a'), 'b.yaml': cluster('b') });
    const told: string[] = [];
    await readManifests([path], { onFile: (done, total) => told.push(`${String(done)}/${String(total)}`) });
    expect(told).toEqual(['0/2', '1/2']);
  });
});

describe('what cannot be read is told with its place, and the rest is read', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'.split('').map((name, index) => {
      const before = '*'.concat('abcdefgh'.charAt(index));
      return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join(', ')}]`;
    }),
  ].join('\n');

  const ours = 'apiVersion: placement.kubernetes-fleet.io/v1beta1';
  test.each<[string, string | Buffer, string]>([
    ['a bracket that is not closed', 'kind: [a\nb: c', 'x.yaml:1:7: is not valid YAML: this [ is not closed'],
    ['the inner of two brackets', 'a: {b: [c, d}\ne: f', 'x.yaml:1:8: is not valid YAML: this [ is not closed'],
    ['a bracket too many', 'a: [b]]', 'x.yaml:1:7: is not valid YAML: this bracket closes nothing'],
    [
      'a colon in a text',
      'a: b: c',
      'x.yaml:1:4: is not valid YAML: a field stands inside of a text that has no quotes',
    ],
    [
      'a list on the line of its field',
      'a: - b',
      'x.yaml:1:4: is not valid YAML: a list begins on the line of its field',
    ],
    [
      'a line that belongs to nothing',
      '- a\nb: c',
      'x.yaml:2:1: is not valid YAML: what stands here belongs to nothing',
    ],
    ['a field without a value', 'a: 1\nb\n', 'x.yaml:2:1: is not valid YAML: a field without ": " and a value'],
    ['a sign that begins no text', 'a: @b', 'x.yaml:1:4: is not valid YAML: a text that begins with this character'],
    [
      'a field among others by one space',
      'a:\n  b: 1\n c: 2',
      'x.yaml:3:1: is not valid YAML: this line is indented by',
    ],
    [
      'a kind with a large letter',
      `${ours}\nKind: ClusterStagedUpdateRun`,
      'x.yaml:1:1: "Kind" is not a field of the API; did you mean "kind"?',
    ],
    [
      'an apiVersion in small letters',
      `${ours.toLowerCase()}\nkind: ClusterStagedUpdateRun`,
      'x.yaml:1:1: "apiversion" is not a field',
    ],
    [
      'a tab for an indent',
      'kind: A\nspec:\n\ta: b',
      'x.yaml:3:1: is not valid YAML: this line is indented with a tab',
    ],
    [
      'a document without a kind',
      'apiVersion: v1\nmetadata: {}',
      'x.yaml:1:1: is not a Kubernetes object: it has no kind',
    ],
    ['a document without both', 'a: b', 'x.yaml:1:1: is not a Kubernetes object: it has no apiVersion and no kind'],
    ['a kind that is no string', 'apiVersion: v1\nkind: 5', 'x.yaml:1:1: is not a Kubernetes object: it has no kind'],
    ['a scalar', 'hello', 'x.yaml:1:1: is not a Kubernetes object'],
    [
      'an item of a list that is no object',
      'apiVersion: v1\nkind: List\nitems:\n- 5',
      'x.yaml:4:3: is not a Kubernetes object',
    ],
    [
      'the same key twice, far below',
      cluster('a', 'spec:\n  taints: [{ key: a, key: b }]'),
      'x.yaml:6:22: is not valid YAML: the key "key" stands twice',
    ],
    [
      'the same key twice',
      cluster('a', 'spec: {}\nspec: {}'),
      'x.yaml:6:1: is not valid YAML: the key "spec" stands twice',
    ],
    ['an alias bomb', cluster('a', bomb), 'x.yaml:1:1: is not valid YAML: Excessive alias count'],
    [
      'a long list that is repeated by aliases',
      cluster('a', `spec:\n  a: &a [${'x,'.repeat(30_000)}]\n  b: [${'*a,'.repeat(40)}]`),
      'x.yaml:1:1: holds more than 1000000 values, what its aliases repeat included',
    ],
    [
      'thousands of aliases in a long text',
      cluster('a', `# ${'x'.repeat(200_000)}\nspec:\n  a: &a x\n  b: [${'*a,'.repeat(3_000)}]`),
      'has too many aliases for a text of its size; split it',
    ],
    ['an alias inside of itself', cluster('a', 'spec: &a [*a]'), 'x.yaml:1:1: is nested more than 200 levels deep'],
    ['an alias of nothing', cluster('a', 'spec: *a'), 'x.yaml:1:1: is not valid YAML: Unresolved alias'],
    ['100,000 brackets', '['.repeat(100_000), 'x.yaml:1:'],
    ['100,000 dashes', '- '.repeat(100_000), 'x.yaml:1:'],
    [
      '201 levels',
      cluster('a', `spec: ${'['.repeat(201)}${']'.repeat(201)}`),
      'x.yaml:5:208: is nested more than 200 levels',
    ],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00]), 'x.yaml: is not a text file in UTF-8'],
    ['a zero byte', 'a: \0', 'x.yaml: is not a text file in UTF-8'],
    ['a large YAML file', Buffer.alloc(largestYaml + 1, '#'), 'x.yaml: is larger than 8 MiB of YAML; split it'],
    ['a huge file', Buffer.alloc(largestFile + 1, ' '), 'x.yaml: is larger than 64 MiB'],
  ])('%s', async (_name, content, expected) => {
    const path = folder({ 'x.yaml': content, 'good.yaml': cluster('good') });
    const read = await readManifests([path]);
    expect(messages(read, path)[0]).toContain(expected);
    expect(read.problems).toHaveLength(1);
    expect(names(read)).toEqual(['good']);
  });

  test('more files than anybody has, or than can be read in time', async () => {
    const padding = ' '.repeat(largestFile - 200);
    const path = folder({ 'a.json': '', 'b.json': '', 'c.json': '', 'd.json': '' });
    const json = `{"apiVersion": "cluster.kubernetes-fleet.io/v1", "kind": "MemberCluster", "metadata": {"name": "a"}${padding}}`;
    const reader: FileReader = { ...diskReader, read: () => Promise.resolve(Buffer.from(json)) };
    const read = await readManifests([path], { reader });
    expect(names(read)).toEqual(['a', 'a', 'a']);
    expect(messages(read, path)).toEqual([
      'd.json: is not read, and nothing after it: the files before it are larger than 128 MiB; check a part of them at a time',
    ]);
    let asked = 0;
    const late = await readManifests(
      [folder({ 'a.yaml': cluster('a'), 'b.yaml': cluster('b'), 'c.yaml': cluster('c') })],
      {
        isTimeUp: () => ++asked > 1,
      },
    );
    expect(names(late)).toEqual(['a']);
    expect(late.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^is not read, and nothing after it: .* took too long/),
    ]);
  });

  test('200 levels are fine', async () => {
    const read = await readManifests(['-'], stdin(cluster('a', `spec: ${'['.repeat(199)}${']'.repeat(199)}`)));
    expect(read.problems).toEqual([]);
  });

  test('a document that is not YAML does not hide the next one', async () => {
    const read = await readManifests(['-'], stdin(`a: "b\n---\n${cluster('next')}`));
    expect(read.problems).toHaveLength(1);
  });

  test('a path that does not exist, an empty folder, an empty file and an empty pipe', async () => {
    const path = folder({ 'empty.yaml': '# nothing\n' });
    mkdirSync(join(path, 'empty'));
    const read = await readManifests(
      [...['none', 'empty', 'empty.yaml'].map((name) => join(path, name)), '-'],
      stdin(''),
    );
    expect(messages(read, path)).toEqual([
      'none: does not exist',
      'empty: holds no manifests (.yaml, .yml or .json)',
      'empty.yaml: is empty: it holds no object',
      '<stdin>: is empty: it holds no object',
    ]);
  });

  test.each<[string, string]>([
    ['EACCES', 'cannot be read: permission denied'],
    ['EIO', 'cannot be read: EIO of the test'],
  ])('a file that answers %s', async (code, expected) => {
    const path = folder({ 'x.yaml': cluster('x'), 'z.yaml': cluster('z') });
    const reader: FileReader = {
      ...diskReader,
      read: (file, limit) =>
        file.endsWith('x.yaml')
          ? Promise.reject(Object.assign(new Error(`${code} of the test`), { code }))
          : diskReader.read(file, limit),
    };
    const read = await readManifests([path], { reader });
    expect(messages(read, path)).toEqual([`x.yaml: ${expected}`]);
    expect(names(read)).toEqual(['z']);
  });

  test('a manifest that is a dangling or a circular link', async () => {
    const path = folder({ 'good.yaml': cluster('good') });
    symlinkSync('self.yaml', join(path, 'self.yaml'));
    symlinkSync('nowhere', join(path, 'gone.yaml'));
    expect(messages(await readManifests([path]), path)).toEqual([
      'gone.yaml: does not exist',
      'self.yaml: cannot be read: its symbolic links go in a circle',
    ]);
  });
});

describe('what is named is a link', () => {
  const elsewhere = folder({ 'secret.yaml': cluster('secret') });
  const repository = folder({ 'deploy/good.yaml': cluster('good') });
  mkdirSync(join(repository, '.git'));
  symlinkSync(elsewhere, join(repository, 'out'));
  symlinkSync(join(elsewhere, 'secret.yaml'), join(repository, 'out.yaml'));
  symlinkSync('deploy', join(repository, 'in'));
  symlinkSync(repository, join(elsewhere, 'repository'));
  const reader: FileReader = { ...diskReader, here: () => repository };

  test.each(['out', 'out.yaml', 'out/secret.yaml'])('out of the repository that we are in: %s', async (path) => {
    const read = await readManifests([join(repository, path)], { reader });
    expect(read.documents).toEqual([]);
    expect(messages(read, repository)).toEqual([
      `${path}: is not followed: a link leads out of the repository; give its target instead`,
    ]);
  });

  test('within it, and what is named outside of it, are read', async () => {
    expect(names(await readManifests([join(repository, 'in')], { reader }))).toEqual(['good']);
    expect(names(await readManifests([join(elsewhere, 'secret.yaml')], { reader }))).toEqual(['secret']);
    expect(names(await readManifests([join(elsewhere, 'repository/deploy')], { reader }))).toEqual(['good']);
  });

  test('out of a folder that is no repository is followed', async () => {
    const nowhere: FileReader = { ...reader, here: () => elsewhere };
    expect(names(await readManifests([join(repository, 'out')], { reader: nowhere }))).toEqual(['secret']);
  });
});

describe('what stands outside of the folder that was given', () => {
  const outside = folder({ 'secret.yaml': cluster('secret'), 'below/deep.yaml': cluster('deep') });
  const leadsOut = 'is not followed: this link leads out of the folder that was given; give its target as well';

  test('is not read through a link, to a folder, to a file or to the root of the machine', async () => {
    const path = folder({ 'good.yaml': cluster('good') });
    symlinkSync('/', join(path, 'x'));
    symlinkSync(outside, join(path, 'y'));
    symlinkSync(join(outside, 'secret.yaml'), join(path, 'z.yaml'));
    const read = await readManifests([path]);
    expect(names(read)).toEqual(['good']);
    expect(messages(read, path)).toEqual([`x: ${leadsOut}`, `y: ${leadsOut}`, `z.yaml: ${leadsOut}`]);
  });

  test('is not taken for inside because its name begins alike', async () => {
    const path = folder({ 'a/good.yaml': cluster('good'), 'ab/other.yaml': cluster('other') });
    symlinkSync(join(path, 'ab'), join(path, 'a', 'x'));
    expect(names(await readManifests([join(path, 'a')]))).toEqual(['good']);
  });

  test('is read where the link itself is what was given', async () => {
    const path = folder({});
    symlinkSync(outside, join(path, 'named'));
    symlinkSync(join(outside, 'secret.yaml'), join(path, 'named.yaml'));
    expect(names(await readManifests([join(path, 'named')]))).toEqual(['deep', 'secret']);
    expect(names(await readManifests([join(path, 'named.yaml')]))).toEqual(['secret']);
  });

  test('nor is what is neither a file nor a folder ever opened', async () => {
    const path = folder({ 'good.yaml': cluster('good') });
    execFileSync('mkfifo', [join(path, 'pipe'), join(path, 'pipe.yaml')]);
    const neither = 'is neither a file nor a folder; what comes through a pipe is given as -';
    expect(messages(await readManifests([join(path, 'pipe')]), path)).toEqual([`pipe: ${neither}`]);
    expect(messages(await readManifests([path]), path)).toEqual([`pipe.yaml: ${neither}`]);
    expect(messages(await readManifests(['/dev/zero']), path)).toEqual([`/dev/zero: ${neither}`]);
  });
});

test('a list of nothing says that there is nothing', async () => {
  const empty = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] });
  for (const text of [
    empty,
    'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRunList\nitems: []',
  ]) {
    expect(await readManifests(['-'], stdin(text))).toMatchObject({ documents: [], problems: [], files: 1 });
  }
});

describe('places', () => {
  const text = [
    'apiVersion: placement.kubernetes-fleet.io/v1beta1',
    'kind: ClusterStagedUpdateStrategy',
    'metadata:',
    '  name: three',
    'spec:',
    '  stages:',
    '    - name: a',
    '      afterStageTasks:',
    '        - type: TimedWait',
    '    - name: b',
  ].join('\n');

  test.each<[string, (string | number)[], number, number]>([
    ['the whole object', [], 1, 1],
    ['a field, at its key', ['spec', 'stages'], 6, 3],
    ['an item, where it begins', ['spec', 'stages', 1], 10, 7],
    ['a field of an item', ['spec', 'stages', 0, 'afterStageTasks', 0, 'type'], 9, 11],
    ['an absent field, at what is around it', ['spec', 'stages', 0, 'labelSelector', 'matchLabels'], 7, 7],
    ['an absent item', ['spec', 'stages', 5, 'name'], 6, 3],
    ['a step that does not fit', ['spec', 'stages', 'name'], 6, 3],
  ])('%s', async (_name, path, line, column) => {
    const { documents } = await readManifests(['-'], stdin(`# first\n---\n${text}`));
    expect(documents[0]?.locate(path)).toEqual({ line: line + 2, column });
  });

  test('of an object in a JSON list', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'a/v1', kind: 'B', spec: { c: 1 } }] };
    const { documents } = await readManifests(['-'], stdin(JSON.stringify(list, null, '\t')));
    expect(documents[0]?.locate(['spec', 'c'])).toEqual({ line: 9, column: 5 });
  });

  test('through an alias', async () => {
    const { documents } = await readManifests(['-'], stdin('apiVersion: v1\nkind: A\na: &a\n  b: 1\nc: *a'));
    expect(documents[0]?.locate(['c', 'b'])).toEqual({ line: 4, column: 3 });
  });
});

describe('the model', () => {
  const run = (more: string): string =>
    `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: StagedUpdateRun\n${more}`;
  const decoded = async (text: string) =>
    decodeManifests((await readManifests(['-'], stdin(text))).documents, 'manifests');
  const spec = 'spec: {placementName: p, stagedRolloutStrategyName: s}';

  test('an object without a namespace is in "default", and its JSON stays as it was written', async () => {
    const [first] = await decoded(run(`metadata: {name: a}\n${spec}`));
    expect(first?.object.metadata.namespace).toBe('default');
    expect(first?.document.json.metadata).toEqual({ name: 'a' });
    expect(first?.problems).toEqual([]);
  });

  test('objects whose names will be generated get names of that length, no two alike', async () => {
    const one = run(`metadata: {generateName: a-}\n${spec}`);
    const all = await decoded(`${one}\n---\n${one}`);
    expect(all.map(({ object }) => object.metadata.name)).toEqual(['a-?????', 'a-????2']);
  });

  test.each<[string, string, string[]]>([
    ['a spec that is a number', 'metadata: {name: a}\nspec: 5', ['4 spec: expected an object, found 5']],
    [
      'a wrong type inside',
      `metadata: {name: a, labels: {a: 1}}\n${spec}`,
      ['3 metadata.labels.a: expected a string, found 1'],
    ],
    ['no name', `metadata: {}\n${spec}`, ['3 metadata.name: expected a string, found nothing']],
    ['no metadata', spec, ['1 metadata.name: expected a string, found nothing']],
    ['metadata that is a list', `metadata: []\n${spec}`, ['3 metadata: expected an object, found a list']],
  ])('a wrong shape is told with its place: %s', async (_name, text, expected) => {
    const [first] = await decoded(run(text));
    expect(first?.problems.map(({ line, message }) => `${String(line)} ${message}`)).toEqual(expected);
  });

  test('a fleet holds what was read, problems included, and is complete only if told so', async () => {
    const { documents } = await readManifests(['-'], stdin(`${cluster('a')}---\n${cluster('b', '  labels: [x]\n')}`));
    const { fleet, problems } = fleetOf(documents, 'complete');
    expect(problems.map(({ message }) => message)).toEqual(['metadata.labels: expected an object, found a list']);
    expect(fleet.list('MemberCluster', {}).items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(fleet.get('MemberCluster', { name: 'c' })).toEqual({ is: 'absent' });
    expect(fleetOf(documents, 'partial').fleet.get('MemberCluster', { name: 'c' })).toEqual({ is: 'unknown' });
  });
});
