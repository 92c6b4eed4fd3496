import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../../src/fleet/kinds.js';
import type { CacheChange } from '../../../src/sources/live/cache.js';
import { Connection } from '../../../src/hub/connection.js';
import { LiveFleet } from '../../../src/sources/live/live-fleet.js';
import { cluster, overrideSnapshot, placement, run, strategy, type Draft } from '../../support/builders.js';
import { RecordingLog } from '../../support/guard.js';
import { scaledClock } from '../../support/scaled-clock.js';
import { jsonIn, scopes } from '../../support/scopes.js';
import { ScriptedApi, type Fault } from '../../support/scripted-api.js';
import { until } from '../../support/until.js';

let api: ScriptedApi;
let connection: Connection;
let live: LiveFleet;
let changes: CacheChange[];
let log: RecordingLog;
const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

beforeEach(async () => {
  api = await ScriptedApi.start();
  connection = new Connection({ kubeconfig: api.kubeconfig() });
  changes = [];
  log = new RecordingLog();
  const onChange = (change: CacheChange) => changes.push(change);
  live = new LiveFleet({ hub: connection, clock: scaledClock(200), log, onChange });
  unhandled.length = 0;
});

afterEach(async () => {
  await live.stop();
  await connection.close();
  await api.stop();
  expect(unhandled).toEqual([]);
});

const [clusterScope, namespaced] = scopes as [(typeof scopes)[0], (typeof scopes)[0]];
const put = (draft: Draft, scope = clusterScope) => {
  api.put(jsonIn(scope, draft));
};
const strategyKind = kindIn('UpdateStrategy', undefined);
const namesOf = (): string[] => live.cache.all('UpdateStrategy').map(({ metadata }) => metadata.name);

