import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';
import { strategyText as strategy } from '../support/strategy-text.js';

interface Told {
  readonly rule?: string;
  readonly severity?: string;
  readonly path?: string;
  readonly message: string;
  readonly fix?: string;
  readonly line: number;
  readonly column: number;
}

interface Checked {
  readonly code: number;
  readonly findings: readonly Told[];
  readonly errors: readonly Told[];
}

async function check(input: string, ...more: string[]): Promise<Checked> {
  const { code, out } = await run(['check', '-', '--format', 'json', ...more], { input });
  return { code, ...(JSON.parse(out) as Omit<Checked, 'code'>) };
}

const group = 'placement.kubernetes-fleet.io';
const runOf = (name: string, more = ''): string =>
  `apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: shop, stagedRolloutStrategyName: rings${more}}
`;
const sound = strategy('');

describe('what the API server would refuse or drop is refused, at its place and with a fix', () => {
  const longName = 'a'.repeat(90);
  test.each<[string, string, Partial<Told>]>([
    [
      'an approval before a stage that is not spelled right',
      strategy('      beforeStageTask: [{type: Approval}]'),
      {
        path: 'spec.stages[0].beforeStageTask',
        fix: 'Write beforeStageTasks for beforeStageTask.',
        line: 8,
        column: 7,
      },
    ],
    [
      'a wait after a stage that is not spelled right',
      strategy('      afterStageTask: [{type: TimedWait, waitTime: 24h}]'),
      { path: 'spec.stages[0].afterStageTask', fix: 'Write afterStageTasks for afterStageTask.', line: 8, column: 7 },
    ],
    [
      'a maxConcurrency that is not spelled right',
      strategy('      maxConcurency: 1'),
      { path: 'spec.stages[0].maxConcurency', fix: 'Write maxConcurrency for maxConcurency.', line: 8, column: 7 },
    ],
    [
      'a selector that would mean every cluster',
      sound.replace('matchLabels', 'matchLabel'),
      {
        path: 'spec.stages[0].labelSelector.matchLabel',
        fix: 'Write matchLabels for matchLabel.',
        line: 7,
        column: 23,
      },
    ],
    [
      'a stage name with a dash',
      sound.replace('name: canary', 'name: us-east'),
      { rule: 'manifest-invalid-value', path: 'spec.stages[0].name', fix: 'Write "useast".', line: 6, column: 7 },
    ],
    [
      'a stage name with capitals',
      sound.replace('name: canary', 'name: Prod_Stage'),
      { rule: 'manifest-invalid-value', path: 'spec.stages[0].name', fix: 'Write "prodstage".' },
    ],
    [
      'a stage name of 90 characters',
      sound.replace('name: canary', `name: ${longName}`),
      { rule: 'manifest-invalid-value', path: 'spec.stages[0].name', fix: 'Shorten it to 63.' },
    ],
    [
      'a name that is none',
      runOf('Storefront_V15'),
      { rule: 'manifest-invalid-name', path: 'metadata.name', fix: 'Write name: storefront-v15' },
    ],
    ['a run name that fits in no label', runOf(longName), { rule: 'run-api-version', path: 'metadata.name' }],
    [
      'a namespace where there is none',
      runOf('release, namespace: team-a'),
      { rule: 'manifest-scope', path: 'metadata.namespace', line: 3, column: 27 },
    ],
    [
      'a state that there is not',
      runOf('release', ', state: Runn'),
      { rule: 'manifest-invalid-value', path: 'spec.state', fix: 'Write state: Run' },
    ],
    [
      'an index that a template has left out',
      runOf('release', ', resourceSnapshotIndex: '),
      {
        rule: 'manifest-empty-field',
        path: 'spec.resourceSnapshotIndex',
        fix: 'Remove resourceSnapshotIndex, or write what it is to hold.',
      },
    ],
    [
      'a time of creation that is none',
      runOf('release, creationTimestamp: yesterday'),
      { rule: 'manifest-invalid-value', path: 'metadata.creationTimestamp' },
    ],
    [
      'an unknown field of metadata',
      runOf('release, lables: {a: b}'),
      { rule: 'manifest-unknown-field', path: 'metadata.lables', fix: 'Write labels for lables.' },
    ],
    [
      'a field of a status that is not spelled right, though the status itself is dropped',
      `${runOf('a')}status: {stagesStatus: [{name: canary}]}\n`,
      { path: 'status.stagesStatus[0].name', fix: 'Write stageName for name.', line: 5, column: 26 },
    ],
    [
      'a number that is more than the API can read',
      runOf('a').replace('{name: a}', '{name: a, generation: 1.0e+300}'),
      { path: 'metadata.generation', line: 3 },
    ],
    [
      'a kind inside of a snapshot that can be none',
      `apiVersion: ${group}/v1beta1
kind: ClusterResourceSnapshot
metadata: {name: shop-0-snapshot}
spec: {selectedResources: [{apiVersion: v1, kind: "it's"}]}
`,
      { path: 'spec.selectedResources[0].kind', line: 4 },
    ],
  ])('%s', async (_, text, expected) => {
    const { code, findings, errors } = await check(text);
    expect(findings).toContainEqual(expect.objectContaining({ severity: 'deny', ...expected }));
    expect([code, errors]).toEqual([1, []]);
  });

  test('but not an owner that is told twice, which the API takes as one', async () => {
    const owner = '{apiVersion: v1, kind: X, name: x, uid: u, controller: true}';
    const other = owner.replace('name: x', 'name: z');
    const owned = (...owners: readonly string[]): string =>
      runOf('a').replace('{name: a}', `{name: a, ownerReferences: [${owners.join(', ')}]}`);
    const refusals = async (text: string): Promise<readonly (string | undefined)[]> =>
      (await check(text)).findings.filter(({ severity }) => severity === 'deny').map(({ path }) => path);
    expect(await refusals(owned(owner, owner))).toEqual([]);
    expect(await refusals(owned(owner, other))).toEqual(['metadata.ownerReferences']);
  });

  test('and nothing is said twice of what a rule says as well', async () => {
    const tasks = '      afterStageTasks: [{type: Approval, waitTime: 1h}]\n      maxConcurrency: 500%';
    const { findings } = await check(strategy(tasks));
    expect(findings.map(({ rule }) => rule)).toEqual(['strategy-tasks-valid', 'strategy-max-concurrency']);
  });

  test('and a run is not judged by a strategy that its writer meant otherwise', async () => {
    const { findings } = await check(`${sound.replace('matchLabels', 'matchLabel')}\n---\n${runOf('release')}`);
    const refusals = findings.filter(({ severity }) => severity === 'deny');
    expect(refusals.map(({ rule }) => rule).filter((rule) => rule?.startsWith('manifest-'))).toEqual([
      'manifest-unknown-field',
    ]);
  });
});

