import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { check, plan, rules, type KubernetesObject } from '../../src/library/index.js';
import { entries } from '../../src/config/entries.js';
import { now, run } from '../support/captured-io.js';
import { exampleFiles, readRepositoryFile } from '../support/examples.js';

const textsOf = (folder: string) => exampleFiles(folder).map(({ path, text }) => ({ file: path, text }));
const fleet = textsOf('fleet');
const cleaned = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('check', () => {
  test.each(['good', 'bad', 'warn'])('says of examples/%s what the command says', async (folder) => {
    const { code, out } = await run(['check', `examples/${folder}`, '--fleet', 'examples/fleet', '--format', 'json']);
    const { refused, ...result } = check(textsOf(folder), { fleet, now });
    expect(JSON.parse(out)).toMatchObject(cleaned(result) as object);
    expect(refused).toBe(code === 1);
  });

  const disjoint = readRepositoryFile('examples/bad/strategy-stages-disjoint.yaml');
  const rulesOf = (result: ReturnType<typeof check>): string[] => result.findings.map(({ rule }) => rule);

  test('takes a text, an object, or several', () => {
    expect(rulesOf(check(disjoint))).toEqual(['strategy-stages-disjoint']);
    expect(rulesOf(check(parse(disjoint) as KubernetesObject))).toEqual(['strategy-stages-disjoint']);
    expect(
      check([disjoint, { file: 'b.yaml', text: disjoint.replace('name: canary-and-regions', 'name: b') }]).findings.map(
        ({ file }) => file,
      ),
    ).toEqual(['b.yaml', 'manifests[0]']);
  });

  test('takes settings as text and as an object, and throws those that cannot be used', () => {
    const config = { rules: { 'strategy-stages-disjoint': 'warn' } };
    expect(check(disjoint)).toMatchObject({ refused: true });
    expect(check(disjoint, { config })).toMatchObject({ refused: false, findings: [{ severity: 'warn' }] });
    expect(check(disjoint, { config: 'rules: {strategy-stages-disjoint: "off"}' }).findings).toEqual([]);
    expect(() => check(disjoint, { config: { rule: {} } })).toThrow('rule: there is no such key');
  });

  test('without a fleet, what the manifests do not hold is unknown', () => {
    const text = readRepositoryFile('examples/bad/run-placement-exists.yaml');
    expect(check(text)).toMatchObject({ refused: false });
    expect(check(text, { fleet, now })).toMatchObject({ refused: true });
  });

  test('tells what cannot be read', () => {
    expect(check('a: [')).toMatchObject({ refused: false, checked: 0, errors: [{ file: 'manifests[0]', line: 1 }] });
  });
});

describe('plan', () => {
  const text = readRepositoryFile('examples/good/run-explicit-index.yaml');

  test('says what the command says', async () => {
    const argv = ['plan', 'examples/good/run-explicit-index.yaml', '--fleet', 'examples/fleet', '--format', 'json'];
    const { stages, deletion, findings } = plan(text, { fleet, now });
    expect(JSON.parse((await run(argv)).out)).toEqual(cleaned({ stages, deletion, findings }));
    expect(stages.length).toBeGreaterThan(0);
  });

  test('throws where there is not one run, and says where no plan can be made', () => {
    expect(() => plan([text, text])).toThrow('there are 2 runs');
    expect(plan(text).errors).toMatchObject([{ message: 'no plan can be made' }]);
  });
});

test('rules lists everything that has an id', () => {
  expect(rules().map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
});
