import { expect, test } from '@jest/globals';
import { before, deadlineOf } from '../../src/http/deadline.js';

test.each<[unknown, number]>([
  ['10s', 9000],
  ['3s', 2700],
  ['500ms', 450],
  ['1.5s', 1350],
  ['1.111s', 999],
  ['0m5s', 4500],
  [undefined, 9000],
  ['', 9000],
  ['soon', 9000],
  ['-5s', 9000],
  ['0s', 9000],
  ['9999h', 9000],
  ['99999s', 9000],
  [['1s', '2s'], 9000],
])('a timeout of %j leaves %d ms', (timeout, expected) => {
  expect(deadlineOf(timeout, 1000) - 1000).toBe(expected);
});

test('an answer in time is handed on', async () => {
  expect(await before(Promise.resolve(6), 1000, () => new Error('late'))).toBe(6);
});

test('an answer that never comes is given up', async () => {
  await expect(before(new Promise(() => undefined), 1, () => new Error('late'))).rejects.toThrow('late');
});
