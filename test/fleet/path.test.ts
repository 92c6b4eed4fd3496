import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePaths, formatPath, type Path } from '../../src/fleet/path.js';

describe('a path', () => {
  test.each<[Path, string]>([
    [[], ''],
    [['spec'], 'spec'],
    [['spec', 'stages', 1, 'labelSelector'], 'spec.stages[1].labelSelector'],
    [['metadata', 'labels', 'example.com/ring'], 'metadata.labels["example.com/ring"]'],
    [['metadata', 'labels', ''], 'metadata.labels[""]'],
    [['metadata', 'labels', 'a"b'], 'metadata.labels["a\\"b"]'],
    [[0], '[0]'],
  ])('%j is written %s', (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  const anyPath = fc.array(fc.oneof(fc.nat(12), fc.string(), fc.constantFrom('a', 'a.b', '0', '["a"]')));

  test('is written unlike any other', () => {
    fc.assert(
      fc.property(anyPath, anyPath, (a, b) => {
        expect(formatPath(a) === formatPath(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  test('has its place in the order of a document', () => {
    const sorted: Path[] = [
      ['metadata'],
      ['spec'],
      ['spec', 'stages', 2],
      ['spec', 'stages', 2, 'name'],
      ['spec', 'stages', 10],
    ];
    expect([...sorted].reverse().sort(comparePaths)).toEqual(sorted);
  });

  test('is before, after or the same as another, and the other the reverse', () => {
    fc.assert(
      fc.property(anyPath, anyPath, (a, b) => {
        expect(Math.sign(comparePaths(a, b)) + Math.sign(comparePaths(b, a))).toBe(0);
        expect(comparePaths(a, b) === 0).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});
