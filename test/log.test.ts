import { expect, test } from '@jest/globals';
import { createLog } from '../src/log.js';

function capture(): { lines: string[]; write: (line: string) => void } {
  const lines: string[] = [];
  return { lines, write: (line) => lines.push(line) };
}

test('a call is one JSON line with its level by name, its fields, and the time', () => {
  const out = capture();
  createLog('info', out).warn({ rule: 'a' }, 'slow');
  const entries = out.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toEqual([
    { level: 'warn', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), rule: 'a', msg: 'slow' },
  ]);
});

test('a level below the chosen one is not written', () => {
  const out = capture();
  const log = createLog('warn', out);
  log.debug({}, 'a');
  log.info({}, 'b');
  log.error({}, 'c');
  expect(out.lines).toHaveLength(1);
});

test('an error in the field "err" is written with message and stack', () => {
  const out = capture();
  createLog('info', out).error({ err: new TypeError('broken') }, 'a rule threw');
  expect(JSON.parse(out.lines.join(''))).toMatchObject({
    err: { type: 'TypeError', message: 'broken', stack: expect.stringContaining('TypeError: broken') },
  });
});
