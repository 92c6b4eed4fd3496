import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { mainDate } from '../src/fleet/versions.js';
import { readRepositoryFile } from './support/examples.js';

type Row = readonly [what: string, version: string, how: string];
type Tried = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const tools = join(import.meta.dirname, '..', 'tools');
/** By a variable, since they have no types. */
const load = async <T>(name: string): Promise<T> => (await import(join(tools, name))) as T;

interface Table {
  readonly tableOf: (tried: Tried) => string;
  readonly rowsIn: (text: string) => readonly Row[];
  readonly compare: (rows: readonly Row[], tried: Tried) => { problems: string[]; unconfirmed: string[] };
  readonly marked: (table: string) => string;
}
const { tableOf, rowsIn, compare, marked } = await load<Table>('tried.mjs');

interface Reporter {
  onRunComplete(contexts: readonly unknown[], results: unknown): void;
}
const { default: TriedReporter } = await load<{
  default: new (config: unknown, options: { folder: string }) => Reporter;
}>('tried-reporter.mjs');

const versionsOf = (what: string, rows: readonly Row[]): readonly string[] =>
  rows.flatMap(([name, version]) => (name === what ? [version] : []));

const required = (module: string, folder: string): string => {
  const text = readRepositoryFile(`tools/${folder}/go.mod`);
  return new RegExp(`^(?:require)?\\s*${module} v([0-9.]+)`, 'm').exec(text)?.[1] ?? '';
};

test('the README says the versions that the suites build, fetch and were recorded with, and no others', () => {
  const rows = rowsIn(readRepositoryFile('README.md'));
  const kubernetes = ['kube', 'kube-oldest'].map((folder) => required('k8s.io/kubernetes', folder));
  expect(versionsOf('Kubernetes', rows)).toEqual(kubernetes);
  expect(versionsOf('Helm', rows)).toEqual([required('helm.sh/helm/v3', 'helm')]);
  expect(versionsOf('cert-manager', rows)).toEqual([required('github.com/cert-manager/cert-manager', 'cert-manager')]);
  const [, others = ''] = /for major in ([\d ]+);/.exec(readRepositoryFile('tools/other-nodes.sh')) ?? [];
  const [, oldest = ''] = /"node": ">=(\d+)/.exec(readRepositoryFile('package.json')) ?? [];
  expect(versionsOf('Node', rows)).toEqual([...others.split(' ').toReversed(), oldest]);
  const recorded = readdirSync(join(tools, '..', 'test', 'oracle')).flatMap(
    (name) => /^(.*)\.jsonl\.gz$/.exec(name)?.[1] ?? [],
  );
  expect([...versionsOf('KubeFleet', rows)].sort()).toEqual(recorded.sort());
  expect(readRepositoryFile('README.md')).toContain(`\`main\` is the main branch of ${mainDate}.`);
});

const tried: Tried = {
  unit: { Node: ['20', '24'], KubeFleet: ['v0.3.1', 'main'] },
  e2e: { Kubernetes: ['1.34.4'], Helm: ['3.19.5'], KubeFleet: ['main'] },
  oldest: { Kubernetes: ['1.30.14'], Helm: ['3.19.5'] },
};

test('the table is made of what was reported, the newest first', () => {
  const rows = rowsIn(marked(tableOf(tried)));
  expect(rows.map(([what, version]) => `${what} ${version}`)).toEqual([
    ...['Kubernetes 1.34.4', 'Kubernetes 1.30.14', 'KubeFleet main', 'KubeFleet v0.3.1', 'Helm 3.19.5'],
    ...['Node 24', 'Node 20'],
  ]);
  expect(compare(rows, tried)).toEqual({ problems: [], unconfirmed: [] });
});

describe('the check finds', () => {
  const rows = rowsIn(marked(tableOf(tried)));
  const problemsOf = (others: Tried): string => compare(rows, { ...tried, ...others }).problems.join('\n');

  test('a version that has been run, and is not in the README', () => {
    expect(problemsOf({ e2e: { ...tried['e2e'], Kubernetes: ['1.35.0'] } })).toContain('Kubernetes 1.35.0');
    expect(problemsOf({ unit: { ...tried['unit'], Node: ['20', '24', '26'] } })).toContain('Node 26: has been run');
  });

  test('a version that is in the README, and has not been run', () => {
    expect(problemsOf({ oldest: {} })).toMatch(/Kubernetes 1\.30\.14 .*: has not been run/);
  });

  test('but only tells of what depends on the machine', () => {
    expect(compare(rows, { ...tried, unit: { ...tried['unit'], Node: ['20'] } })).toEqual({
      problems: [],
      unconfirmed: ['Node 24'],
    });
  });
});

test('what has passed is reported by file, with the versions in titles and programs; what has failed is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stageguard-tried-'));
  const rootDir = join(tools, '..');
  const suite = (name: string, testMatch: string, programs = {}): unknown => ({
    config: { displayName: { name }, testMatch: [testMatch], rootDir, globals: { programs } },
  });
  const file = (path: string, title: string, numFailingTests = 0): unknown => ({
    ...{ testFilePath: join(rootDir, path), numFailingTests, numPassingTests: 1 },
    testResults: [{ status: 'passed', ancestorTitles: [title] }],
  });
  const contexts = [suite('unit', '/test/**/*.test.ts'), suite('e2e', '/test/e2e/**/*.test.ts')];
  new TriedReporter({}, { folder }).onRunComplete(contexts, {
    testResults: [
      file('test/package.test.ts', 'on Node 22'),
      file('test/oracle/oracle.test.ts', 'the hub agent of v0.3.1', 1),
      file('test/e2e/rollout.test.ts', 'beside the definitions of KubeFleet main'),
    ],
  });
  const written = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  expect(written('unit')).toEqual({ 'test/package.test.ts': [['Node', '22']] });
  expect(written('e2e')).toEqual({ 'test/e2e/rollout.test.ts': [['KubeFleet', 'main']] });
});
