import { beforeEach, describe, expect, test } from '@jest/globals';
import { Caretaker } from '../../src/claims/caretaker.js';
import { Claims } from '../../src/claims/claim.js';
import { systemClock, type Clock } from '../../src/clock.js';
import { leaseName, leaseOf, readLease } from '../../src/claims/lease.js';
import { LeaseStore } from '../../src/claims/lease-store.js';
import { SeenRuns } from '../../src/claims/seen-runs.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import type { ObjectKey } from '../../src/fleet/state.js';
import { placement, run } from '../support/builders.js';
import { RecordingLog } from '../support/guard.js';
import { fleetIn, objectIn, scopes, type Scope } from '../support/scopes.js';
import { ApiError, LeaseShelf } from './lease-shelf.js';

const settleSeconds = 60;
let seconds: number;
let shelf: LeaseShelf;
let log: RecordingLog;

beforeEach(() => {
  seconds = 0;
  shelf = new LeaseShelf();
  log = new RecordingLog();
});

/** A clock on which time passes when it is told to. */
class HandClock implements Clock {
  private readonly calls = new Map<() => void, number>();
  private milliseconds = 0;

  now(): number {
    return this.milliseconds;
  }

  after(milliseconds: number, call: () => void): () => void {
    this.calls.set(call, this.milliseconds + milliseconds);
    return () => this.calls.delete(call);
  }

  random(): number {
    return 0;
  }

  async pass(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed++) {
      this.milliseconds += 1000;
      for (const [call, due] of this.calls) if (due <= this.milliseconds) call();
      await new Promise(setImmediate);
    }
  }
}

function world(scope: Scope, { isWanted = true, isKnown = true, reads = [] as string[], clock = systemClock } = {}) {
  const fleet = fleetIn(scope, [placement()]);
  /** What the watch has. Where it lags, it is another fleet than the API server's. */
  let watched = fleet;
  const store = new LeaseStore({
    api: shelf,
    namespace: 'own',
    settleSeconds: () => settleSeconds,
    now: () => seconds * 1000,
  });
  const claims = new Claims({
    store,
    seen: new SeenRuns(),
    readRun: (key) => {
      reads.push(key.name);
      return Promise.resolve(fleet.get('UpdateRun', key));
    },
    knownRun: (key) => watched.get('UpdateRun', key),
    settings: () => ({ settleSeconds, concurrency: 'exclusive' }),
  });
  const caretaker = new Caretaker({
    claims,
    store,
    runs: () => (isKnown ? watched.all('UpdateRun') : undefined),
    knownPlacement: (key) => watched.get('Placement', key),
    readPlacement: (key) => Promise.resolve(fleet.get('Placement', key)),
    isWanted: () => isWanted,
    log,
    clock,
  });
  const put = (name: string, more: Parameters<typeof run>[1] = {}): UpdateRun => {
    const object = objectIn(scope, run(name, more));
    fleet.put('UpdateRun', object);
    return object;
  };
  const watch = (...drafts: Parameters<typeof fleetIn>[1]): void => {
    watched = fleetIn(scope, drafts);
  };
  return { fleet, store, caretaker, claims, put, watch };
}

/** By hand, another run is written into the Lease of a placement. */
function writeInto(where: ObjectKey, { metadata: { uid = '', name } }: UpdateRun): void {
  const claims = [{ uid, name, rollout: { stagedRolloutStrategyName: 'rings' } }];
  const lease = leaseOf({ placement: where, claims, version: undefined, settleSeconds, now: new Date(0) });
  shelf.edit(leaseName(where), (lease as { metadata: { annotations: Record<string, string> } }).metadata.annotations);
}

const holders = (): readonly string[] =>
  [...shelf.stored.values()].flatMap((lease) => readLease(lease).claims.map(({ name }) => name));

