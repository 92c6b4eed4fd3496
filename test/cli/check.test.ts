import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';

const root = mkdtempSync(join(tmpdir(), 'stageguard-check-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

const header = (kind: string, name: string): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
const stage = (name: string): string => `    - name: ${name}\n      labelSelector: {matchLabels: {ring: ${name}}}\n`;
const strategy = (name: string, ...stages: string[]): string =>
  `${header('ClusterStagedUpdateStrategy', name)}spec:\n  stages:\n${stages.map(stage).join('')}`;
const noStages = `${header('ClusterStagedUpdateStrategy', 'empty')}spec:\n  stages: []\n`;
const selectsNothing = `${header('ClusterStagedUpdateStrategy', 'lone')}spec:\n  stages:\n    - name: lone\n`;
const newRun = (name: string, more = ''): string =>
  `${header('ClusterStagedUpdateRun', name)}spec:\n  placementName: shop\n  stagedRolloutStrategyName: rings\n${more}`;
const placement = `${header('ClusterResourcePlacement', 'shop')}spec:\n  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]\n  strategy: {type: External}\n`;

interface Report {
  readonly findings: readonly Record<string, unknown>[];
  readonly errors: readonly Record<string, unknown>[];
  readonly checked: number;
  readonly passedOver: number;
}

const json = async (input: string, ...more: string[]): Promise<Report & { code: number }> => {
  const { code, out } = await run(['check', '-', '--format', 'json', ...more], { input });
  return { code, ...(JSON.parse(out) as Report) };
};

const rules = ({ findings }: Report, outcome = 'violated'): unknown[] =>
  findings.filter((finding) => finding.outcome === outcome).map(({ rule }) => rule);

describe('exit codes', () => {
  const fleet = file('fleet.yaml', strategy('rings', 'a'));

  test.each<[string, string, string[], number]>([
    ['a sound strategy', strategy('rings', 'a', 'b'), [], 0],
    ['a warning', selectsNothing, [], 0],
    ['a warning, where warnings fail', selectsNothing, ['--fail-on', 'warn'], 1],
    ['a refusal', noStages, [], 1],
    ['something unreadable', 'a: [', [], 2],
    ['something unreadable beside a refusal', `${noStages}---\na: [`, [], 2],
    ['a wrong shape', `${header('ClusterStagedUpdateStrategy', 'a')}spec: 5`, [], 2],
    ['an empty input', '', [], 2],
    ['what cannot be known', newRun('a'), [], 0],
    ['what cannot be known, where warnings fail', newRun('a', '  state: Run\n'), ['--fail-on', 'warn'], 0],
    ['a missing placement, against a fleet', newRun('a'), ['--fleet', fleet], 1],
    ['a fleet that does not exist', strategy('rings', 'a'), ['--fleet', join(root, 'none')], 2],
    ['a config that does not exist', noStages, ['--config', join(root, 'none')], 2],
    ['an unknown format', noStages, ['--format', 'xml'], 2],
    ['an unknown option', noStages, ['--flet', 'x'], 2],
  ])('%s', async (_name, input, more, expected) => {
    expect((await run(['check', '-', ...more], { input })).code).toBe(expected);
  });

  test('no path at all is wrong use', async () => {
    expect(await run(['check'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('the world that manifests are judged in', () => {
  test('a run in one file sees the strategy and the placement in another', async () => {
    const fleet = file(
      'bare.yaml',
      `apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: c1}\n`,
    );
    const report = await json(
      `${newRun('a', '  state: Run\n')}---\n${strategy('rings', 'a')}---\n${placement}`,
      '--fleet',
      fleet,
    );
    // The scheduler has yet to see the placement, so nobody can say that it has chosen no cluster.
    expect(report.code).toBe(0);
    expect(rules(report)).not.toContain('run-placement-exists');
    expect(rules(report, 'undetermined')).toContain('run-placement-scheduled');
  });

  test('of two new runs of a placement the second is refused, if the first is not', async () => {
    const fleet = file('hub.yaml', strategy('rings', 'a'));
    const two = `${newRun('a', '  state: Run\n')}---\n${newRun('b', '  state: Run\n')}---\n${placement}`;
    const report = await json(two, '--fleet', fleet);
    const free = report.findings.filter(({ rule }) => rule === 'run-placement-free');
    expect(free.map(({ name }) => name)).toEqual(['b']);
  });

  test('an object that the fleet holds is judged as an update that keeps its status', async () => {
    const failed =
      'status:\n  conditions:\n    - {type: Succeeded, status: "False", reason: UpdateRunFailed, observedGeneration: 1}\n';
    const stored = newRun('a', '  state: Stop\n').replace('  name: a\n', '  name: a\n  generation: 1\n') + failed;
    const fleet = file('finished.yaml', `${stored}---\n${placement}---\n${strategy('rings', 'a')}`);
    const report = await json(newRun('a', '  state: Run\n'), '--fleet', fleet);
    expect(rules(report)).toEqual(['run-finished']);
    const fresh = await json(newRun('b', `  state: Stop\n${failed}`), '--fleet', fleet);
    expect(rules(fresh)).not.toContain('run-finished');
  });

  test('a fleet of which a part cannot be read proves nothing absent', async () => {
    const fleet = file('broken.yaml', `${strategy('rings', 'a')}---\na: [`);
    const report = await json(newRun('a'), '--fleet', fleet);
    expect(report.code).toBe(2);
    expect(rules(report)).not.toContain('run-placement-exists');
  });

  test('an object of a wrong shape is still there for others', async () => {
    const broken = strategy('rings', 'a').replace('ring: a', 'ring: 5');
    const fleet = file('placement.yaml', placement);
    const report = await json(`${newRun('a')}---\n${broken}`, '--fleet', fleet);
    expect(report.errors).toHaveLength(1);
    expect(rules(report)).not.toContain('run-strategy-exists');
  });

  test('the config sets the modes', async () => {
    const config = file('config.yaml', 'rules: {strategy-stages-present: off}');
    expect((await json(noStages, '--config', config)).findings).toEqual([]);
  });

  test('what is only audited is told to programs and counted, and fails nothing', async () => {
    const config = file('config.yaml', 'rules: {strategy-stages-present: audit}');
    const { findings } = await json(noStages, '--config', config);
    expect(findings).toMatchObject([{ rule: 'strategy-stages-present', severity: 'audit', outcome: 'violated' }]);
    const { code, out } = await run(['check', '-', '--config', config, '--fail-on', 'warn'], { input: noStages });
    expect(code).toBe(0);
    expect(out).toBe('1 file, 1 object: 1 audited\n');
  });

  test('a config with an unknown rule is told with its line', async () => {
    const config = file('bad-config.yaml', 'rules:\n  strategy-stage-present: off');
    const { code, err, out } = await run(['check', '-', '--config', config], { input: noStages });
    expect(code).toBe(2);
    expect(err).toBe(
      `${config}:2:3: rules.strategy-stage-present: there is no such rule; did you mean "strategy-stages-present"?\n`,
    );
    expect(out).toBe('');
  });
});

describe('the report', () => {
  test('in JSON has every field of a finding, and the counts', async () => {
    const report = await json(`${noStages}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n`);
    expect(report).toMatchObject({ errors: [], checked: 1, passedOver: 1 });
    expect(Object.keys(report.findings[0] ?? {})).toEqual(
      'rule severity outcome path message fix retry file line column kind name'.split(' '),
    );
    expect(report.findings[0]).toMatchObject({
      ...{ rule: 'strategy-stages-present', severity: 'deny', outcome: 'violated', path: 'spec.stages', retry: false },
      ...{ file: '<stdin>', line: 6, column: 3, kind: 'ClusterStagedUpdateStrategy', name: 'empty' },
    });
  });

  test('in text says where, what, how to fix it, and sums up', async () => {
    const { out, err } = await run(['check', file('no-stages.yaml', noStages), file('lone.yaml', selectsNothing)]);
    expect(out).toContain(
      `${root}/no-stages.yaml:6:3: refused: ClusterStagedUpdateStrategy empty\n  [strategy-stages-present] spec.stages: `,
    );
    expect(out).toContain('\n    Fix: ');
    expect(out).toContain(`${root}/lone.yaml:7:7: warning: ClusterStagedUpdateStrategy lone\n`);
    expect(out.trimEnd().split('\n').at(-1)).toBe('2 files, 2 objects: 1 refused, 1 warning');
    expect(err).toBe('');
  });

  test('says in one line what could not be known without a fleet', async () => {
    const { out } = await run(['check', '-'], { input: newRun('a', '  state: Run\n') });
    const line = out.split('\n').find((text) => text.startsWith('not checked, because no fleet was given: '));
    expect(line).toContain('ClusterResourcePlacement "shop"');
    expect(line).toContain('ClusterStagedUpdateStrategy "rings"');
    expect(line).toMatch(/\. Give --fleet PATH, or --live, to check these too\.$/);
  });

  test('says that a broken fleet is why something could not be known', async () => {
    const fleet = file('not-yaml.yaml', 'a: [');
    const { out, code } = await run(['check', '-', '--fleet', fleet], { input: newRun('a', '  state: Run\n') });
    expect(out).toContain('not checked, because the fleet could not be read: ClusterResourcePlacement "shop"');
    expect(code).toBe(2);
  });

  test('is short where it should be', async () => {
    const { out } = await run(['check', '-', '--quiet'], { input: `${newRun('a')}---\n${selectsNothing}` });
    expect(out).toBe('');
  });

  test('is coloured only where colours are wanted', async () => {
    const plain = await run(['check', '-'], { input: noStages });
    const coloured = await run(['check', '-'], { input: noStages, isColoured: true });
    expect(plain.out).not.toContain('\u001b');
    expect(coloured.out).toContain('\u001b[31mrefused\u001b[0m');
  });

  test('never passes control characters of a manifest on to the terminal', async () => {
    const hostile = noStages.replace('name: empty', 'name: "\\u001b[2J\\u202eempty"');
    const { out } = await run(['check', '-'], { input: hostile });
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(out).toContain('"\\u001b[2J\\u202eempty"');
  });

  test('is the same whatever the order of the paths', async () => {
    const [a, b] = [file('one.yaml', noStages), file('two.yaml', selectsNothing)];
    expect((await run(['check', a, b, '--format', 'json'])).out).toBe(
      (await run(['check', b, a, '--format', 'json'])).out,
    );
  });

  test('shows progress on a terminal for many files, and wipes it away', async () => {
    const folder = mkdtempSync(join(root, 'many-'));
    for (let index = 0; index < 60; index++)
      writeFileSync(join(folder, `${String(index)}.yaml`), strategy(`s${String(index)}`, 'a'));
    const { err } = await run(['check', folder], { hasProgress: true });
    expect(err).toContain('\rreading file 7 of 60');
    expect(err.endsWith('\r\u001b[K')).toBe(true);
    expect((await run(['check', folder])).err).toBe('');
  });
});
