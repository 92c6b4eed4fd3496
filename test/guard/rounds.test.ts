import { describe, expect, test } from '@jest/globals';
import { Claims } from '../../src/claims/claim.js';
import { leaseOf } from '../../src/claims/lease.js';
import { LeaseStore } from '../../src/claims/lease-store.js';
import { SeenRuns } from '../../src/claims/seen-runs.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decisionOf, type Verdict } from '../../src/engine/verdict.js';
import { kindIn } from '../../src/fleet/kinds.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import type { Answer } from '../../src/fleet/state.js';
import { createClaimingJudge } from '../../src/guard/claiming.js';
import { createLiveJudge } from '../../src/guard/live-judge.js';
import { watchedKinds } from '../../src/hub/collection.js';
import { HubError, objectPath, type Call, type Hub, type ListEnd } from '../../src/hub/hub.js';
import { catalogue } from '../../src/rules/index.js';
import { LiveCache } from '../../src/sources/live/cache.js';
import { LiveReader } from '../../src/sources/live/live-reader.js';
import {
  binding,
  cluster,
  condition,
  creation,
  placement,
  policySnapshot,
  run,
  stage,
  start,
  strategy,
  type ChangeDraft,
  type Draft,
} from '../support/builders.js';
import { RecordingLog } from '../support/guard.js';
import { changeIn, jsonIn, objectIn, scopes, type Scope } from '../support/scopes.js';

/**
 * A hub that answers only when nobody has anything more to ask: what was asked until then did not wait for each other, and
 * is one round.
 */
class RoundHub implements Hub {
  readonly rounds: string[][] = [];
  private readonly objects = new Map<string, unknown>();
  private waiting: (() => void)[] = [];

  put(path: string, json: unknown): void {
    this.objects.set(path, json);
  }

  call({ path, method = 'GET', body }: Call): Promise<unknown> {
    return this.inRound(`${method} ${lastOf(path)}`, () => {
      if (method !== 'GET')
        return { ...(body as object), metadata: { ...metadataOf(body), uid: 'one', resourceVersion: '2' } };
      const found = this.objects.get(path);
      if (found === undefined) throw new HubError(404, 'not found');
      return found;
    });
  }

  list({ path }: Call, take: (item: unknown) => void): Promise<ListEnd> {
    const [place = ''] = path.split('?');
    return this.inRound(`LIST ${lastOf(place)}`, () => {
      for (const [at, json] of this.objects) if (at.startsWith(`${place}/`)) take(json);
      return { version: '1', next: '', bytes: 0 };
    });
  }

  stream(): Promise<never> {
    return Promise.reject(new Error('nobody watches'));
  }

  private inRound<T>(what: string, answer: () => T): Promise<T> {
    if (this.waiting.length === 0) {
      this.rounds.push([]);
      // Whatever does not wait for an answer happens before this.
      setImmediate(() => {
        const { waiting } = this;
        this.waiting = [];
        for (const go of waiting) go();
      });
    }
    this.rounds.at(-1)?.push(what);
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error instanceof Error ? error : new Error('no answer'));
        }
      });
    });
  }
}

const lastOf = (path: string): string =>
  path.slice(path.lastIndexOf('/') + 1).replace(/^placement-\w{20,}$/, 'the lease');
const metadataOf = (body: unknown): object => (body as { metadata: object }).metadata;

const finished = { conditions: [condition('Initialized', 'True'), condition('Succeeded', 'True')] };
const executing = { conditions: [condition('Initialized', 'True'), condition('Progressing', 'True')] };
const sound: readonly Draft[] = [
  placement(),
  strategy('rings', stage('canary')),
  policySnapshot(),
  cluster('eu', { ring: 'canary' }),
  binding('eu'),
];

interface World {
  /** What the API server has. */
  readonly stored: readonly Draft[];
  /** What the watches have told of it. */
  readonly known?: readonly Draft[];
  /** Who holds the placement, as far as the watch of the Leases has told. */
  readonly holder?: UpdateRun;
}

