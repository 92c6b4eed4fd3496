import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLiveJudge } from '../../src/guard/live-judge.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decisionOf, refusalsOf, type Verdict } from '../../src/engine/verdict.js';
import { kindIn } from '../../src/fleet/kinds.js';
import { catalogue } from '../../src/rules/index.js';
import { Connection } from '../../src/hub/connection.js';
import { LiveFleet } from '../../src/sources/live/live-fleet.js';
import { LiveReader } from '../../src/sources/live/live-reader.js';
import {
  approval,
  binding,
  cluster,
  condition,
  creation,
  deletion,
  placement,
  policySnapshot,
  run,
  soundFleet,
  stage,
  start,
  strategy,
  update,
  type ChangeDraft,
  type Draft,
} from '../support/builders.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
import { changeIn, fleetIn, jsonIn, scopes } from '../support/scopes.js';
import { ScriptedApi, type Fault } from '../support/scripted-api.js';

const now = Date.parse('2026-11-17T12:00:00Z');
const world = () => ({ rules: catalogue, policy: defaultPolicy, now });
const elapsed = (): number => performance.now();
const rulesOf = (verdict: Verdict) => refusalsOf(verdict).map(({ rule }) => rule);

const release = creation(run('release', { spec: { state: 'Run' } }));
const finished = { conditions: [condition('Initialized', 'True'), condition('Succeeded', 'True')] };
const executing = { conditions: [condition('Initialized', 'True'), condition('Progressing', 'True')] };

describe.each(scopes)('a guard beside a hub, $name', (scope) => {
  let api: ScriptedApi;
  let connection: Connection;
  let live: LiveFleet;
  let log: RecordingLog;

  beforeEach(async () => {
    api = await ScriptedApi.start();
    connection = new Connection({ kubeconfig: api.kubeconfig() });
    log = new RecordingLog();
    live = new LiveFleet({ hub: connection, clock: scaledClock(100), log });
  });

  afterEach(async () => {
    await live.stop();
    await connection.close();
    await api.stop();
  });

  const put = (...drafts: readonly Draft[]) => {
    for (const draft of drafts) api.put(jsonIn(scope, draft));
  };
  const synced = async () => {
    live.start();
    await live.synced;
  };
  const judge = (draft: ChangeDraft, milliseconds = 5000): Promise<Verdict> => {
    const reader = new LiveReader({ hub: connection, cache: live.cache, log });
    const judgeLive = createLiveJudge({ cache: live.cache, read: reader.read, world, elapsed });
    return judgeLive(changeIn(scope, draft), { deadline: elapsed() + milliseconds });
  };

  /** The fleet itself goes on watching, and on a busy machine lists again; it never lists by label. */
  const liveReads = (): string[] =>
    api.requests
      .filter(({ verb, path }) => verb === 'get' || (verb === 'list' && path.includes('labelSelector=')))
      .map(({ verb }) => verb);

  test('admits a sound run by four reads, all in the same moment', async () => {
    put(...soundFleet);
    await synced();
    expect(decisionOf(await judge(release))).toBe('admit');
    expect(liveReads().sort()).toEqual(['get', 'get', 'list', 'list']);
  });

  test('reads the same to start a run, and nothing to stop one', async () => {
    put(...soundFleet);
    await synced();
    const prepared = run('release', { status: { conditions: [condition('Initialized', 'True')] } });
    await judge(start(prepared));
    const before = liveReads();
    expect(before.filter((verb) => verb === 'get').length).toBeGreaterThanOrEqual(2);
    const executed = run('release', { status: executing });
    await judge(update(executed, run('release', { status: executing, spec: { state: 'Stop' } })));
    expect(liveReads()).toEqual(before);
  });

  test('says what is the matter with a run that is stopped or deleted, and reads nothing for it', async () => {
    put(...soundFleet);
    await synced();
    const conditions = [
      condition('Initialized', 'True'),
      { ...condition('Progressing', 'False'), reason: 'UpdateRunStuck', message: 'stuck waiting for eu' },
    ];
    const stuck = run('release', { status: { conditions } });
    const before = liveReads();
    const verdict = await judge(update(stuck, run('release', { status: { conditions }, spec: { state: 'Stop' } })));
    expect(verdict.diagnosis).toMatch(/^run "release" is in trouble: stuck: KubeFleet says: "stuck waiting for eu"/);
    expect((await judge(deletion(stuck))).diagnosis).toBe(verdict.diagnosis);
    const lately = {
      conditions: executing.conditions.map((one) => ({ ...one, lastTransitionTime: new Date(now).toISOString() })),
    };
    expect((await judge(deletion(run('release', { status: lately })))).diagnosis).toBeUndefined();
    expect(liveReads()).toEqual(before);
  });

  test('admits a run whose strategy was created while the watch was 5 s behind', async () => {
    put(...soundFleet.filter(({ family }) => family !== 'UpdateStrategy'));
    await synced();
    api.holdWatches();
    put(strategy('rings', stage('canary')));
    expect(live.cache.get('UpdateStrategy', { name: 'rings', namespace: scope.namespace })).toEqual({ is: 'absent' });
    expect(decisionOf(await judge(release))).toBe('admit');
  });

  test('refuses a run whose strategy is gone though the cache still has it', async () => {
    put(...soundFleet);
    await synced();
    api.holdWatches();
    api.remove(kindIn('UpdateStrategy', scope.namespace), 'rings', scope.namespace);
    expect(rulesOf(await judge(release))).toContain('run-strategy-exists');
  });

  test('does not refuse for a run that has ended while the watch was behind', async () => {
    put(...soundFleet, run('earlier', { status: executing }));
    await synced();
    expect(rulesOf(await judge(release))).toContain('run-placement-free');
    api.holdWatches();
    put(run('earlier', { status: finished }));
    expect(decisionOf(await judge(release))).toBe('admit');
    api.remove(kindIn('UpdateRun', scope.namespace), 'earlier', scope.namespace);
    expect(decisionOf(await judge(release))).toBe('admit');
  });

  test('finds out by one list which of many runs have changed', async () => {
    const many = Array.from({ length: 30 }, (_, i) => run(`earlier-${String(i)}`, { status: executing }));
    put(...soundFleet, ...many);
    await synced();
    api.holdWatches();
    put(run('earlier-7', { status: finished }));
    const before = api.count('get');
    const verdict = await judge(release);
    expect(rulesOf(verdict)).toContain('run-placement-free');
    expect(api.count('get') - before).toBeLessThan(10);
  });

  test('does not refuse for labels of a cluster that were repaired while the watch was behind', async () => {
    put(...soundFleet, cluster('eu', { ring: 'other' }));
    await synced();
    expect(rulesOf(await judge(release))).toContain('run-cluster-in-some-stage');
    api.holdWatches();
    put(cluster('eu', { ring: 'canary' }));
    expect(decisionOf(await judge(release))).toBe('admit');
  });

  describe.each<[string, Fault]>([
    ['forbidden', { is: 'status', status: 403 }],
    ['unavailable', { is: 'status', status: 503 }],
    ['cut', { is: 'cut' }],
    ['garbage', { is: 'garbage' }],
    ['stalled', { is: 'stall' }],
  ])('where live reads are %s', (_, fault) => {
    test('it cannot tell, and never says "not found"', async () => {
      await synced();
      put(...soundFleet);
      const several = Array.from({ length: 40 }, () => fault);
      api.faults.get.push(...several);
      api.faults.list.push(...several);
      const verdict = await judge(release, 400);
      expect(decisionOf(verdict)).toBe('retry');
      expect(refusalsOf(verdict).every(({ outcome }) => outcome === 'undetermined')).toBe(true);
      expect(log.lines.some(({ message }) => message === 'could not be read live')).toBe(true);
    });
  });

  test('answers by its deadline when the API server stalls', async () => {
    put(...soundFleet);
    await synced();
    api.faults.list.push({ is: 'stall' }, { is: 'stall' });
    const verdict = await judge(release, 300);
    expect(decisionOf(verdict)).toBe('retry');
  });

  test('judges by live reads before its first sync', async () => {
    put(...soundFleet.filter(({ family }) => family !== 'UpdateStrategy'));
    const verdict = await judge(release);
    expect(rulesOf(verdict)).toContain('run-strategy-exists');
    put(strategy('rings', stage('canary')));
    const rules = rulesOf(await judge(release));
    expect(rules).not.toContain('run-strategy-exists');
    expect(rules).not.toContain('run-placement-exists');
  });

  test('says which of its reads were answered', async () => {
    put(...soundFleet);
    const told: string[] = [];
    api.faults.get.push({ is: 'status', status: 403 });
    const reader = new LiveReader({
      hub: connection,
      cache: live.cache,
      log,
      onRead: ({ family, isAnswered }) => told.push(`${family} ${String(isAnswered)}`),
    });
    const { signal } = new AbortController();
    const key = { name: 'shop', namespace: scope.namespace };
    expect(await reader.read({ how: 'get', family: 'Placement', key }, signal)).toEqual({ is: 'unknown' });
    expect(await reader.read({ how: 'get', family: 'Placement', key }, signal)).toMatchObject({ is: 'known' });
    expect(told).toEqual(['Placement false', 'Placement true']);
  });
});

