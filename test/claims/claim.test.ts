import { beforeEach, describe, expect, test } from '@jest/globals';
import { Claims, type ClaimOutcome } from '../../src/claims/claim.js';
import { leaseName, readLease } from '../../src/claims/lease.js';
import { LeaseStore } from '../../src/claims/lease-store.js';
import { MemoryStore } from '../../src/claims/memory-store.js';
import type { Concurrency } from '../../src/claims/protocol.js';
import { SeenRuns } from '../../src/claims/seen-runs.js';
import type { ClaimStore } from '../../src/claims/store.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import type { Answer } from '../../src/fleet/state.js';
import { run } from '../support/builders.js';
import { fleetIn, objectIn, scopes, type Scope } from '../support/scopes.js';
import { ApiError, LeaseShelf } from './lease-shelf.js';

const settleSeconds = 60;
const forever = new AbortController().signal;

let seconds: number;
let shelf: LeaseShelf;
let fleet: ReturnType<typeof fleetIn>;
let concurrency: Concurrency;
let reads: string[];
let isReadable: boolean;
/** Comes between the moment at which a run was read and the answer. */
let whileReading: () => void;

beforeEach(() => {
  seconds = 1000;
  shelf = new LeaseShelf();
  fleet = fleetIn(at(0), []);
  concurrency = 'exclusive';
  reads = [];
  isReadable = true;
  whileReading = () => undefined;
});

function at(index: number): Scope {
  const scope = scopes[index];
  if (scope === undefined) throw new Error('there are two scopes');
  return scope;
}

const now = () => seconds * 1000;

const leases = () => new LeaseStore({ api: shelf, namespace: 'own', settleSeconds: () => settleSeconds, now });

/** A replica of the guard: its own memory, the same Leases; and settings of its own, where it is told. */
function replica<S extends ClaimStore>(store: S, mode?: Concurrency) {
  const seen = new SeenRuns();
  const claims = new Claims({
    store,
    seen,
    readRun: (key) => {
      reads.push(key.name);
      const found: Answer<UpdateRun> = isReadable ? fleet.get('UpdateRun', key) : { is: 'unknown' };
      whileReading();
      return Promise.resolve(found);
    },
    knownRun: (key) => fleet.get('UpdateRun', key),
    settings: () => ({ settleSeconds, concurrency: mode ?? concurrency }),
  });
  return { claims, seen, store };
}

type Replica = Pick<ReturnType<typeof replica>, 'claims'>;
type More = NonNullable<Parameters<typeof run>[1]>;

const runIn = (scope: Scope, name: string, more: More = {}): UpdateRun => objectIn(scope, run(name, more));
const store = (object: UpdateRun): void => {
  fleet.put('UpdateRun', object);
};

function ask(
  { claims }: Replica,
  object: UpdateRun,
  { operation = 'CREATE', signal = forever }: { operation?: 'CREATE' | 'UPDATE'; signal?: AbortSignal } = {},
): Promise<ClaimOutcome> {
  const { name, namespace } = object.metadata;
  return claims.begin({ operation, name, namespace, object }, signal)();
}

const taken = { is: 'claimed', how: 'take' };
const takenOver = { is: 'claimed', how: 'take over' };
const stopped = { spec: { state: 'Stop' } };
const deleting = { metadata: { deletionTimestamp: '2026-11-16T08:00:00Z' } };

