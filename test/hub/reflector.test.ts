import { expect, test } from '@jest/globals';
import type { Clock } from '../../src/clock.js';
import { Reflector } from '../../src/hub/reflector.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
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

test('a hub that has gone back to an older state is listed again, before it is watched from a version that is yet to come', async () => {
  const hub = { version: '100', names: ['after'] };
  const watchedFrom: string[] = [];
  const known = new Set<string>();
  const log = new RecordingLog();
  const reflector = new Reflector({
    of: { kind: 'Thing', path: '/things', accept: { list: '', object: '' } },
    hub: {
      call: () => Promise.reject(new Error('nobody asks for this')),
      list: (_call, take) => {
        for (const name of hub.names) take({ metadata: { name, resourceVersion: '7' } });
        return Promise.resolve({ version: hub.version, next: '', bytes: 0 });
      },
      stream: ({ path }) => {
        watchedFrom.push(/resourceVersion=(\d+)/.exec(path)?.[1] ?? '');
        Object.assign(hub, { version: '20', names: ['before'] });
        return Promise.reject(new Error('the connection broke'));
      },
    },
    sink: {
      put: (json) => known.add((json as { metadata: { name: string } }).metadata.name),
      remove: () => undefined,
      keepOnly: (keys) => {
        for (const name of known) if (!keys.has(`/${name}`)) known.delete(name);
      },
    },
    clock: scaledClock(1000),
    log,
  });
  reflector.start();
  await until(() => watchedFrom.length >= 3);
  await reflector.stop();
  expect(watchedFrom.slice(0, 3)).toEqual(['100', '20', '20']);
  expect([...known]).toEqual(['before']);
  expect(log.lines.map(({ message }) => message)).toContain('the hub has gone back to an older state, listing again');
});