describe.each(scopes)('the caretaker, $name', (scope) => {
  const shop = { name: 'shop', ...(scope.namespace !== undefined && { namespace: scope.namespace }) };

  test('claims for runs that are active without a claim, and for no others', async () => {
    const { caretaker, put } = world(scope);
    put('earlier');
    put('stopped', { spec: { state: 'Stop', placementName: 'b' } });
    put('done', { spec: { placementName: 'c' }, status: { conditions: [{ type: 'Succeeded', status: 'True' }] } });
    await caretaker.sweep();
    expect(holders()).toEqual(['earlier']);
    expect(log.lines).toMatchObject([{ level: 'info', fields: { run: 'earlier' } }]);
  });

  test('writes nothing where all is in order, so that claims grow old', async () => {
    const { caretaker, put } = world(scope);
    put('earlier');
    await caretaker.sweep();
    const calls = shelf.calls.length;
    await caretaker.sweep();
    expect(shelf.calls).toHaveLength(calls);
  });

  test('lets one of two runs that are older than the guard hold the placement, and then the other', async () => {
    const { caretaker, put } = world(scope);
    put('a');
    put('b');
    await caretaker.sweep();
    await caretaker.sweep();
    expect(holders()).toEqual(['a']);
    put('a', { spec: { state: 'Stop' } });
    await caretaker.sweep();
    expect(holders()).toEqual(['a']);
    seconds += settleSeconds;
    await caretaker.sweep();
    expect(holders()).toEqual(['b']);
  });

  test('leaves a run alone that has not been stored yet', async () => {
    const { caretaker, claims, put } = world(scope);
    const { name, namespace } = { name: 'release', namespace: scope.namespace };
    const object = objectIn(scope, run('release'));
    await claims.begin({ operation: 'CREATE', name, namespace, object }, new AbortController().signal)();
    put('unclaimed');
    await caretaker.sweep();
    expect(holders()).toEqual(['release']);
  });

  test('brings back a Lease that was deleted or emptied by hand', async () => {
    const { caretaker, store, put } = world(scope);
    put('earlier');
    await caretaker.sweep();
    shelf.stored.clear();
    store.sink.remove({ name: leaseName(shop) });
    await caretaker.sweep();
    expect(holders()).toEqual(['earlier']);
    shelf.edit(leaseName(shop), {});
    store.sink.put(shelf.stored.get(leaseName(shop)));
    await caretaker.sweep();
    expect(holders()).toEqual(['']);
    seconds += settleSeconds;
    await caretaker.sweep();
    expect(holders()).toEqual(['earlier']);
  });

  test('gives a run its claim back where one of another placement was written into the Lease', async () => {
    const { caretaker, store, put } = world(scope);
    put('earlier');
    const stranger = put('stranger', { spec: { placementName: 'elsewhere' } });
    await caretaker.sweep();
    writeInto(shop, stranger);
    store.sink.put(shelf.stored.get(leaseName(shop)));
    await caretaker.sweep();
    expect([...holders()].sort()).toEqual(['earlier', 'stranger']);
  });

  test.each<[string, Parameters<typeof run>[1]]>([
    ['has stopped', { spec: { state: 'Stop' } }],
    ['is over', { status: { conditions: [{ type: 'Succeeded', status: 'True' }] } }],
    ['was deleted, and another of its name came', { metadata: { uid: 'another' } }],
  ])('claims nothing for a run that %s, though the watch has it as active', async (_name, more) => {
    const { caretaker, put, watch } = world(scope);
    put('earlier', more);
    watch(placement(), run('earlier'));
    await caretaker.sweep();
    expect(holders()).toEqual([]);
  });

  test('does not remove the claim on a placement that only the watch has lost', async () => {
    const { caretaker, put, watch } = world(scope);
    put('earlier');
    await caretaker.sweep();
    put('earlier', { status: { conditions: [{ type: 'Succeeded', status: 'True' }] } });
    seconds += settleSeconds;
    watch();
    await caretaker.sweep();
    expect(holders()).toEqual(['earlier']);
  });

  test('removes the claim on a placement that is gone from a Lease that cannot be read any more', async () => {
    const { caretaker, store, fleet, put } = world(scope);
    put('earlier');
    await caretaker.sweep();
    shelf.edit(leaseName(shop), {});
    store.sink.put(shelf.stored.get(leaseName(shop)));
    fleet.remove('UpdateRun', { name: 'earlier', namespace: scope.namespace });
    fleet.remove('Placement', shop);
    await caretaker.sweep();
    expect(holders()).toEqual(['']);
    seconds += settleSeconds;
    await caretaker.sweep();
    expect(holders()).toEqual([]);
  });

  test('looks again by itself after half a minute, and within a second when it is told', async () => {
    const clock = new HandClock();
    const { caretaker, put } = world(scope, { clock });
    caretaker.start();
    await clock.pass(1);
    put('earlier');
    await clock.pass(28);
    expect(holders()).toEqual([]);
    await clock.pass(1);
    expect(holders()).toEqual(['earlier']);
    put('later', { spec: { placementName: 'b' } });
    caretaker.poke();
    await clock.pass(1);
    expect(holders()).toEqual(['earlier', 'later']);
    await caretaker.stop();
  });

  test('removes the claim on a placement that is gone, once nothing can come of it', async () => {
    const { caretaker, claims, fleet } = world(scope);
    const object = objectIn(scope, run('release'));
    const start = { operation: 'CREATE', name: 'release', namespace: scope.namespace, object } as const;
    await claims.begin(start, new AbortController().signal)();
    await caretaker.sweep();
    expect(holders()).toEqual(['release']);
    fleet.remove('Placement', shop);
    await caretaker.sweep();
    expect(holders()).toEqual(['release']);
    seconds += settleSeconds;
    await caretaker.sweep();
    expect(holders()).toEqual([]);
  });

  test('does nothing where claims are not wanted, or while not all runs are known', async () => {
    for (const options of [{ isWanted: false }, { isKnown: false }]) {
      const { caretaker, put } = world(scope, options);
      put('earlier');
      await caretaker.sweep();
      expect(shelf.calls).toEqual([]);
    }
  });
});