describe.each(scopes)('a placement, $name', (scope) => {
  const release = runIn(scope, 'release');
  const other = runIn(scope, 'other');

  test('that someone claims while the rules judge is not given away by what was read before', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    const { name, namespace } = release.metadata;
    const claim = one.claims.begin({ operation: 'CREATE', name, namespace, object: release }, forever);
    expect(await ask(two, other)).toEqual(taken);
    store(other);
    expect(await claim()).toMatchObject({ is: 'held', by: { metadata: { name: 'other' } } });
  });

  test('is held by nobody whose verdict was a refusal, and a read that failed meanwhile is of no interest', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    expect(await ask(one, other)).toEqual(taken);
    isReadable = false;
    const { name, namespace } = release.metadata;
    one.claims.begin({ operation: 'CREATE', name, namespace, object: release }, forever);
    await new Promise(setImmediate);
    isReadable = true;
    seconds += settleSeconds;
    expect(await ask(two, other)).toMatchObject({ is: 'claimed' });
  });

  test('is given to one of two replicas, and to the other only once the first has settled unseen', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    expect(await ask(one, release)).toEqual(taken);
    expect(await ask(two, other)).toMatchObject({ is: 'undecided', holder: { claim: { name: 'release' } } });
    seconds += settleSeconds - 1;
    expect(await ask(two, other)).toMatchObject({ is: 'undecided', seconds: 1, freeIn: 1 });
    seconds += 1;
    expect(await ask(two, other)).toEqual(takenOver);
    expect(await ask(one, release)).toMatchObject({ is: 'undecided', holder: { claim: { name: 'other' } } });
  });

  test('is refused while the holder is active, whatever the age of the claim', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    await ask(one, release);
    store(release);
    for (const pause of [0, 30, 3600]) {
      seconds += pause;
      expect(await ask(two, other)).toMatchObject({ is: 'held', by: { metadata: { name: 'release' } } });
    }
  });

  test.each<[string, More]>([
    ['is being deleted', deleting],
    ['has finished', { status: { conditions: [{ type: 'Succeeded', status: 'True' }] } }],
    ['has failed', { status: { conditions: [{ type: 'Initialized', status: 'False' }] } }],
    ['is on another placement', { spec: { placementName: 'else' } }],
  ])('is taken over at once from a holder that %s', async (_name, more) => {
    const guard = replica(leases());
    await ask(guard, release);
    store(runIn(scope, 'release', more));
    expect(await ask(guard, other)).toEqual(takenOver);
  });

  test('is taken over at once from a holder that was seen stored and is gone', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    await ask(one, release);
    two.seen.see(release);
    expect(await ask(one, other)).toMatchObject({ is: 'undecided' });
    expect(await ask(two, other)).toEqual(takenOver);
  });

  test('is not taken over from a holder that is stored and seen while it is being read', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    whileReading = () => {
      store(release);
      guard.seen.see(release);
    };
    expect(await ask(guard, other)).toMatchObject({ is: 'held', by: { metadata: { name: 'release' } } });
  });

  test.each([
    ['is not stored yet', undefined],
    ['is not active yet', stopped],
  ])('is not taken over from a holder that %s, and whose claim settles while it is being read', async (_name, as) => {
    const guard = replica(leases());
    await ask(guard, release);
    if (as !== undefined) store(runIn(scope, 'release', as));
    let passes = settleSeconds;
    whileReading = () => {
      seconds += passes;
      passes = 0;
    };
    // Nobody is sent away by what was known before: it is read again. So the holder has time to come in, and does.
    shelf.next = () => {
      store(release);
    };
    expect(await ask(guard, other)).toMatchObject({ is: 'held', by: { metadata: { name: 'release' } } });
  });

  test('is not taken over from a holder whose name another run has taken meanwhile', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    store(runIn(scope, 'release', { metadata: { uid: 'another' } }));
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided' });
  });

  test('a start claims like a create, and holds off others until it has settled', async () => {
    const guard = replica(leases());
    store(runIn(scope, 'release', stopped));
    expect(await ask(guard, release, { operation: 'UPDATE' })).toEqual(taken);
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', holder: { run: 'idle' } });
    seconds += settleSeconds;
    expect(await ask(guard, other)).toEqual(takenOver);
    expect(await ask(guard, release, { operation: 'UPDATE' })).toMatchObject({ is: 'undecided' });
  });

  test('a stored run that asks again is let in again, and its claim is young again', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    store(runIn(scope, 'release', stopped));
    await ask(one, release, { operation: 'UPDATE' });
    seconds += settleSeconds - 1;
    expect(await ask(two, release, { operation: 'UPDATE' })).toEqual({ is: 'claimed', how: 'refresh' });
    seconds += 2;
    expect(await ask(one, other)).toMatchObject({ is: 'undecided' });
  });

  test.each(['CREATE', 'UPDATE'] as const)(
    'a run that is stored nowhere holds it for the settle time, however often a %s is sent for it',
    async (operation) => {
      const [one, two] = [replica(leases()), replica(leases())];
      expect(await ask(one, release, { operation })).toEqual(taken);
      expect(await ask(two, other)).toMatchObject({ is: 'undecided' });
      for (const pause of [20, 20]) {
        seconds += pause;
        for (const guard of [one, two]) {
          expect(await ask(guard, release, { operation })).toEqual({ is: 'claimed', how: 'keep' });
        }
      }
      expect(await ask(two, other)).toMatchObject({ is: 'undecided', freeIn: 20 });
      seconds += 20;
      await ask(one, release, { operation });
      expect(await ask(two, other)).toEqual(takenOver);
    },
  );

  test('a run whose name is stored is told so, and claims nothing', async () => {
    const guard = replica(leases());
    store(runIn(scope, 'release', { ...deleting, metadata: { ...deleting.metadata, uid: 'another' } }));
    expect(await ask(guard, release)).toMatchObject({ is: 'name taken', by: { metadata: { uid: 'another' } } });
    store(runIn(scope, 'release', { metadata: { uid: 'another' } }));
    expect(await ask(guard, release)).toMatchObject({ is: 'name taken' });
    expect(shelf.names()).toEqual([]);
  });

  test('a review of a create that arrives again after the run is stored is answered as before', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    store(release);
    expect(await ask(guard, release)).toEqual({ is: 'claimed', how: 'keep' });
  });

  test('runs that do the same share it where that is allowed', async () => {
    concurrency = 'compatible';
    const same = (name: string) => runIn(scope, name, { spec: { resourceSnapshotIndex: '3' } });
    const guard = replica(leases());
    expect(await ask(guard, same('a'))).toEqual(taken);
    expect(await ask(guard, same('b'))).toEqual(taken);
    store(same('b'));
    expect(await ask(guard, other)).toMatchObject({ is: 'held', by: { metadata: { name: 'b' } } });
  });
});

