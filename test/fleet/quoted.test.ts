import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plain, quoted, quotedSentence, quotedWhole, visible, visibleLines } from '../../src/fleet/quoted.js';
import { hostile, paste } from '../support/hostile.js';

const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\n', '"', '\\', '$', '`', '#', ':', '\u202e', '\ud800', ' '),
  ),
});

describe('a value in quotes', () => {
  test.each([
    ['a name', 'release-42', '"release-42"'],
    ['a quote and a backslash', 'a"b\\c', '"a\\"b\\\\c"'],
    ['line breaks', 'a\nb\r\tc', '"a\\nb\\r\\tc"'],
    ['an escape sequence', '\u001b[8m', '"\\u001b[8m"'],
    ['marks that turn the text round', 'a\u202eb\u2066', '"a\\u202eb\\u2066"'],
    ['what has no width', 'a\u200bb\ufeff', '"a\\u200bb\\ufeff"'],
    ['half a character', 'a\ud800', '"a\\ud800"'],
    ['a command in it', '$(id) `id`', '"\\u0024(id) \\u0060id\\u0060"'],
    ['an order to a CI runner', '::error::x ##[error]x', '":\\u003aerror:\\u003ax #\\u0023[error]x"'],
    ['letters of any script', 'm\u00fcnchen \u6771\u4eac', '"m\u00fcnchen \u6771\u4eac"'],
    ['nothing', '', '""'],
    ['as many characters as a name can have', 'x'.repeat(253), `"${'x'.repeat(253)}"`],
    ['more', 'x'.repeat(254), `"${'x'.repeat(253)}\u2026"`],
  ])('tells %s', (_name, value, expected) => {
    expect(quoted(value)).toBe(expected);
  });

  test('is one visible line that the value cannot end, whatever it is', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const said = quoted(value);
        expect(said).not.toMatch(unseen);
        expect(said.slice(1, -1)).not.toMatch(/(?<!\\)(?:\\\\)*"|::|##|[$`]/);
        expect(said.length).toBeLessThan(6 * 256);
      }),
    );
  });

  test('is JSON of the value where nothing is cut off', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        expect(JSON.parse(quotedWhole(value))).toBe(value);
      }),
    );
  });

  test('takes a megabyte without looking at all of it', () => {
    expect(quoted('\n'.repeat(1_000_000))).toHaveLength(2 * 253 + 3);
  });

  test('does nothing in a shell', () => {
    expect(paste([`echo ${quoted(hostile)}`, `kubectl get ${quoted(hostile)}`])).toMatchObject({ isOwned: false });
  });
});

describe('a plain value', () => {
  test.each(['release-42', 'team-a/release', 'deploy/run.yaml', '<stdin>', 'release-?????', '50%', '1h30m'])(
    '%s stands as it is',
    (value) => {
      expect(plain(value)).toBe(value);
    },
  );

  test.each(['two words', '', '::error::', 'a"', '##[x]', '$x', 'a\nb', '\u3164', 'x'.repeat(254)])(
    '%j stands in quotes',
    (value) => {
      expect(plain(value)).toBe(quoted(value));
    },
  );
});

test('a sentence of others is one line, and names in backticks stay names', () => {
  expect(quotedSentence('  the cluster `eu`\n is\tgone ')).toBe(`"the cluster 'eu' is gone"`);
});

test('a report of several lines gives no orders', () => {
  expect(visibleLines('one\n  ::error::x\na ##[group]y')).toBe('one\n  :\\u003aerror::x\na #\\u0023[group]y');
  expect(visibleLines('at [::1]:8443\nkubectl get x "$HOME"')).toBe('at [::1]:8443\nkubectl get x "$HOME"');
});

test('JSON that is made visible is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, (value, key) => {
      const json = { [key]: value };
      expect(JSON.parse(visible(JSON.stringify(json)))).toEqual(JSON.parse(JSON.stringify(json)));
    }),
  );
});