/** A part of a small world; a cache and a truth drawn from it differ as a cache that lags does. */
const pieces: readonly Draft[] = [
  ...soundFleet,
  cluster('us', { ring: 'rest' }),
  binding('us'),
  policySnapshot('shop', { index: 1 }),
  placement('shop', { spec: { strategy: { type: 'RollingUpdate' } } }),
  strategy('rings', stage('canary'), stage('rest')),
  strategy('rings', stage('canary'), { name: 'all', labelSelector: {} }),
  run('earlier', { status: executing }),
  run('earlier', { status: finished }),
  approval('release-after-canary'),
];
const some = fc.shuffledSubarray([...pieces]);

test.each(scopes)('no refusal goes out that the truth contradicts, $name', async (scope) => {
  await fc.assert(
    fc.asyncProperty(some, some, async (cached, stored) => {
      const truth = fleetIn(scope, stored);
      const cache = fleetIn(scope, cached);
      cache.setComplete('Binding', false);
      const change = changeIn(scope, release);
      const judge = createLiveJudge({
        cache,
        read: (ask) =>
          Promise.resolve(ask.how === 'get' ? truth.get(ask.family, ask.key) : truth.list(ask.family, ask.query)),
        world,
        elapsed,
      });
      const verdict = await judge(change, { deadline: elapsed() + 5000 });
      if (decisionOf(verdict) === 'admit') return;
      expect(refusalsOf(verdict)).toEqual(refusalsOf(evaluate(change, { ...world(), fleet: truth })));
    }),
    { numRuns: 300 },
  );
});