describe('what cannot be judged is an error that names the right one', () => {
  test.each<[string, string, string, string]>([
    ['a version that is to come', runOf('a').replace('v1beta1', 'v2'), 'has no version', 'v1beta1'],
    ['a version that is not served', runOf('a').replace('v1beta1', 'v1beta2'), 'has no version', 'v1beta1'],
    ['no name', runOf('a').replace('{name: a}', '{}'), 'metadata.name: expected a string, found nothing', 'a name'],
    [
      'a kind that is not spelled right',
      runOf('a').replace('UpdateRun', 'Updaterun'),
      'did you mean "ClusterStagedUpdateRun"?',
      'kind: ClusterStagedUpdateRun',
    ],
    [
      'a kind in the plural',
      sound.replace('Strategy', 'Strategies'),
      'did you mean "ClusterStagedUpdateStrategy"?',
      'kind: ClusterStagedUpdateStrategy',
    ],
    [
      'a group that is another',
      runOf('a').replace('.io', '.com'),
      'did you mean "placement.kubernetes-fleet.io/v1beta1"?',
      'apiVersion: placement.kubernetes-fleet.io/v1beta1',
    ],
    [
      'no apiVersion',
      runOf('a').replace(/^apiVersion.*\n/, ''),
      '"ClusterStagedUpdateRun" has no apiVersion',
      'apiVersion: placement.kubernetes-fleet.io/v1beta1',
    ],
    ['no kind', runOf('a').replace(/kind.*\n/, ''), 'has no kind', 'ClusterStagedUpdateRun'],
    [
      'a wrong type',
      sound.replace('{ring: canary}', '{ring: 5}'),
      'expected a string, found 5',
      'Put it in quotes: "5".',
    ],
    [
      'a word that YAML 1.1 reads as true',
      sound.replace('{ring: canary}', '{ring: y}'),
      'expected a string, found true; this is how YAML reads y without quotes',
      'Put it in quotes: "y".',
    ],
    ['a merge of what is no object', 'a: 1\n<<: 1\n', 'what "<<" merges is not an object', ''],
    ['a required field that is null', sound.replace(/spec:[^]*/, 'spec:\n'), 'spec: expected an object', 'Set spec'],
  ])('%s', async (_, text, message, fix) => {
    const { out } = await run(['check', '-'], { input: text });
    expect(out).toContain(message);
    expect(out).toContain(fix);
    expect((await check(text)).code).toBe(2);
  });

  test.each<[string, string]>([
    ['an object of somebody else', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'],
    ['a binding of Karmada', 'apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: a}\n'],
    ['another kind of KubeFleet', `apiVersion: ${group}/v1\nkind: ClusterResourceOverride\nmetadata: {name: a}\n`],
  ])('but not %s', async (_, text) => {
    expect((await check(text, '--allow-empty')).code).toBe(0);
  });

  test('nothing to check is an error, unless that is allowed', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
    expect((await check(text)).code).toBe(2);
    expect((await run(['check', '-'], { input: text })).out).toContain('--allow-empty');
  });
});