test('many runs cost nothing to look at: only those without a claim are asked for, each by its name', async () => {
  const reads: string[] = [];
  const scope = scopes[0] as Scope;
  const { caretaker, fleet, put } = world(scope, { reads });
  for (let i = 0; i < 200; i++) {
    fleet.put('Placement', objectIn(scope, placement(`p${i}`)));
    const over = i % 2 === 0 ? { conditions: [{ type: 'Succeeded', status: 'True' }] } : { conditions: [] };
    put(`run-${i}`, { spec: { placementName: `p${i}`, state: i % 100 < 50 ? 'Run' : 'Stop' }, status: over });
  }
  await caretaker.sweep();
  expect({ reads: reads.length, holders: holders().length }).toEqual({ reads: 50, holders: 50 });
  await caretaker.sweep();
  expect(reads).toHaveLength(50);
});

test('a placement that comes back after its claim was removed is claimed like any other', async () => {
  const { caretaker, claims, fleet, put } = world(scopes[0] as Scope);
  put('earlier');
  await caretaker.sweep();
  fleet.remove('Placement', { name: 'shop' });
  fleet.remove('UpdateRun', { name: 'earlier' });
  seconds += settleSeconds;
  await caretaker.sweep();
  expect(holders()).toEqual([]);
  fleet.put('Placement', objectIn(scopes[0] as Scope, placement()));
  const start = {
    operation: 'CREATE',
    name: 'next',
    namespace: undefined,
    object: objectIn(scopes[0] as Scope, run('next')),
  } as const;
  expect(await claims.begin(start, new AbortController().signal)()).toMatchObject({ is: 'claimed' });
});

test('a run of a placement that is gone keeps its claim for as long as it is active', async () => {
  const { caretaker, fleet, put } = world(scopes[0] as Scope);
  put('earlier');
  await caretaker.sweep();
  fleet.remove('Placement', { name: 'shop' });
  seconds += 10 * settleSeconds;
  await caretaker.sweep();
  expect(holders()).toEqual(['earlier']);
});

test('what fails is logged and tried again', async () => {
  const { caretaker, put } = world(scopes[0] as Scope);
  put('earlier');
  shelf.next = () => {
    throw new ApiError(503);
  };
  await caretaker.sweep();
  expect(log.lines).toMatchObject([
    { level: 'warn', fields: { run: 'earlier', error: 'the API server answered 503' } },
  ]);
  await caretaker.sweep();
  expect(holders()).toEqual(['earlier']);
});
