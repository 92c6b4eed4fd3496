import { expect, test } from '@jest/globals';
import type { Clock } from '../../src/clock.js';
import { Reflector } from '../../src/hub/reflector.js';
import { RecordingLog } from '../support/guard.js';
import { until } from '../support/until.js';

test('attempts that are answered by nobody, however late they give up, are one loss of touch', async () => {
  let now = 0;
  let attempts = 0;
  const delays: number[] = [];
  const clock: Clock = {
    now: () => now,
    after(milliseconds, call) {
      // Only what the reflector waits for by itself; the dog that watches a connection never barks.
      if (milliseconds > 30_000) return () => undefined;
      delays.push(milliseconds);
      const timer = setImmediate(call);
      return () => {
        clearImmediate(timer);
      };
    },
    random: () => 0.5,
  };
  const log = new RecordingLog();
  const reflector = new Reflector({
    of: { kind: 'Thing', path: '/things', accept: { list: '', object: '' } },
    hub: {
      call: () => Promise.reject(new Error('nobody asks for this')),
      list: () => Promise.resolve({ version: '1', next: '', bytes: 0 }),
      stream: () => {
        attempts += 1;
        now += 20_000;
        return Promise.reject(new Error('connect timeout'));
      },
    },
    sink: { put: () => undefined, remove: () => undefined, keepOnly: () => undefined },
    clock,
    log,
  });
  reflector.start();
  await until(() => attempts >= 4);
  await reflector.stop();
  expect(log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)).toEqual([
    'lost touch with the API server, trying again',
  ]);
  expect(delays.slice(0, 3)).toEqual([500, 1000, 2000]);
});
