import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { silentLog, type Log } from '../../../src/log.js';
import { storedIn, watchFleet, type WatchedFleet, type WatchOptions } from '../../../src/sources/manifests/watch.js';
import { diskReader, type FileReader } from '../../../src/sources/manifests/file-reader.js';
import { until } from '../../support/until.js';

jest.setTimeout(20_000);

let folder: string;
let watched: WatchedFleet | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
});
afterEach(async () => {
  watched?.stop();
  await rm(folder, { recursive: true, force: true });
});

const member = (name: string): string =>
  `apiVersion: cluster.kubernetes-fleet.io/v1beta1\nkind: MemberCluster\nmetadata: {name: ${name}}\n`;
const names = (): string[] =>
  (watched?.current().fleet.all('MemberCluster') ?? []).map(({ metadata }) => metadata.name);
const start = async (path: string, more: Partial<WatchOptions> = {}): Promise<void> => {
  watched = await watchFleet(path, { log: silentLog, pollMilliseconds: 30, debounceMilliseconds: 10, ...more });
};

test('a fleet follows the files of its folder', async () => {
  await writeFile(join(folder, 'a.yaml'), member('a'));
  await start(folder);
  expect(names()).toEqual(['a']);
  await writeFile(join(folder, 'b.yaml'), member('b'));
  await until(() => names().length === 2);
  await rm(join(folder, 'a.yaml'));
  await until(() => names().length === 1);
  expect(names()).toEqual(['b']);
});

test('a fleet follows a single file that is replaced', async () => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, member('a'));
  await start(file);
  await rm(file);
  await writeFile(file, member('another'));
  await until(() => names()[0] === 'another');
  expect(names()).toEqual(['another']);
});

test('a file that is broken keeps the fleet as it was, and says so', async () => {
  const said: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => said.push(message) };
  await writeFile(join(folder, 'a.yaml'), member('a'));
  await start(folder, { log });
  await writeFile(join(folder, 'b.yaml'), '{ broken');
  await until(() => said.length > 0);
  expect(said[0]).toBe('the fleet cannot be read; the one before stays');
  expect(names()).toEqual(['a']);
});

test('what was read first is never taken last', async () => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, member('first'));
  let release = (): void => undefined;
  let reads = 0;
  const reader: FileReader = {
    ...diskReader,
    async read(path, limit) {
      const bytes = await diskReader.read(path, limit);
      reads += 1;
      // The second reading has the bytes, and is slow to do something with them.
      if (reads === 2) await new Promise<void>((resolve) => (release = resolve));
      return bytes;
    },
  };
  let looks = 0;
  const counted: FileReader = { ...reader, stat: (path) => ((looks += 1), reader.stat(path)) };
  await start(file, { reader: counted });
  await writeFile(file, member('second'));
  await until(() => reads === 2);
  await writeFile(file, member('third'));
  // Whoever does not wait for the second reading has read the third by then.
  await new Promise((resolve) => setTimeout(resolve, 200));
  release();
  await until(() => reads === 3 && names()[0] !== 'first' && names()[0] !== 'second');
  const before = looks;
  await until(() => looks > before + 1);
  expect(names()).toEqual(['third']);
});

test('a fleet is followed also where the system has no events left to give', async () => {
  const said: unknown[] = [];
  const log: Log = { ...silentLog, warn: (fields) => said.push(fields['error']) };
  await writeFile(join(folder, 'a.yaml'), member('a'));
  const watch = (): never => {
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
  };
  await start(folder, { log, watch });
  await writeFile(join(folder, 'b.yaml'), member('b'));
  await until(() => names().length === 2);
  expect(said).toEqual(['ENOSPC: System limit for number of file watchers reached']);
});

test('a fleet that cannot be read at the start is an error that names the file', async () => {
  await writeFile(join(folder, 'b.yaml'), '{ broken');
  await expect(start(folder)).rejects.toThrow('b.yaml');
  await expect(start(join(folder, 'nowhere'))).rejects.toThrow('nowhere');
});

test('objects are found as their files have them', async () => {
  const approval = `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ApprovalRequest\nmetadata: {name: x, namespace: team-a}\nspec: {parentStageRollout: r, targetStage: s}\n`;
  await writeFile(join(folder, 'a.yaml'), `${member('x')}---\n${approval}`);
  await start(folder);
  const documents = watched?.current().documents ?? [];
  expect(storedIn(documents, { plural: 'memberclusters', namespace: undefined, name: 'x' })).toMatchObject({
    kind: 'MemberCluster',
  });
  expect(storedIn(documents, { plural: 'approvalrequests', namespace: 'team-a', name: 'x' })).toMatchObject({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
  });
  expect(storedIn(documents, { plural: 'approvalrequests', namespace: 'team-b', name: 'x' })).toBeUndefined();
});