test('placements of one name in different scopes are claimed each for itself, by runs of one name', async () => {
  const guard = replica(leases());
  for (const scope of scopes) expect(await ask(guard, runIn(scope, 'release'))).toEqual(taken);
  expect(shelf.names()).toHaveLength(2);
});

describe('asking costs', () => {
  test('one write where nobody holds the placement, and one read more where someone does', async () => {
    const guard = replica(leases());
    await ask(guard, runIn(at(0), 'release'));
    expect({ calls: shelf.calls, reads }).toEqual({ calls: ['POST'], reads: [] });
    store(runIn(at(0), 'release', deleting));
    await ask(guard, runIn(at(0), 'other'));
    expect({ calls: shelf.calls, reads }).toEqual({ calls: ['POST', 'PUT'], reads: ['release'] });
  });
});

describe('two that ask at the same time', () => {
  test('whoever writes first has it, even where both saw it free', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    shelf.next = async () => {
      expect(await ask(two, runIn(at(0), 'other'))).toEqual(taken);
    };
    expect(await ask(one, runIn(at(0), 'release'))).toMatchObject({ is: 'undecided' });
  });

  test('a holder that starts while another is about to take over keeps the placement', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    store(runIn(at(0), 'release', stopped));
    await ask(one, runIn(at(0), 'release'), { operation: 'UPDATE' });
    seconds += settleSeconds;
    shelf.next = async () => {
      expect(await ask(two, runIn(at(0), 'release'), { operation: 'UPDATE' })).toMatchObject({ how: 'refresh' });
    };
    expect(await ask(one, runIn(at(0), 'other'))).toMatchObject({ is: 'undecided' });
  });

  test('twenty that may share it all get it, though some have to come back', async () => {
    concurrency = 'compatible';
    const guards = [replica(leases()), replica(leases()), replica(leases())] as const;
    let waiting = Array.from({ length: 20 }, (_, i) =>
      runIn(at(0), `r${String(i)}`, { spec: { resourceSnapshotIndex: '3' } }),
    );
    for (let round = 0; round < 20 && waiting.length > 0; round++) {
      const outcomes = await Promise.all(waiting.map((one, i) => ask(guards[i % 3] ?? guards[0], one)));
      expect(outcomes.filter(({ is }) => is !== 'claimed' && is !== 'crowded')).toEqual([]);
      expect(outcomes.some(({ is }) => is === 'claimed')).toBe(true);
      waiting = waiting.filter((_, i) => outcomes[i]?.is === 'crowded');
    }
    expect(readLease(shelf.stored.get(leaseName({ name: 'shop' }))).claims).toHaveLength(20);
  });

  test('exactly one of twenty gets it', async () => {
    const guards = [replica(leases()), replica(leases()), replica(leases())] as const;
    const asks = Array.from({ length: 20 }, (_, i) => ask(guards[i % 3] ?? guards[0], runIn(at(0), `r${String(i)}`)));
    const outcomes = (await Promise.all(asks)).map(({ is }) => is);
    expect(outcomes.filter((is) => is === 'claimed')).toHaveLength(1);
    expect(outcomes.filter((is) => is === 'undecided')).toHaveLength(19);
  });
});

