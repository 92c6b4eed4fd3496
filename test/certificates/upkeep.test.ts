import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bundleOf } from '../../src/certificates/decide.js';
import { chance, hour, lives, Replica, SimulatedHub } from './simulated-hub.js';

type Event = (hub: SimulatedHub, replicas: Replica[]) => void;

/** All replicas look at once, their calls in any order; no call of the API server to any of them may ever fail. */
async function round(hub: SimulatedHub, replicas: readonly Replica[], pick: (below: number) => number): Promise<void> {
  for (const replica of replicas) void replica.tend();
  await new Promise((resolve) => setImmediate(resolve));
  while (replicas.some((replica) => replica.isTending && replica !== hub.stuck)) {
    hub.time += pick(700);
    await hub.release();
    for (const replica of replicas) expect(replica.fault()).toBeUndefined();
  }
}

async function settle(hub: SimulatedHub, replicas: readonly Replica[], pick: (below: number) => number): Promise<void> {
  for (let rounds = 0; rounds < 8; rounds++) {
    await round(hub, replicas, pick);
    hub.time += 3000;
  }
}

function expectAgreement(hub: SimulatedHub, replicas: readonly Replica[]): void {
  const kept = hub.secret?.kept;
  expect(kept?.pair).toBeDefined();
  for (const replica of replicas) {
    expect(replica.isReady).toBe(true);
    expect(replica.shown?.id).toBe(kept?.pair?.certificate.id);
  }
  for (const writes of hub.configurations.values()) expect(writes.at(-1)?.bundle).toBe(kept && bundleOf(kept));
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

describe('replicas that start at the same moment', () => {
  test.each([
    ['with the same clock', 0],
    ['one of them an hour ahead', hour],
    ['one of them an hour behind', -hour],
  ])('end with one CA, %s', async (_name, ahead) => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const pick = chance(seed);
        const hub = new SimulatedHub(pick);
        const replicas = [new Replica(hub, 0), new Replica(hub, ahead), new Replica(hub, 0)];
        await settle(hub, replicas, pick);
        expectAgreement(hub, replicas);
        expect(hub.secret?.kept.authorities).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a replica whose clock is days off', () => {
  test.each([
    ['ahead', 48 * hour],
    ['behind', -48 * hour],
    ['years behind', -40_000 * hour],
  ])('makes no endless row of CAs, and no other untrusted: %s', async (_name, ahead) => {
    const pick = chance(7);
    const hub = new SimulatedHub(pick);
    const [good, off] = [[new Replica(hub, 0), new Replica(hub, 0)], new Replica(hub, ahead)];
    await settle(hub, good, pick);
    for (let rounds = 0; rounds < 100; rounds++) {
      for (const replica of [...good, off]) void replica.tend();
      await new Promise((resolve) => setImmediate(resolve));
      while ([...good, off].some(({ isTending }) => isTending)) {
        hub.time += pick(700);
        await hub.release();
        for (const replica of good) expect(replica.fault()).toBeUndefined();
      }
      hub.time += 3000;
    }
    const made = [...hub.made.values()].filter(({ id, issuer }) => id === issuer);
    expect(made.length).toBeLessThan(5);
  });
});

describe('configurations that cannot be written', () => {
  test('do not keep the certificate from being renewed while the CA in use is trusted', async () => {
    const pick = chance(3);
    const hub = new SimulatedHub(pick);
    const replicas = [new Replica(hub, 0), new Replica(hub, 0)];
    await settle(hub, replicas, pick);
    const [first] = hub.secret?.kept.authorities ?? [];
    hub.isReadOnly = true;
    // The CA that is made meanwhile is in no bundle, and signs nothing; the one before signs to its end.
    const end = (first?.certificate.notAfter ?? 0) - hour;
    while (hub.time < end) {
      hub.time += hour;
      await settle(hub, replicas, pick);
    }
    expect(replicas.every(({ failures }) => failures > 0)).toBe(true);
    expect(replicas.map(({ shown }) => shown?.issuer)).toEqual([first?.certificate.id, first?.certificate.id]);
  });
});

const events: readonly Event[] = [
  (hub) => void (hub.secret = undefined),
  (hub, replicas) => void replicas.splice(0, 1, new Replica(hub, 0)),
  (hub, replicas) => void replicas.splice(1, 1, new Replica(hub, hour)),
  (hub, replicas) =>
    void replicas.splice(0, 2, new Replica(hub, 0, ['guard.svc', 'other.svc']), new Replica(hub, hour)),
  (hub, replicas) => {
    hub.secret = undefined;
    replicas.splice(1, 1, new Replica(hub, 0));
  },
  (hub, replicas) => void (hub.stuck = hub.stuck === undefined ? replicas[0] : undefined),
  (hub) => void hub.configurations.set('mutating', [{ at: hub.time, bundle: '' }]),
  (hub) => void hub.configurations.delete('mutating'),
  (hub) => void (hub.failing = hub.failing === 0 ? 20 : 0),
];

describe('over days of renewals, restarts, lost calls and deletions', () => {
  test('no replica that is ready ever shows what an API server does not trust', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const pick = chance(seed);
        const hub = new SimulatedHub(pick);
        const replicas = [new Replica(hub, 0), new Replica(hub, hour)];
        for (let day = 0; day < 14; day++) {
          for (let rounds = 0; rounds < 24; rounds++) {
            if (pick(6) === 0) events[pick(events.length)]?.(hub, replicas);
            await round(hub, replicas, pick);
            const isCalm = hub.failing === 0 && hub.stuck === undefined;
            hub.time += isCalm && pick(3) === 0 ? hour : 3000;
          }
        }
        hub.failing = 0;
        hub.stuck = undefined;
        await settle(hub, replicas, pick);
        expectAgreement(hub, replicas);
        // Days later those whose certificates have all expired are gone: the one that signs is left, and one before or after.
        for (let hours = 0; hours < 45; hours++) {
          hub.time += hour;
          for (let rounds = 0; rounds < 3; rounds++) {
            await round(hub, replicas, pick);
            hub.time += 3000;
          }
        }
        // One of them may have made a new pair in the very last round, which the other one sees in the next.
        await settle(hub, replicas, pick);
        expectAgreement(hub, replicas);
        expect(hub.secret?.kept.authorities.length).toBeLessThan(4);
      }),
      { numRuns: 10 },
    );
  }, 180_000);
});

describe('a new CA', () => {
  test('comes in time, takes over, and the old one goes when its last certificate is long over', async () => {
    const pick = chance(1);
    const hub = new SimulatedHub(pick);
    const replicas = [new Replica(hub, 0), new Replica(hub, 0)];
    await settle(hub, replicas, pick);
    const first = hub.secret?.kept.authorities[0]?.certificate.id ?? '';
    for (let hours = 0; hours <= (lives.authority * 2) / 3 / hour; hours++) {
      hub.time += hour;
      await settle(hub, replicas, pick);
    }
    expectAgreement(hub, replicas);
    const [old, next] = hub.secret?.kept.authorities ?? [];
    expect(old).toEqual({ certificate: expect.objectContaining({ id: first }) });
    expect(next?.key).toBeDefined();
    expect(replicas.map(({ shown }) => shown?.issuer)).toEqual([next?.certificate.id, next?.certificate.id]);
    for (let rounds = 0; rounds < 40; rounds++) {
      hub.time += hour;
      await settle(hub, replicas, pick);
    }
    expect(hub.secret?.kept.authorities.map(({ certificate }) => certificate.id)).not.toContain(first);
  }, 60_000);
});
