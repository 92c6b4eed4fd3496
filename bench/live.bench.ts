import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLiveJudge } from '../src/guard/live-judge.js';
import type { Change } from '../src/engine/change.js';
import { defaultPolicy } from '../src/engine/policy.js';
import { decisionOf } from '../src/engine/verdict.js';
import { decode } from '../src/fleet/decode.js';
import type { KindOfFamily } from '../src/fleet/kinds.js';
import { silentLog } from '../src/log.js';
import { catalogue } from '../src/rules/index.js';
import { watchedKinds } from '../src/hub/collection.js';
import { LiveCache } from '../src/sources/live/cache.js';
import { HubError, type Hub, type ListEnd } from '../src/hub/hub.js';
import { LiveReader } from '../src/sources/live/live-reader.js';
import * as fleet from './large-fleet.js';
import { serveLargeFleet } from './live-api.js';
import { buildGuard } from './edge/programs.js';
import { limitsOfChart, syncOnce } from './live-sync.js';
import { figure, median, note, promise } from './promise.js';

/** This very script, as another process: the API server. */
const asApi = () => fork(process.argv[1] ?? '', ['api'], { execArgv: [] });

async function measureSync(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'stageguard-'));
  const api = asApi();
  try {
    const { port } = await new Promise<{ port: number }>((resolve) => api.once('message', resolve));
    const kubeconfig = join(scratch, 'kubeconfig');
    const server = `http://127.0.0.1:${String(port)}`;
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'bench',
        clusters: [{ name: 'bench', cluster: { server, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'bench', user: { token: 'bench' } }],
        contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
      }),
    );
    const { seconds, peak, steady } = await syncOnce(buildGuard(scratch), kubeconfig);
    figure('limit of the chart', limitsOfChart().memory, ' MB');
    promise('resident memory at the peak of the first sync', Math.round(peak), { atMost: 400, unit: ' MB' });
    promise('resident memory after the first sync', Math.round(steady), { atMost: 250, unit: ' MB' });
    figure('time of the first sync', seconds, ' s');
  } finally {
    api.kill();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const collect = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

function measureRuns(): void {
  const count = 1000;
  const texts = Array.from({ length: count }, (_, i) => JSON.stringify(fleet.run(i)));
  note('JSON of one run', `${((texts[0]?.length ?? 0) / 1024).toFixed(0)} KB`);
  const before = collect();
  const whole = texts.map((text) => JSON.parse(text) as unknown);
  const between = collect();
  const cache = new LiveCache();
  const sink = cache.sinkFor(fleet.kindNamed('ClusterStagedUpdateRun'));
  for (const text of texts) sink.put(JSON.parse(text));
  const after = collect();
  note('heap of one run, whole', `${((between - before) / whole.length / 1024).toFixed(1)} KB`);
  note('heap of one run, as kept', `${((after - between) / cache.all('UpdateRun').length / 1024).toFixed(1)} KB`);
  promise('whole run against the run as kept', (between - before) / (after - between), { atLeast: 5 });
}

function cacheWith(runs: number): LiveCache {
  const cache = new LiveCache();
  const put = (kind: string, json: unknown): void => {
    cache.sinkFor(fleet.kindNamed(kind)).put(json);
  };
  for (let i = 0; i < fleet.sizes.memberClusters; i++) put('MemberCluster', fleet.memberCluster(i));
  for (let i = 0; i < fleet.sizes.placements; i++) put('ClusterResourcePlacement', fleet.placement(i));
  for (let i = 0; i < fleet.sizes.resourceSnapshots; i++) put('ClusterResourceSnapshot', fleet.resourceSnapshot(i));
  for (let i = 0; i < runs; i++) put('ClusterStagedUpdateRun', fleet.run(i));
  for (const kind of watchedKinds) {
    const keys = cache.all(kind.family).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
    cache.sinkFor(kind).keepOnly(new Set(keys));
  }
  return cache;
}

/** Answers every read from memory, and counts. */
class CountingHub implements Hub {
  calls = 0;

  call({ path }: { readonly path: string }): Promise<unknown> {
    this.calls += 1;
    const { pathname } = new URL(path, 'http://localhost');
    const [, , , , , name] = pathname.split('/');
    if (name === 'placement-0') return Promise.resolve(fleet.placement(0));
    if (name === 'rings') return Promise.resolve(fleet.strategy);
    return Promise.reject(new HubError(404, 'not found'));
  }

  list({ path }: { readonly path: string }, take: (item: unknown) => void): Promise<ListEnd> {
    this.calls += 1;
    const { pathname } = new URL(path, 'http://localhost');
    const [, , , , plural = ''] = pathname.split('/');
    const lists: Readonly<Record<string, readonly unknown[]>> = {
      clusterschedulingpolicysnapshots: [fleet.policySnapshot(0)],
      clusterresourcebindings: fleet.bindings(0),
      clusterresourcesnapshots: Array.from({ length: 10 }, (_, i) =>
        fleet.resourceSnapshot(i * fleet.sizes.placements),
      ),
      memberclusters: Array.from({ length: fleet.sizes.memberClusters }, (_, i) => fleet.memberCluster(i)),
    };
    lists[plural]?.forEach(take);
    return Promise.resolve({ version: '1', next: '', bytes: 0 });
  }

  stream(): Promise<AsyncIterable<unknown>> {
    return Promise.reject(new HubError(404, 'not found'));
  }
}

/** By the clock of the process, long after all is measured: no verdict of a bench runs out of time. */
const deadline = 24 * 60 * 60 * 1000;

function creationOf(resourceSnapshotIndex: string): Change {
  const kind = fleet.kindNamed('ClusterStagedUpdateRun') as KindOfFamily & { family: 'UpdateRun' };
  const json = {
    metadata: { name: 'new', uid: 'new' },
    spec: { placementName: 'placement-0', stagedRolloutStrategyName: 'rings', state: 'Run', resourceSnapshotIndex },
  };
  return {
    family: 'UpdateRun',
    operation: 'CREATE',
    name: 'new',
    namespace: undefined,
    subresource: undefined,
    requestVersion: 'v1beta1',
    user: 'bench',
    dryRun: false,
    object: decode(kind, json).object,
  };
}

async function measureVerdicts(): Promise<void> {
  const worlds = [100, fleet.sizes.runs].map((runs) => {
    const cache = cacheWith(runs);
    const hub = new CountingHub();
    const reader = new LiveReader({ hub, cache, log: silentLog });
    const now = Date.parse('2026-11-17T12:00:00Z');
    const world = () => ({ rules: catalogue, policy: defaultPolicy, now });
    return {
      hub,
      times: [] as number[],
      judge: createLiveJudge({ cache, read: reader.read, world, elapsed: () => performance.now() }),
    };
  });
  const [small, large] = worlds;
  if (small === undefined || large === undefined) return;
  for (let round = 0; round < 300; round++) {
    for (const { judge, times } of worlds) {
      const started = performance.now();
      await judge(creationOf('0'), { deadline });
      if (round >= 50) times.push(performance.now() - started);
    }
  }
  const times = [median(small.times), median(large.times)] as const;
  note('verdict on a new run', `${times[0].toFixed(2)} ms at 100 runs, ${times[1].toFixed(2)} ms at 10,000`);
  promise('verdict at 10,000 runs against 100', times[1] / times[0], { atMost: 1.5 });
  await countTrips(large);
}

async function countTrips({
  hub,
  judge,
}: {
  hub: CountingHub;
  judge: ReturnType<typeof createLiveJudge>;
}): Promise<void> {
  const count = async (index: string): Promise<{ calls: number; decision: string }> => {
    hub.calls = 0;
    const verdict = await judge(creationOf(index), { deadline });
    return { calls: hub.calls, decision: decisionOf(verdict) };
  };
  const good = await count('0');
  note('a sound run', good.decision);
  promise('round trips: placement, strategy, policy snapshots, bindings', good.calls, { atMost: 4 });
  const bad = await count('77');
  note('a run of a snapshot that is not there', bad.decision);
  promise('round trips of a refusal: these, and one for each other fact it was judged by', bad.calls, { atMost: 12 });
}

if (process.argv[2] === 'api') serveLargeFleet();
else {
  await measureSync();
  measureRuns();
  await measureVerdicts();
}
