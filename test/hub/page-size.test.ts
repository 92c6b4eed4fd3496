import { expect, test } from '@jest/globals';
import { PageSize } from '../../src/hub/page-size.js';

const kilobyte = 1024;

test('a page has as many objects as come to a few megabytes', () => {
  const size = new PageSize();
  expect(size.limit).toBe(20);
  size.saw(20, 20 * 117 * kilobyte);
  expect(size.limit).toBe(35);
  size.saw(35, 35 * 47 * kilobyte);
  expect(size.limit).toBe(87);
  size.saw(87, 87 * 700);
  expect(size.limit).toBe(500);
  size.saw(2, 3000 * kilobyte);
  expect(size.limit).toBe(2);
});

test('it is never none, and an empty page says nothing', () => {
  const size = new PageSize();
  size.saw(1, 9000 * kilobyte);
  expect(size.limit).toBe(1);
  size.saw(0, 90);
  expect(size.limit).toBe(1);
});