describe('two replicas of different settings', () => {
  const same = (name: string) => runIn(at(0), name, { spec: { resourceSnapshotIndex: '3' } });

  test('keep to what each was told, and see all that the other let in', async () => {
    const [strict, lenient] = [replica(leases(), 'exclusive'), replica(leases(), 'compatible')];
    expect(await ask(strict, same('a'))).toEqual(taken);
    expect(await ask(lenient, same('b'))).toEqual(taken);
    for (const name of ['a', 'b']) store(same(name));
    expect(await ask(strict, same('c'))).toMatchObject({ is: 'held', by: { metadata: { name: 'a' } } });
    store(runIn(at(0), 'a', deleting));
    expect(await ask(strict, same('c'))).toMatchObject({ is: 'held', by: { metadata: { name: 'b' } } });
    store(runIn(at(0), 'b', deleting));
    expect(await ask(strict, same('c'))).toEqual(takenOver);
  });

  test('let nobody join a run whose index was changed after it was claimed', async () => {
    const guard = replica(leases(), 'compatible');
    await ask(guard, same('a'));
    store(runIn(at(0), 'a', { spec: { resourceSnapshotIndex: '4' } }));
    for (const index of ['3', '4']) {
      const joining = runIn(at(0), 'b', { spec: { resourceSnapshotIndex: index } });
      expect(await ask(guard, joining)).toMatchObject({ is: 'held', by: { metadata: { name: 'a' } } });
    }
  });
});

describe('a replica that knows less than there is', () => {
  const [release, other] = [runIn(at(0), 'release'), runIn(at(0), 'other')];
  const lease = () => shelf.stored.get(leaseName({ name: 'shop' }));

  test('after a restart waits the whole settle time for a claim that it meets for the first time', async () => {
    await ask(replica(leases()), release);
    seconds += 3600;
    const restarted = replica(leases());
    expect(await ask(restarted, other)).toMatchObject({ is: 'undecided', freeIn: settleSeconds });
    seconds += settleSeconds - 1;
    expect(await ask(restarted, other)).toMatchObject({ is: 'undecided', freeIn: 1 });
    seconds += 1;
    expect(await ask(restarted, other)).toEqual(takenOver);
  });

  test('is not misled by a watch that tells late of what was there before, or of what is gone', async () => {
    const guard = replica(leases());
    store(runIn(at(0), 'release', stopped));
    await ask(guard, release, { operation: 'UPDATE' });
    const before = lease();
    seconds += settleSeconds;
    expect(await ask(guard, release, { operation: 'UPDATE' })).toEqual({ is: 'claimed', how: 'refresh' });
    guard.store.sink.put(before);
    seconds += 1;
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', freeIn: settleSeconds });
    guard.store.sink.remove({ name: leaseName({ name: 'shop' }) });
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', freeIn: settleSeconds });
  });

  test('does not write where the Lease it saw is gone, with all that was in it since', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    await ask(one, release);
    await ask(two, other);
    seconds += settleSeconds;
    shelf.next = async () => {
      expect(await ask(two, other)).toEqual(takenOver);
      one.store.sink.put(lease());
      shelf.stored.clear();
    };
    const third = await ask(one, runIn(at(0), 'third'));
    expect(third).toMatchObject({ is: 'undecided', holder: { claim: { name: 'other' } } });
  });
});