/** The cache holds what the server holds, version by version, and was told of each change once. */
const isTruth = (): boolean => {
  const versions = (objects: readonly { metadata: { name: string; resourceVersion?: string } }[]) =>
    objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion ?? ''}`).sort();
  return (
    JSON.stringify(versions(live.cache.all('UpdateStrategy'))) === JSON.stringify(versions(api.truth(strategyKind)))
  );
};

const expectNothingTwice = (): void => {
  const told = changes.map(
    ({ kind, key, object }) =>
      `${kind.kind} ${key.namespace ?? ''}/${key.name} ${object?.metadata.resourceVersion ?? 'gone'}`,
  );
  const puts = told.filter((line) => !line.endsWith('gone'));
  expect(new Set(puts).size).toBe(puts.length);
};

const faults: [string, Fault][] = [
  ['a connection that is cut', { is: 'cut' }],
  ['an answer that is cut in the middle', { is: 'cut in the middle' }],
  ['an answer that never comes', { is: 'stall' }],
  ['garbage', { is: 'garbage' }],
  ['401', { is: 'status', status: 401 }],
  ['403', { is: 'status', status: 403 }],
  ['410', { is: 'status', status: 410 }],
  ['429', { is: 'status', status: 429, retryAfter: 1 }],
  ['500', { is: 'status', status: 500 }],
  ['503', { is: 'status', status: 503 }],
];

test('of an override in a namespace it is known which placement it is for, and of one of cluster scope that it is there', async () => {
  const placement = { name: 'shop', scope: 'Namespaced' };
  for (const scope of scopes) put(overrideSnapshot(true, { placement }), scope);
  live.start();
  await until(() => live.cache.all('OverrideSnapshot').length === 2);
  expect(live.cache.all('OverrideSnapshot').map(({ kind, spec }) => [kind, spec.placement])).toEqual([
    ['ClusterResourceOverrideSnapshot', undefined],
    ['ResourceOverrideSnapshot', placement],
  ]);
});

describe('the live fleet', () => {
  test('knows both scopes after its first sync, and follows what happens', async () => {
    put(strategy('rings'));
    put(strategy('rings'), namespaced);
    put(cluster('eu', { ring: '0' }));
    live.start();
    expect(live.missing()).not.toEqual([]);
    await live.synced;
    expect(live.missing()).toEqual([]);
    expect(live.cache.get('UpdateStrategy', { name: 'rings', namespace: 'team-a' }).is).toBe('known');
    expect(live.cache.list('MemberCluster', {}).items[0]?.metadata.labels['ring']).toBe('0');
    put(strategy('waves'));
    await until(() => namesOf().includes('waves'));
    api.remove(strategyKind, 'rings');
    await until(() => live.cache.get('UpdateStrategy', { name: 'rings' }).is === 'absent');
    expectNothingTwice();
  });

  test('lists in pages', async () => {
    for (let i = 0; i < 1203; i++) put(strategy(`s-${String(i)}`));
    // On the fast clock a page of a busy machine would count as lost, and be asked for again.
    live = new LiveFleet({ hub: connection, log });
    live.start();
    await live.synced;
    expect(isTruth()).toBe(true);
    const pages = api.requests.filter(({ verb, path }) => verb === 'list' && path.includes(`/${strategyKind.plural}?`));
    // Strategies are small: after a first look at their size, as many as there may be.
    expect(pages.map(({ path }) => path.replace(/.*limit=(\d+).*/, '$1'))).toEqual(['20', '500', '500', '500']);
  });

  test('lists large objects a few at a time, and each of them once', async () => {
    const note = 'x'.repeat(64 * 1024);
    for (let i = 0; i < 150; i++) put(placement(`p-${String(i)}`, { metadata: { annotations: { note } } }));
    live = new LiveFleet({ hub: connection, log });
    live.start();
    await live.synced;
    expect(isTruth()).toBe(true);
    const pages = api.requests.filter(({ verb, path }) => verb === 'list' && path.includes('resourceplacements?'));
    const limits = pages.map(({ path }) => Number(path.replace(/.*limit=(\d+).*/, '$1')));
    expect(limits.sort((a, b) => a - b)).toEqual([20, 20, 63, 63, 63]);
  });

  test('asks for metadata alone where that is enough', async () => {
    put({ family: 'MemberCluster', json: { metadata: { name: 'eu' }, spec: { identity: {} } } });
    live.start();
    await live.synced;
    expect(live.cache.get('MemberCluster', { name: 'eu' })).toMatchObject({ value: { kind: 'MemberCluster' } });
  });

  describe.each(faults)('recovers from %s', (_, fault) => {
    test('on the first list, and stays unready meanwhile', async () => {
      put(strategy('rings'));
      // More than come to pass before anybody looks.
      api.faults.list.push(...Array.from({ length: 10_000 }, () => fault));
      live.start();
      await until(() => live.ages().some(({ failures }) => failures > 0));
      expect(live.missing()).not.toEqual([]);
      api.faults.list.length = 0;
      await live.synced;
      expect(isTruth()).toBe(true);
      expectNothingTwice();
    });

    test('on the watch, without losing a change', async () => {
      put(strategy('rings'));
      api.faults.watch.push(...Array.from({ length: 20 }, () => fault));
      live.start();
      await live.synced;
      for (const name of ['a', 'b', 'c']) put(strategy(name));
      api.remove(strategyKind, 'a');
      await until(() => isTruth() && namesOf().includes('c'));
      expectNothingTwice();
    });

    test('on a list that follows a lost watch', async () => {
      live.start();
      await live.synced;
      put(strategy('rings'));
      api.compact();
      api.faults.list.push(...Array.from({ length: 20 }, () => fault));
      api.cutWatches();
      put(strategy('waves'));
      await until(() => namesOf().length === 2);
      expect(isTruth()).toBe(true);
      expectNothingTwice();
    });
  });

  test('lists again when the watch says that it has expired', async () => {
    put(strategy('rings'));
    api.faults.watch.push(...Array.from({ length: 15 }, (): Fault => ({ is: 'error event', status: 410 })));
    live.start();
    await live.synced;
    put(strategy('waves'));
    await until(() => namesOf().length === 2);
    const { lists = 0 } = live.ages().find(({ family }) => family === 'UpdateStrategy') ?? {};
    expect(lists).toBeGreaterThan(1);
    expectNothingTwice();
  });

  test('goes on where it was after an error in the watch that is no expiry', async () => {
    put(strategy('rings'));
    api.faults.watch.push(...Array.from({ length: 15 }, (): Fault => ({ is: 'error event', status: 500 })));
    live.start();
    await live.synced;
    put(strategy('waves'));
    await until(() => namesOf().length === 2);
    expect(live.ages().find(({ family }) => family === 'UpdateStrategy')).toMatchObject({ lists: 1 });
  });

  test('forgets what was deleted while the watch was away', async () => {
    put(strategy('rings'));
    live.start();
    await live.synced;
    api.cutWatches();
    api.remove(strategyKind, 'rings');
    api.compact();
    await until(() => namesOf().length === 0);
  });

  test('says how long it has heard nothing, and keeps what it knows', async () => {
    put(strategy('rings'));
    live.start();
    await live.synced;
    await api.stop();
    const age = () => live.ages().find(({ family }) => family === 'UpdateStrategy')?.seconds ?? 0;
    const warned = () =>
      log.lines.filter(({ level, fields }) => level === 'warn' && fields['kind'] === strategyKind.kind);
    await until(() => age() > 40 && warned().length > 0);
    expect(namesOf()).toEqual(['rings']);
    expect(live.missing()).toEqual([]);
    expect(warned()).toHaveLength(1);
    api = await ScriptedApi.start();
  });

  test('takes up a run of many clusters without their messages', async () => {
    put(run('release', { status: { stagesStatus: [{ stageName: 'a', clusters: [{ clusterName: 'eu' }] }] } }));
    live.start();
    await live.synced;
    const answer = live.cache.get('UpdateRun', { name: 'release' });
    expect(answer).toMatchObject({ value: { status: { stagesStatus: [{ clusters: [{ clusterName: 'eu' }] }] } } });
  });
});

describe('kinds that the hub does not serve', () => {
  test('count as empty, are said in the log, and are taken up once they are served', async () => {
    api.unserved.add('StagedUpdateStrategy');
    live.start();
    await live.synced;
    expect(live.cache.get('UpdateStrategy', { name: 'rings', namespace: 'team-a' })).toEqual({ is: 'absent' });
    expect(log.lines.filter(({ fields }) => fields['kind'] === 'StagedUpdateStrategy')).toHaveLength(1);
    api.unserved.clear();
    put(strategy('rings'), namespaced);
    await until(() => live.cache.get('UpdateStrategy', { name: 'rings', namespace: 'team-a' }).is === 'known');
  });

  test('are let go when they are served no longer', async () => {
    put(placement('shop'), namespaced);
    live.start();
    await live.synced;
    api.unserved.add('ResourcePlacement');
    await until(() => live.cache.get('Placement', { name: 'shop', namespace: 'team-a' }).is === 'absent');
    expect(live.ages().some(({ family, scope }) => family === 'Placement' && scope === 'namespaced')).toBe(false);
  });

  test('are not guessed while the API server does not answer', async () => {
    api.faults.discover.push(...Array.from({ length: 8 }, (): Fault => ({ is: 'status', status: 503 })));
    live.start();
    await until(() => log.lines.length > 0);
    expect(live.missing()).toEqual(['an answer of the API server']);
    expect(live.cache.get('Placement', { name: 'shop' })).toEqual({ is: 'unknown' });
    await live.synced;
  });
});

test('nothing is left running after stop', async () => {
  live.start();
  await live.synced;
  await live.stop();
  await until(() => api.openWatches === 0);
  // What was on its way when it stopped may still arrive.
  await until(async () => {
    const before = api.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return api.requests.length === before && api.openWatches === 0;
  });
});
