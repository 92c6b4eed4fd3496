import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../src/engine/change.js';
import type { Rule } from '../src/engine/rule.js';
import { families } from '../src/fleet/kinds.js';
import { catalogue, retiredIds } from '../src/rules/index.js';

const root = join(import.meta.dirname, '..');

/** The rule files, by path below src/rules: `run/run-finished.ts`. */
const ruleFiles = readdirSync(join(root, 'src', 'rules'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path.endsWith('.ts') && path.includes('/'));

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

describe.each(named)('%s', (id, rule) => {
  test('has an id in kebab-case that begins with its folder', () => {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)+$/);
    expect(`${id}-`.startsWith(`${dirname(fileOf(rule) ?? '')}-`)).toBe(true);
  });

  test('states its law in at most 60 characters', () => {
    expect(rule.title).toMatch(/^.{10,59}[^.]$/);
  });

  test('says why and how to mend it, in sentences', () => {
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
    const examples = [`bad/${id}.yaml`, `warn/${id}.yaml`, `reviews/${id}.json`];
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