describe('when the API server does not answer', () => {
  const release = runIn(at(0), 'release');

  test('a claim that cannot be written is no claim', async () => {
    shelf.next = () => {
      throw new ApiError(403);
    };
    expect(await ask(replica(leases()), release)).toEqual({
      is: 'unavailable',
      because: 'the API server answered 403',
    });
  });

  test.each([
    ['was lost', new Error('socket closed')],
    ['says 409, since a proxy has sent it twice', new ApiError(409)],
    ['says 500', new ApiError(500)],
    ['says 504', new ApiError(504)],
    ['says 429', new ApiError(429)],
  ])('a write that was done and whose answer %s is found again', async (_name, answer) => {
    shelf.lostAnswers.push(answer);
    expect(await ask(replica(leases()), release)).toEqual({ is: 'claimed', how: 'keep' });
    expect(await ask(replica(leases()), runIn(at(0), 'other'))).toMatchObject({ is: 'undecided' });
  });

  test('a write that fails every time is no crowd', async () => {
    const failing = {
      call: (call: Parameters<LeaseShelf['call']>[0]) =>
        call.method === undefined ? shelf.call(call) : Promise.reject(new ApiError(500)),
    };
    const guard = replica(new LeaseStore({ api: failing, namespace: 'own', settleSeconds: () => settleSeconds, now }));
    expect(await ask(guard, release)).toEqual({ is: 'unavailable', because: 'the API server answered 500' });
  });

  test('a write that was done when the time was over holds the placement no longer than any other', async () => {
    const over = new AbortController();
    const late = {
      call: async ({ path, method = 'GET', body }: Parameters<LeaseShelf['call']>[0]) => {
        await shelf.call({ path, method, body });
        over.abort();
        over.signal.throwIfAborted();
      },
    };
    const slow = replica(new LeaseStore({ api: late, namespace: 'own', settleSeconds: () => settleSeconds, now }));
    expect(await ask(slow, release, { signal: over.signal })).toMatchObject({ is: 'unavailable' });
    const guard = replica(leases());
    expect(await ask(guard, runIn(at(0), 'other'))).toMatchObject({ is: 'undecided', freeIn: settleSeconds });
    seconds += settleSeconds;
    expect(await ask(guard, runIn(at(0), 'other'))).toEqual(takenOver);
  });

  test('a holder that cannot be read may be anything', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    isReadable = false;
    seconds += 3600;
    expect(await ask(guard, runIn(at(0), 'other'))).toMatchObject({ is: 'unavailable' });
  });

  test('nothing is written once the time is over', async () => {
    const outcome = await ask(replica(leases()), release, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ is: 'unavailable' });
    expect(shelf.names()).toEqual([]);
  });
});

