import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IgnorePatterns } from '../../../src/sources/manifests/ignore-patterns.js';
import { fuzz, fuzzTimeout } from '../../support/fuzz.js';
import { scratchFolder } from '../../support/scratch.js';

const isIgnored = (patterns: string, path: string): boolean =>
  new IgnorePatterns(patterns.split('\n')).ignores(path.replace(/\/$/, '').split('/'), path.endsWith('/')) ?? false;

test.each<[string, string, boolean]>([
  ['*.json', 'a/b.json', true],
  ['/*.json', 'a/b.json', false],
  ['out/', 'out', false],
  ['out/', 'out/', true],
  ['a/b', 'a/b', true],
  ['a/b', 'x/a/b', false],
  ['**/b', 'x/a/b', true],
  ['a/**', 'a/', false],
  ['a/**', 'a/x/y', true],
  ['a/**/b', 'a/b', true],
  ['*\n!keep.yaml', 'keep.yaml', false],
  ['# a', '# a', false],
  ['\\# a', '# a', true],
  ['a  ', 'a', true],
  ['a\\ ', 'a ', true],
  ['[!a-c].yaml', 'd.yaml', true],
  ['[!a-c].yaml', 'b.yaml', false],
  ['[]x].yaml', '].yaml', true],
  ['[a', '[a', false],
  ['?.yaml', 'ab.yaml', false],
])('%j over %s: %s', (patterns, path, expected) => {
  expect(isIgnored(patterns, path)).toBe(expected);
});

const name = fc
  .string({ unit: fc.constantFrom('a', 'b', '1', '.', '-'), minLength: 1, maxLength: 3 })
  .filter((text) => !/^\.+$/.test(text));
const step = fc.oneof(
  name,
  fc.constantFrom('*', '**', '?', 'a*', '*b', '*a*', '[ab]', '[!a]', '[a-b]*', '[[:digit:]]', '\\a', 'a**b', '[', '[b'),
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!', '#'),
    fc.constantFrom('', '', '/'),
    fc.array(step, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/', ' '),
  )
  .map(([negation, slash, steps, end]) => `${negation}${slash}${steps.join('/')}${end}`);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

test(
  'it ignores what Git ignores',
  () => {
    const root = scratchFolder();
    execFileSync('git', ['init', '-q', root]);
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 4 }),
        fc.uniqueArray(path, { minLength: 1, maxLength: 20 }),
        (patterns, paths) => {
          const text = patterns.join('\n');
          writeFileSync(join(root, '.gitignore'), text);
          // It ends with 1 where it ignores none of them.
          const { stdout } = spawnSync(
            'git',
            ['-C', root, '-c', 'core.quotePath=false', 'check-ignore', '--no-index', '-z', '-v', '-n', '--stdin'],
            { input: paths.join('\0') },
          );
          const parts = stdout.toString().split('\0');
          const byGit = new Set<string>();
          for (let at = 0; at + 3 < parts.length; at += 4) {
            const [, , matched = '', of = ''] = parts.slice(at, at + 4);
            if (matched !== '' && !matched.startsWith('!')) byGit.add(of);
          }
          const rules = new IgnorePatterns(text.split('\n'));
          // Git looks at the folders around as well: what is in an ignored one is ignored.
          const ours = paths.filter((one) => {
            const names = one.split('/');
            return names.some(
              (_, index) => rules.ignores(names.slice(0, index + 1), index + 1 < names.length) === true,
            );
          });
          expect({ patterns, ours: ours.sort() }).toEqual({
            patterns,
            ours: paths.filter((one) => byGit.has(one)).sort(),
          });
        },
      ),
      fuzz(120),
    );
  },
  fuzzTimeout,
);

test('a slash between brackets is one of the set', () => {
  expect(isIgnored('[b/[!a]', 'a')).toBe(true);
  expect(isIgnored('[b/[!a]', 'b/c')).toBe(false);
});

test('a hostile pattern takes no time', () => {
  const many = `${'*a'.repeat(2000)}b\n${'**/'.repeat(2000)}b`;
  expect(isIgnored(many, `${'a'.repeat(250)}/`.repeat(20))).toBe(false);
});