/** What a guard beside a hub asks of it for one write, round after round. */
async function asked(scope: Scope, draft: ChangeDraft, { stored, known = stored, holder }: World) {
  const hub = new RoundHub();
  const cache = new LiveCache();
  for (const one of stored) {
    const kind = kindIn(one.family, scope.namespace);
    const { metadata } = objectIn(scope, one);
    hub.put(objectPath(kind, metadata), versioned(jsonIn(scope, one)));
  }
  for (const one of known) cache.sinkFor(kindIn(one.family, scope.namespace)).put(versioned(jsonIn(scope, one)));
  for (const kind of watchedKinds) {
    const keys = cache.all(kind.family).map(({ metadata: { name, namespace = '' } }) => `${namespace}/${name}`);
    cache.sinkFor(kind).keepOnly(new Set(keys));
  }
  const log = new RecordingLog();
  const elapsed = (): number => performance.now();
  const { read } = new LiveReader({ hub, cache, log });
  const store = new LeaseStore({ api: hub, namespace: 'own', settleSeconds: () => 60, now: elapsed });
  if (holder !== undefined) store.sink.put(leaseHeldBy(holder));
  const seen = new SeenRuns();
  for (const object of cache.all('UpdateRun')) seen.see(object);
  const claims = new Claims({
    store,
    seen,
    readRun: async (key, signal) => (await read({ how: 'get', family: 'UpdateRun', key }, signal)) as Answer<UpdateRun>,
    knownRun: (key) => cache.get('UpdateRun', key),
    settings: () => ({ settleSeconds: 60, concurrency: 'exclusive' }),
  });
  const policy = () => defaultPolicy;
  const world = () => ({ rules: catalogue, policy: defaultPolicy, now: Date.parse('2026-11-17T12:00:00Z') });
  const judge = createLiveJudge({ cache, read, world, elapsed });
  const whenUnavailable = () => 'retry' as const;
  const claiming = createClaimingJudge({ judge, claims, policy, whenUnavailable, elapsed, log });
  const verdict: Verdict = await claiming(changeIn(scope, draft), { deadline: elapsed() + 60_000 });
  return { decision: decisionOf(verdict), rounds: hub.rounds.map((round) => round.sort()) };
}

function versioned(json: unknown): object {
  return { ...(json as object), metadata: { ...metadataOf(json), resourceVersion: '1' } };
}

function leaseHeldBy({ metadata: { name, namespace, uid = '' }, spec }: UpdateRun): unknown {
  const claim = { uid, name, rollout: { stagedRolloutStrategyName: spec.stagedRolloutStrategyName } };
  const placementKey = { name: spec.placementName, ...(namespace !== undefined && { namespace }) };
  const lease = leaseOf({
    placement: placementKey,
    claims: [claim],
    version: undefined,
    settleSeconds: 60,
    now: new Date(),
  });
  return { ...lease, metadata: { ...metadataOf(lease), uid: 'one', resourceVersion: '1' } };
}

describe.each(scopes)('before a Lease is written, $name', (scope) => {
  const reads = ['GET rings', 'GET shop', `LIST ${scope.plural('Binding')}`, `LIST ${scope.plural('PolicySnapshot')}`];
  const release = run('release');
  const earlier = run('earlier', { status: finished });

  test('a new run is asked about in one round: what its rules need, and the run that holds the placement', async () => {
    const stored = [...sound, earlier];
    const holder = objectIn<'UpdateRun'>(scope, earlier);
    const { decision, rounds } = await asked(scope, creation(release), { stored, holder });
    expect(decision).toBe('admit');
    expect(rounds).toEqual([['GET earlier', ...reads].sort(), ['PUT the lease']]);
  });

  test('so is the first run of a placement', async () => {
    const { decision, rounds } = await asked(scope, creation(release), { stored: sound });
    expect(decision).toBe('admit');
    expect(rounds).toEqual([[...reads].sort(), ['POST leases']]);
  });

  test('so is a start', async () => {
    const stored = [...sound, earlier, run('release', { spec: { state: 'Initialize' } })];
    const holder = objectIn<'UpdateRun'>(scope, earlier);
    const { decision, rounds } = await asked(scope, start(release), { stored, holder });
    expect(decision).toBe('admit');
    expect(rounds).toEqual([['GET earlier', ...reads].sort(), ['PUT the lease']]);
  });

  test('what a watch has not told yet costs one round more', async () => {
    const stored = [...sound, earlier];
    const known = [...sound, run('earlier', { status: executing })];
    const holder = objectIn<'UpdateRun'>(scope, earlier);
    const { decision, rounds } = await asked(scope, creation(release), { stored, known, holder });
    expect(decision).toBe('admit');
    expect(rounds).toHaveLength(3);
    expect(rounds.at(-1)).toEqual(['PUT the lease']);
  });
});