describe('a Lease that someone', () => {
  const release = runIn(at(0), 'release');
  const other = runIn(at(0), 'other');
  const name = leaseName({ name: 'shop' });

  test('edited is held by nobody knows whom until it has settled', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    shelf.edit(name, {});
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', holder: { claim: { name: '' } } });
    seconds += settleSeconds;
    expect(await ask(guard, other)).toEqual(takenOver);
  });

  test('deleted is remembered until it has settled', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    shelf.stored.clear();
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', holder: { claim: { name: 'release' } } });
    expect(await ask(guard, release)).toEqual({ is: 'claimed', how: 'refresh' });
    expect(shelf.names()).toEqual([name]);
  });

  test('deleted is remembered by the list of what is held too, until it has settled and no longer', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    shelf.stored.clear();
    guard.store.sink.remove({ name });
    seconds += settleSeconds - 1;
    expect(guard.store.list()).toEqual([]);
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', holder: { claim: { name: 'release' } } });
    seconds += 1;
    guard.store.list();
    expect(guard.store.view({ name: 'shop' })).toEqual({ claims: [], version: undefined, age: 0 });
  });

  test('deleted while no watch told of it is missed in the next list', async () => {
    const guard = replica(leases());
    for (const placementName of ['shop', 'other'])
      await ask(guard, runIn(at(0), 'release', { spec: { placementName } }));
    guard.store.sink.keepOnly(new Set([`own/${name}`]));
    expect(guard.store.list().map(({ placement }) => placement.name)).toEqual(['shop']);
    expect(guard.store.view({ name: 'other' })).toMatchObject({ claims: [{ name: 'release' }], version: undefined });
  });

  test('made to name what is no run is held by nobody knows whom, and asks the API server for nothing', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    shelf.edit(name, { 'stageguard.io/claim': JSON.stringify({ runs: [{ uid: 'u', name: '..' }] }) });
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided', holder: { claim: { name: '' } } });
    seconds += settleSeconds;
    expect(await ask(guard, other)).toEqual(takenOver);
    expect(reads).not.toContain('..');
  });

  test('deleted, and that a finalizer still keeps, is claimed by one of two that ask at the same time', async () => {
    const [one, two] = [replica(leases()), replica(leases())];
    await ask(one, release);
    store(runIn(at(0), 'release', deleting));
    shelf.beginDeletion(name);
    for (const guard of [one, two]) guard.store.sink.put(shelf.stored.get(name));
    const outcomes = await Promise.all([ask(one, other), ask(two, runIn(at(0), 'third'))]);
    expect(outcomes.map(({ is }) => is).sort()).toEqual(['claimed', 'undecided']);
    expect(shelf.names()).toEqual([name]);
  });

  test('deleted, and that a finalizer still keeps, is claimed anew by whoever comes', async () => {
    const guard = replica(leases());
    await ask(guard, release);
    store(runIn(at(0), 'release', deleting));
    shelf.beginDeletion(name);
    expect(await ask(guard, other)).toEqual(takenOver);
    expect(readLease(shelf.stored.get(name)).claims).toMatchObject([{ name: 'other' }]);
    expect(await ask(replica(leases()), runIn(at(0), 'third'))).toMatchObject({ is: 'undecided' });
  });
});

describe('a store in memory', () => {
  test('gives a placement away like any other', async () => {
    const guard = replica(new MemoryStore(now));
    const [release, other] = [runIn(at(1), 'release'), runIn(at(1), 'other')];
    expect(await ask(guard, release)).toEqual(taken);
    expect(await ask(guard, other)).toMatchObject({ is: 'undecided' });
    expect(guard.store.list()).toMatchObject([{ placement: { name: 'shop', namespace: 'team-a' } }]);
    seconds += settleSeconds;
    expect(await ask(guard, other)).toEqual(takenOver);
  });

  test('takes no write and no removal that names another version', async () => {
    const memory = new MemoryStore(now);
    const shop = { name: 'shop' };
    expect(await memory.write(shop, { claims: [], version: '7' })).toBe(false);
    expect(await memory.write(shop, { claims: [], version: undefined })).toBe(true);
    expect(await memory.write(shop, { claims: [], version: undefined })).toBe(false);
    expect(await memory.remove(shop, '7')).toBe(false);
    expect(await memory.remove(shop, '1')).toBe(true);
    expect(memory.list()).toEqual([]);
  });
});
