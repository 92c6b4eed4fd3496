import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { reportSchemas } from '../../src/cli/report/json-schema.js';
import { run } from '../support/captured-io.js';
import { junitProblems } from '../support/report-shapes.js';

const root = mkdtempSync(join(tmpdir(), 'stageguard-cases-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

function file(name: string, text: string): string {
  writeFileSync(join(root, name), text);
  return join(root, name);
}

const group = 'placement.kubernetes-fleet.io/v1beta1';
const noStages = `{apiVersion: ${group}, kind: ClusterStagedUpdateStrategy, metadata: {name: empty}, spec: {stages: []}}`;
let files = 0;
const cases = (...texts: string[]): string =>
  file(`cases-${String(++files)}.yaml`, `cases:\n${texts.map((text) => `  - ${text}\n`).join('')}`);
const oneCase = (more: string): string => cases(`{name: empty, write: ${noStages}, ${more}}`);

describe('the cases of examples/ pass', () => {
  test('and say so', async () => {
    const { code, out, err } = await run(['test', 'examples/cases.yaml']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^examples\/cases\.yaml:7: passed: .*\n/);
    expect(out).toMatch(/\n5 cases: 5 passed\n$/);
  });

  test('and fail where the settings are others', async () => {
    const soft = file('soft.yaml', 'rules: {strategy-stages-disjoint: warn, placement-in-use: audit}');
    const { code, out } = await run(['test', 'examples/cases.yaml', '--config', soft, '--quiet']);
    expect(code).toBe(1);
    expect(out).toContain(
      '  refused: expected strategy-stages-disjoint, found nothing\n  warned: expected nothing, found',
    );
    expect(out).toContain('  refused: expected placement-in-use, found nothing\n  audited: expected nothing, found');
    expect(out).not.toContain('passed');
  });
});

describe('a case passes where the rules say just what is expected', () => {
  test.each<[string, string, number]>([
    ['a refusal', 'expect: {refused: [strategy-stages-present]}', 0],
    ['a refusal that nobody expects', 'expect: {}', 1],
    ['a refusal that is expected to be a warning', 'expect: {warned: [strategy-stages-present]}', 1],
    ['one of two', 'expect: {refused: [strategy-stages-present, strategy-size]}', 1],
    [
      'a mode of the case',
      'config: {rules: {strategy-stages-present: warn}}, expect: {warned: [strategy-stages-present]}',
      0,
    ],
    [
      'the mode audit',
      'config: {rules: {strategy-stages-present: audit}}, expect: {audited: [strategy-stages-present]}',
      0,
    ],
    ['a rule that is off', 'config: {rules: {strategy-stages-present: "off"}}, expect: {}', 0],
    ['another user', 'user: somebody, expect: {refused: [strategy-stages-present]}', 0],
  ])('%s', async (_, more, code) => {
    expect((await run(['test', oneCase(more)])).code).toBe(code);
  });

  test('what is not given does not exist, and what is given does', async () => {
    const release = `{apiVersion: ${group}, kind: ClusterStagedUpdateRun, metadata: {name: a}, spec: {placementName: shop, stagedRolloutStrategyName: rings, resourceSnapshotIndex: "0", state: Run}}`;
    const strategy = noStages.replace('empty', 'rings').replace('[]', '[{name: a, labelSelector: {}}]');
    const missing = 'refused: [run-placement-exists, run-strategy-exists]';
    const path = cases(
      `{name: an empty hub, write: ${release}, expect: {${missing}}}`,
      `{name: with a strategy, given: [${strategy}], write: ${release}, expect: {refused: [run-placement-exists]}}`,
    );
    expect(await run(['test', path])).toMatchObject({ code: 0, err: '' });
  });

  test('a status and a deletion are judged by what is given', async () => {
    const request = (more = '') =>
      `{apiVersion: ${group}, kind: ClusterApprovalRequest, metadata: {name: gate}, spec: {parentStageRollout: a, targetStage: b}${more}}`;
    const approved = ', status: {conditions: [{type: Aproved, status: "True"}]}';
    const path = cases(
      `{name: an unknown condition, given: ${request()}, write: ${request(approved)}, subresource: status, expect: {refused: [approval-conditions, approval-target-alive]}}`,
      `{name: nothing to delete, write: ${request()}, operation: delete, expect: {}}`,
    );
    const { code, out } = await run(['test', path, '--format', 'json']);
    const { cases: told } = JSON.parse(out) as {
      cases: { outcome: string; found: { refused: string[] }; errors: string[] }[];
    };
    expect(told.map(({ outcome }) => outcome)).toEqual([expect.any(String), 'error']);
    expect(told[0]?.found.refused).toContain('approval-conditions');
    expect(told[1]?.errors).toEqual(['ClusterApprovalRequest gate is not in what is given']);
    expect(code).toBe(2);
  });
});

describe('what cannot be used is told with its place', () => {
  test.each<[string, string, string]>([
    ['no cases', 'cases: []', '1:1: cases: expected a list that is not empty, found []'],
    ['no expectation', 'cases:\n  - {name: a, write: x.yaml}', '2:5: cases.0.expect: is missing'],
    [
      'an unknown key',
      'cases:\n  - {name: a, write: x.yaml, expct: {}, expect: {}}',
      '2:30: cases.0.expct: there is no such key; did you mean "expect"?',
    ],
    [
      'an unknown rule',
      'cases:\n  - {name: a, write: x.yaml, expect: {refused: [strategy-sise]}}',
      'there is no such rule as "strategy-sise"; did you mean "strategy-size"?',
    ],
    ['no YAML', 'cases: [', '1:9: is not valid YAML'],
  ])('%s', async (_, text, expected) => {
    const { code, err } = await run(['test', file('broken.yaml', text)]);
    expect(code).toBe(2);
    expect(err).toContain(`broken.yaml:${expected.startsWith('there') ? '' : expected}`);
    expect(err).toContain(expected);
  });

  test('a file that is not there, of cases or of a write', async () => {
    expect(await run(['test', join(root, 'none.yaml')])).toMatchObject({ code: 2, out: '' });
    const { code, out } = await run(['test', cases('{name: a, write: none.yaml, expect: {}}')]);
    expect(code).toBe(2);
    expect(out).toContain('error: a\n');
    expect(out).toContain('none.yaml: does not exist');
  });
});

describe('reports', () => {
  const path = cases(
    `{name: "passes <&>", write: ${noStages}, expect: {refused: [strategy-stages-present]}}`,
    `{name: fails, write: ${noStages}, expect: {}}`,
    '{name: cannot be read, write: none.yaml, expect: {}}',
  );

  test('JSON is what its schema says', async () => {
    const { out } = await run(['test', path, '--format', 'json']);
    const report = JSON.parse(out) as { cases: { outcome: string; line: number }[] };
    const validate = new Ajv({ strict: false }).compile(reportSchemas.test);
    expect(validate(report) ? [] : validate.errors).toEqual([]);
    expect(report.cases.map(({ outcome, line }) => [outcome, line])).toEqual([
      ['passed', 2],
      ['failed', 3],
      ['error', 4],
    ]);
  });

  test('JUnit has a case for each', async () => {
    const saved = join(root, 'out.xml');
    const { out } = await run(['test', path, '--format', 'text', '--format', `junit=${saved}`]);
    expect(out).toMatch(/\n3 cases: 1 passed, 1 failed, 1 error\n$/);
    const xml = readFileSync(saved, 'utf8');
    expect(junitProblems(xml)).toEqual([]);
    expect(xml).toContain('tests="3" failures="1" errors="1"');
    expect(xml).toContain('message="refused: expected nothing, found strategy-stages-present"');
  });
});

describe('a case in a repository', () => {
  const folder = join(root, 'repository');
  mkdirSync(join(folder, '.git'), { recursive: true });
  const secret = file('secret.yaml', 'token: d0-not-tell\nrules: {d0-not-tell: x}\n');
  symlinkSync(secret, join(folder, 'link.yaml'));
  writeFileSync(join(folder, 'inside.yaml'), noStages);
  const judged = (more: string) =>
    run(['test', file('repository/cases.yaml', `cases:\n  - {name: a, expect: {}, ${more}}\n`)]);

  test.each([
    ['its objects, by a path', `write: ${secret}`],
    ['its objects, by a link', 'write: link.yaml'],
    ['its hub', `write: ${noStages}, given: [inside.yaml, ../secret.yaml]`],
    ['its settings, by a path', `write: inside.yaml, config: ../secret.yaml`],
    ['its settings, by a link', `write: inside.yaml, config: link.yaml`],
  ])('takes nothing from outside of it: %s', async (_, more) => {
    const { code, out, err } = await judged(more);
    expect(code).toBe(2);
    expect(out + err).toContain('is not read: it lies outside of the repository that the cases are in');
    expect(out + err).not.toContain('d0-not-tell');
  });

  test('reads what is in it', async () => {
    const { code, out } = await judged('write: inside.yaml');
    expect(code).toBe(1);
    expect(out).toContain('strategy-stages-present');
  });
});
