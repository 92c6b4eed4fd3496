import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { differences, outcomesOn, type Outcome } from './harness/definitions.js';
import type { Json } from './harness/api.js';
import { ourCrds } from './harness/our-crds.js';
import { readObjects } from './harness/hub.js';
import { Releases } from './rollout/releases.js';
import { theirCrds } from './harness/their-crds.js';
import { startGuardedHub, type GuardedHub, type Stoppable } from './harness/use-guarded-hub.js';
import { users } from './harness/users.js';
import { bothScopes, joinMembers } from './harness/world.js';

/** The same on every version of KubeFleet whose definitions are at hand. */
const ours = 'our own definitions';
const definitions: readonly [string, readonly Json[]][] = [
  [ours, ourCrds],
  ...theirCrds.map(([version, folder]): [string, readonly Json[]] => [version, readObjects(folder)]),
];

/** A hub of one version: what it said before it had a guard, and what is rolled out on it, in both scopes at once. */
interface Site {
  readonly it: GuardedHub & Stoppable;
  readonly outcomes: readonly Outcome[];
  readonly releases: readonly Releases[];
}

async function startSite(crds: readonly Json[]): Promise<Site> {
  let outcomes: readonly Outcome[] = [];
  const before = async (hub: GuardedHub['hub']): Promise<void> => {
    if (theirCrds.length > 0) outcomes = await outcomesOn(hub);
    await joinMembers(hub);
  };
  const it = await startGuardedHub({ crds, before });
  return { it, outcomes, releases: bothScopes.map(([, scope]) => new Releases(it.hub, scope)) };
}

// Most of the time goes into waiting, so all of them are under way at once.
const sites = new Map<string, Site>();
const siteOf = (version: string): Site => {
  const site = sites.get(version);
  if (site === undefined) throw new Error(`no hub of ${version} has started`);
  return site;
};
beforeAll(async () => {
  const starts = definitions.map(async ([version, crds]) => sites.set(version, await startSite(crds)));
  const failed = (await Promise.allSettled(starts)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}, 180_000);
afterAll(() => Promise.all([...sites.values()].map(({ it }) => it.stop())), 60_000);

describe.each(definitions)('on %s', (version) => {
  describe.each(bothScopes.map(([name], index): [string, number] => [name, index]))(
    'journey: a rollout %s',
    (_name, index) => {
      const releases = (): Releases | undefined => siteOf(version).releases[index];

      test('goes through its stages as it is approved, and ends in success', () => releases()?.out, 90_000);

      test('is followed by one of the next version', () => releases()?.next, 90_000);

      test('is rolled back, stage by stage, by the index of the older snapshot', () => releases()?.back, 90_000);
    },
  );

  test('none of what the hub agent wrote was asked about', () => {
    const askers = siteOf(version)
      .it.guard.decisions()
      .map(({ user }) => user);
    expect(askers).toContain('alice');
    expect(askers).not.toContain(users.hubAgent.name);
  });
});

if (theirCrds.length > 0) {
  test('every rule of our definitions is met by one of the writes that are compared', () => {
    const rules = JSON.stringify(ourCrds).matchAll(/"rule":"(?:[^"\\]|\\.)*","message":"([^"]*)"/g);
    const met = siteOf(ours).outcomes.flatMap(({ causes }) => causes);
    const unmet = [...new Set([...rules].map(([, message = '']) => message))].filter(
      (message) => !met.some((cause) => cause.includes(message)),
    );
    expect(unmet).toEqual([]);
  });

  describe.each(theirCrds)('beside the definitions of KubeFleet %s', (version) => {
    test('ours accept and refuse the same objects, for the same reasons', () => {
      const [one, other] = [siteOf(ours).outcomes, siteOf(version).outcomes];
      expect(differences(one, other, version).slice(0, 5)).toEqual([]);
      // Both happen often, else nothing has been compared.
      const accepted = other.filter(({ isAccepted }) => isAccepted).length;
      expect(Math.min(accepted, other.length - accepted)).toBeGreaterThan(150);
    });
  });
}