describe('a value is told with the one that was meant, where that can be told', () => {
  const after = (time: string): string => strategy(`      afterStageTasks: [{type: TimedWait, waitTime: ${time}}]`);
  const atOnce = (many: string): string => strategy(`      maxConcurrency: ${many}`);
  const inHours = (time: string): string => `Write the time in hours, minutes and seconds.\nwaitTime: "${time}"`;
  test.each<[string, string]>([
    [after('2d'), inHours('48h')],
    [after('1w'), inHours('168h')],
    [after('1d12h'), inHours('36h')],
    [after('0.1d'), inHours('2.4h')],
    [after('1H'), inHours('1h')],
    [after('PT1H30M'), inHours('1h30m')],
    [after('10 minutes'), inHours('10m')],
    [after('"30"'), inHours('1h30m')],
    [after('-5m'), 'Wait for at least one second, or remove the task.\nwaitTime: "1s"'],
    [after('soon'), inHours('1h30m')],
    [atOnce('"2"'), 'Remove the quotes.\nmaxConcurrency: 2'],
    [sound.replace('{matchLabels: {ring: canary}}', '{ring: canary}'), 'Move it into matchLabels: {"ring": "canary"}'],
  ])('%s', async (text, fix) => {
    const { code, findings } = await check(text);
    expect(findings.map((finding) => finding.fix)).toEqual([fix]);
    expect(code).toBe(1);
  });

  // Beside an error, no rule is asked what it would say.
  const isTime = 'Write a time of hours, minutes and seconds without needless zeros, such as 1h30m.';
  const isShare = 'Write a whole number, or a share from "1%" to "100%".';
  test.each<[string, string]>([
    [after('1d'), 'Write "24h".'],
    [after('"30"'), 'Add the unit: "30s", "30m" or "30h".'],
    [after('100ms'), isTime],
    [after('""'), isTime],
    [atOnce('"2"'), 'Write 2 without quotes for a number of clusters, or "2%" for a share of them.'],
    [atOnce('"200"'), 'Write 200 without quotes for a number of clusters.'],
    [atOnce('"05 %"'), 'Write "5%".'],
    [atOnce('"0%"'), isShare],
    [atOnce('"101%"'), isShare],
    [atOnce('all'), isShare],
  ])('also beside an error: %s', async (text, fix) => {
    const { findings } = await check(`${text}\n      sortingLabelKey: [a]\n`);
    expect(findings.map((finding) => finding.fix)).toEqual([fix]);
  });

  test.each<[string, string]>([
    [after('30'), 'Add the unit: "30s", "30m" or "30h".'],
    [
      sound.replace('{matchLabels: {ring: canary}}', 'ring=canary'),
      'Write it as an object: {matchLabels: {"ring": "canary"}}',
    ],
    [
      sound.replace('{matchLabels: {ring: canary}}', 'canary'),
      'Make it an object: a line for each of its fields, "name: value".',
    ],
  ])('also of a wrong type: %s', async (text, fix) => {
    const { code, errors } = await check(text);
    expect(errors.map((error) => error.fix)).toEqual([fix]);
    expect(code).toBe(2);
  });

  test('and times that the API takes are let through', async () => {
    for (const time of ['1h', '1h30m', '90m', '1.5h', '60s', '1h1h', '0h30m', '1m30s']) {
      expect({ time, ...(await check(after(time))) }).toMatchObject({ code: 0, findings: [] });
    }
  });
});

