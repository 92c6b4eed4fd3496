import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { watchConfig, type WatchedConfig } from '../../../src/guard/serving/watched-config.js';
import { RecordingLog } from '../../support/guard.js';
import { scaledClock } from '../../support/scaled-clock.js';
import { until } from '../../support/until.js';

let folder: string;
let file: string;
let log: RecordingLog;
let settings: WatchedConfig | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
  file = join(folder, 'config.yaml');
  log = new RecordingLog();
});
afterEach(async () => {
  await settings?.stop();
  settings = undefined;
  await rm(folder, { recursive: true });
});

async function follow(text: string): Promise<WatchedConfig> {
  await writeFile(file, text);
  settings = await watchConfig(file, { log, clock: scaledClock(100) });
  settings.start();
  return settings;
}

test('what the file says is in use as soon as it says it', async () => {
  const followed = await follow('claims: {settleSeconds: 60}');
  expect(followed.current().claims).toEqual({ settleSeconds: 60, whenUnavailable: 'retry' });
  await writeFile(file, 'claims: {settleSeconds: 90, whenUnavailable: admit}\nconcurrency: compatible');
  await until(() => followed.current().concurrency === 'compatible');
  expect(followed.current().claims).toEqual({ settleSeconds: 90, whenUnavailable: 'admit' });
  expect(log.lines).toMatchObject([{ level: 'info', fields: { changed: ['claims', 'concurrency'] } }]);
});

test('a file that cannot be used changes nothing, says so once, and is taken when it is repaired', async () => {
  const followed = await follow('concurrency: compatible');
  await writeFile(file, 'concurrency: compatable');
  await until(() => !followed.isCurrent());
  await unlink(file);
  await until(() => log.lines.length === 2);
  expect(followed.current().concurrency).toBe('compatible');
  await writeFile(file, 'concurrency: "off"');
  await until(() => followed.isCurrent());
  expect(followed.current().concurrency).toBe('off');
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'error', 'info']);
  expect(log.lines[0]?.fields['error']).toContain('did you mean "compatible"');
});

test('a file that is a link, as in a mounted ConfigMap, is followed to where the link leads now', async () => {
  await writeFile(join(folder, 'before'), 'concurrency: exclusive');
  await writeFile(join(folder, 'after'), 'concurrency: compatible');
  await symlink(join(folder, 'before'), file);
  settings = await watchConfig(file, { log, clock: scaledClock(1000) });
  settings.start();
  await unlink(file);
  await symlink(join(folder, 'after'), file);
  await until(() => settings?.current().concurrency === 'compatible');
});

test('a guard does not start on a file that cannot be used', async () => {
  await writeFile(file, 'concurrency: 5');
  await expect(watchConfig(file, { log })).rejects.toThrow('concurrency: expected');
});

test('without a file the settings are the defaults, and stay so', async () => {
  settings = await watchConfig(undefined, { log });
  settings.start();
  expect([settings.current().concurrency, settings.isCurrent()]).toEqual(['exclusive', true]);
});
