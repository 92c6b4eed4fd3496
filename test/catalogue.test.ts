import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../src/engine/change.js';
import type { Rule } from '../src/engine/rule.js';
import { families } from '../src/fleet/kinds.js';
import { catalogue, retiredIds } from '../src/rules/index.js';
import { strategyRules } from '../src/rules/run/run-strategy-valid.js';

const root = join(import.meta.dirname, '..');

/** The rule files, by path below src/rules: `run/run-finished.ts`. */
const ruleFiles = readdirSync(join(root, 'src', 'rules'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path.endsWith('.ts') && path.includes('/') && !path.startsWith('wording/'));

const fileOf = (rule: Rule): string | undefined => ruleFiles.find((path) => basename(path, '.ts') === rule.id);

const named = catalogue.map((rule) => [rule.id, rule] as const);

/** Flux, with force, deletes and re-creates an object when it reads these words in a refusal. */
const deadlyWords = /is immutable|immutable field/i;

test('the catalogue holds every rule file, and no rule without one', () => {
  expect(catalogue.map(({ id }) => id).sort()).toEqual(ruleFiles.map((path) => basename(path, '.ts')).sort());
});

test('ids are unique and never those of retired rules', () => {
  const ids = catalogue.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index || retiredIds.has(id))).toEqual([]);
});

/** Rules on new strategies that a run is not judged by as they are, each with the reason. */
const otherwiseForRuns: Readonly<Record<string, string>> = {
  'run-api-version': 'it judges the way in which the strategy was written',
  'strategy-sorting-key': 'run-sorting-label judges the clusters that the run really has',
  'strategy-stage-names-unique': 'run-strategy-valid refuses only where one approval would open two gates',
  'strategy-stages-disjoint': 'run-cluster-in-one-stage judges the clusters that the run really has',
  'strategy-stage-selects': 'run-empty-stage judges the clusters that the run really has',
};

test('a rule on new strategies reaches the runs of strategies that are older than the guard, or says why not', () => {
  const onStrategies = catalogue.filter(({ appliesTo }) =>
    appliesTo.some(({ family, operations: on }) => family === 'UpdateStrategy' && on.includes('CREATE')),
  );
  const reaching = new Set(strategyRules);
  const others = onStrategies.filter((rule) => !reaching.has(rule)).map(({ id }) => id);
  expect(others.sort()).toEqual(Object.keys(otherwiseForRuns).sort());
});

test('only the engine asks a rule', () => {
  const asking = ruleFiles.filter((path) => /\.check\(/.test(readFileSync(join(root, 'src', 'rules', path), 'utf8')));
  expect(asking).toEqual([]);
});

describe.each(named)('%s', (id, rule) => {
  test('has an id in kebab-case that begins with its folder', () => {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)+$/);
    expect(`${id}-`.startsWith(`${dirname(fileOf(rule) ?? '')}-`)).toBe(true);
  });

  test('states what it holds in at most 60 characters', () => {
    expect(rule.title).toMatch(/^.{10,59}[^.]$/);
  });

  test('says why and how to fix it, in sentences', () => {
    expect(rule.why).toMatch(/^[A-Z].{20,}\.$/);
    expect(rule.fix).toMatch(/^[A-Z].{5,}\.$/);
    expect(`${rule.title} ${rule.why} ${rule.fix}`).not.toMatch(deadlyWords);
  });

  test('applies to something, once each', () => {
    expect(rule.appliesTo.length).toBeGreaterThan(0);
    for (const target of rule.appliesTo) {
      expect(families).toContain(target.family);
      expect(target.operations.length).toBeGreaterThan(0);
      expect(target.operations.filter((one) => !operations.includes(one))).toEqual([]);
    }
  });

  test('stands after its premises', () => {
    const before = new Set(catalogue.slice(0, catalogue.indexOf(rule)).map((other) => other.id));
    expect((rule.after ?? []).filter((premise) => !before.has(premise))).toEqual([]);
  });

  test('declares each family once', () => {
    const declared = [...rule.reads, ...(rule.mentions ?? [])];
    expect(declared.filter((family, index) => declared.indexOf(family) !== index)).toEqual([]);
    expect(declared.filter((family) => !families.includes(family))).toEqual([]);
  });

  test('has a table of good and bad inputs', () => {
    const table = join(root, 'test', 'rules', (fileOf(rule) ?? '').replace(/\.ts$/, '.test.ts'));
    expect(existsSync(table)).toBe(true);
  });

  test('has an example', () => {
    const examples = [`bad/${id}.yaml`, `warn/${id}.yaml`, `reviews/${id}.json`, `settings/${id}.yaml`];
    expect(examples.some((path) => existsSync(join(root, 'examples', path)))).toBe(true);
  });
});

describe('examples', () => {
  test.each(['bad', 'warn'])('of %s are named after rules', (folder) => {
    const known = new Set(catalogue.map(({ id }) => id));
    const strange = readdirSync(join(root, 'examples', folder)).filter(
      (file) => file.endsWith('.yaml') && !known.has(basename(file, '.yaml')),
    );
    expect(strange).toEqual([]);
  });
});