describe('what people paste is told by what it is', () => {
  const second = runOf('b').replace('placementName', 'placmentName');

  test.each<[string, string, Partial<Told>]>([
    [
      'a template in the place of a name',
      runOf('{{ .Values.name }}'),
      { line: 3, fix: expect.stringContaining('This looks like a template.') as unknown as string },
    ],
    [
      'a template that is no YAML',
      `{{- if .Values.enabled }}\n${runOf('a')}{{- end }}\n`,
      { line: 1, fix: expect.stringContaining('helm template . | stageguard check -') as unknown as string },
    ],
    [
      'two objects without a line between them',
      `${runOf('a')}${runOf('b')}`,
      {
        line: 5,
        message: 'is not valid YAML: the key "apiVersion" stands twice in the same object',
        fix: 'Put a line of --- before the second object.',
      },
    ],
    [
      'a field that is missing by a slip of the finger',
      second,
      {
        line: 4,
        column: 8,
        message: expect.stringContaining('did you mean "placementName"?') as unknown as string,
        fix: 'Write placementName for placmentName.',
      },
    ],
    [
      'an object without a spec',
      runOf('a').replace(/spec.*\n/, ''),
      { message: 'spec: expected an object, found nothing' },
    ],
    [
      'a number for a time, which quotes would not put right',
      strategy('      afterStageTasks: [{type: TimedWait, waitTime: 24}]'),
      { line: 8, fix: 'Add the unit: "24s", "24m" or "24h".' },
    ],
  ])('%s', async (_, text, expected) => {
    const { code, findings, errors } = await check(text);
    expect([code, findings]).toEqual([2, []]);
    expect(errors).toEqual([expect.objectContaining(expected)]);
  });

  test('a variable that nobody has filled in', async () => {
    const { code, findings } = await check(runOf('"${NAME}"'));
    expect(code).toBe(1);
    expect(findings.find(({ rule }) => rule === 'manifest-invalid-name')?.fix).toMatch(/^Fill in the variable first/);
  });

  test('and what is told as misnamed does not count as passed over', async () => {
    const { out } = await run(['check', '-'], { input: runOf('a').replace('StagedUpdateRun', 'StagedUpdaterun') });
    expect(out).not.toContain('passed over');
  });
});

describe('the set counts as one, without a fleet', () => {
  const running = (name: string): string => runOf(name, ', state: Run');

  test('two active runs of one placement', async () => {
    const { code, findings } = await check([sound, running('one'), running('two')].join('\n---\n'));
    const refusals = findings.filter(({ severity }) => severity === 'deny');
    expect(refusals.map(({ rule }) => rule)).toEqual(['run-placement-free']);
    expect(code).toBe(1);
  });

  test('but not two runs of which one waits', async () => {
    const { code } = await check([sound, running('one'), runOf('two')].join('\n---\n'));
    expect(code).toBe(0);
  });

  test('two documents of one object', async () => {
    const { code, findings } = await check([sound, runOf('one'), runOf('one')].join('\n---\n'));
    const told = findings.find(({ rule }) => rule === 'manifest-duplicate');
    expect(told).toMatchObject({ severity: 'deny', path: 'metadata.name' });
    expect(code).toBe(1);
  });

  test('a run before its strategy is a warning that tells what each tool does', async () => {
    const { code, findings } = await check([runOf('one'), sound].join('---\n'));
    const told = findings.find(({ rule }) => rule === 'manifest-order');
    expect(told).toMatchObject({ severity: 'warn', path: 'spec.stagedRolloutStrategyName' });
    for (const tool of ['kubectl', 'Argo CD', 'Flux', 'Helm']) expect(told?.fix).toContain(tool);
    expect(code).toBe(0);
  });

  test.each<[string, string]>([
    ['after it', `${sound}\n---\n${runOf('one')}`],
    ['in a later wave', `${runOf("one, annotations: {argocd.argoproj.io/sync-wave: '1'}")}---\n${sound}`],
    ['by a hook of Helm', `${runOf('one, annotations: {helm.sh/hook: post-install}')}---\n${sound}`],
  ])('but not a run that comes %s', async (_, text) => {
    expect((await check(text)).findings.map(({ rule }) => rule)).not.toContain('manifest-order');
  });
});
