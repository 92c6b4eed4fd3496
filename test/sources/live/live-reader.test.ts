import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ListAnswer } from '../../../src/fleet/state.js';
import type { UpdateRun } from '../../../src/fleet/model.js';
import { Connection } from '../../../src/hub/connection.js';
import { LiveFleet } from '../../../src/sources/live/live-fleet.js';
import { LiveReader } from '../../../src/sources/live/live-reader.js';
import { run } from '../../support/builders.js';
import { RecordingLog } from '../../support/guard.js';
import { scaledClock } from '../../support/scaled-clock.js';
import { jsonIn, scopes, type Scope } from '../../support/scopes.js';
import { ScriptedApi } from '../../support/scripted-api.js';

let api: ScriptedApi;
let connection: Connection;
let live: LiveFleet;
const log = new RecordingLog();

beforeEach(async () => {
  api = await ScriptedApi.start();
  connection = new Connection({ kubeconfig: api.kubeconfig() });
  live = new LiveFleet({ hub: connection, clock: scaledClock(100), log });
});

afterEach(async () => {
  await live.stop();
  await connection.close();
  await api.stop();
});

const [inCluster, inTeamA] = scopes as [Scope, Scope];
const inTeamB = { ...inTeamA, namespace: 'team-b' };

function put(scope: Scope, name: string, state = 'Run'): void {
  api.put(jsonIn(scope, run(name, { spec: { state } })));
}

async function runsEverywhere(): Promise<readonly string[]> {
  const reader = new LiveReader({ hub: connection, cache: live.cache, log });
  const ask = { how: 'list', family: 'UpdateRun', query: { everywhere: true } } as const;
  const { items, complete } = (await reader.read(ask, AbortSignal.timeout(5000))) as ListAnswer<UpdateRun>;
  expect(complete).toBe(true);
  return items.map(({ metadata: { name, namespace = '' }, spec }) => `${namespace}/${name} ${spec.state}`);
}

test.each([1, 10])('runs of all namespaces are read anew, %i of a name', async (times) => {
  const names = Array.from({ length: times }, (_, index) => `r${String(index)}`);
  for (const scope of [inTeamB, inCluster, inTeamA]) for (const name of names) put(scope, name);
  live.start();
  await live.synced;
  api.holdWatches();
  put(inTeamB, 'r0', 'Stop');
  const expected = ['', 'team-a', 'team-b'].flatMap((namespace) =>
    names.map((name) => `${namespace}/${name} ${namespace === 'team-b' && name === 'r0' ? 'Stop' : 'Run'}`),
  );
  expect(await runsEverywhere()).toEqual(expected);
  expect(live.cache.list('UpdateRun', { everywhere: true }).items.every(({ spec }) => spec.state === 'Run')).toBe(true);
});

test.each(['..', '.', '', 'a/b', '..%2f', 'Shop'])(
  'no object has the name %j, and nobody is asked for it',
  async (name) => {
    const reader = new LiveReader({ hub: connection, cache: live.cache, log });
    const ask = { how: 'get', family: 'Placement', key: { name, namespace: undefined } } as const;
    const before = api.requests.length;
    expect(await reader.read(ask, AbortSignal.timeout(5000))).toEqual({ is: 'absent' });
    expect(api.requests).toHaveLength(before);
  },
);
