import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, hour, longestDuration, minute, readDuration, second } from '../../src/fleet/duration.js';

/** What Go's time.ParseDuration and Duration.String made of these texts. */
const readByGo: readonly [text: string, nanoseconds: bigint, written: string][] = [
  ['0', 0n, '0s'],
  ['0s', 0n, '0s'],
  ['0.0h', 0n, '0s'],
  ['-0', 0n, '0s'],
  ['1s', second, '1s'],
  ['05s', 5n * second, '5s'],
  ['+5s', 5n * second, '5s'],
  ['-5s', -5n * second, '-5s'],
  ['.5m', 30n * second, '30s'],
  ['5.m', 5n * minute, '5m0s'],
  ['90m', 90n * minute, '1h30m0s'],
  ['1h', hour, '1h0m0s'],
  ['1h0.5s', hour + second / 2n, '1h0m0.5s'],
  ['1s1h', hour + second, '1h0m1s'],
  ['1.5s', 1_500_000_000n, '1.5s'],
  ['1.0005s', 1_000_500_000n, '1.0005s'],
  ['0.001h', 3_600_000_000n, '3.6s'],
  ['0.5s', 500_000_000n, '500ms'],
  ['0.01m', 600_000_000n, '600ms'],
  ['0.999999999s', 999_999_999n, '999.999999ms'],
  ['0.0000001h', 360_000n, '360µs'],
  ['0.000000001s', 1n, '1ns'],
  ['0.0000000001s', 0n, '0s'],
  ['1500ms', 1_500_000_000n, '1.5s'],
  ['2us', 2_000n, '2µs'],
  ['2\u03bcs', 2_000n, '2µs'],
  ['0.3333333333333333333h', 20n * minute, '20m0s'],
  ['2562047h47m16.854775807s', longestDuration, '2562047h47m16.854775807s'],
];

const refusedByGo: readonly [text: string, is: 'malformed' | 'too long'][] = [
  ['', 'malformed'],
  ['-', 'malformed'],
  ['5', 'malformed'],
  ['.s', 'malformed'],
  ['s', 'malformed'],
  ['5d', 'malformed'],
  ['5S', 'malformed'],
  ['5 s', 'malformed'],
  [' 5s', 'malformed'],
  ['5s\n', 'malformed'],
  ['0abc', 'malformed'],
  ['1.2.3s', 'malformed'],
  ['1h5', 'malformed'],
  ['--5s', 'malformed'],
  ['5constructor', 'malformed'],
  ['2562047h47m16.854775808s', 'too long'],
  ['2562048h', 'too long'],
  ['9999999h', 'too long'],
  ['2562047h2562047h', 'too long'],
  [`${'9'.repeat(1000)}s`, 'too long'],
];

describe('a duration', () => {
  test.each(readByGo)('%j is read as Go reads it', (text, nanoseconds) => {
    expect(readDuration(text)).toEqual({ is: 'read', nanoseconds });
  });

  test.each(readByGo)('%j is written back as Go writes it', (_, nanoseconds, written) => {
    expect(formatDuration(nanoseconds)).toBe(written);
  });

  test.each(refusedByGo)('%j is refused as Go refuses it', (text, is) => {
    expect(readDuration(text)).toEqual({ is });
  });

  test('of the least int64 is still read', () => {
    expect(readDuration('-2562047h47m16.854775808s')).toEqual({ is: 'read', nanoseconds: -(2n ** 63n) });
  });

  test('is the same after it was written and read again', () => {
    fc.assert(
      fc.property(fc.bigInt(-longestDuration, longestDuration), (nanoseconds) => {
        expect(readDuration(formatDuration(nanoseconds))).toEqual({ is: 'read', nanoseconds });
      }),
    );
  });

  test('leaves the units h, m and s only where it is under one second', () => {
    const schema = /^(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+$/;
    fc.assert(
      fc.property(fc.oneof(fc.bigInt(1n, 2n * second), fc.bigInt(1n, longestDuration)), (nanoseconds) => {
        expect(schema.test(formatDuration(nanoseconds))).toBe(nanoseconds >= second);
      }),
    );
  });
});
