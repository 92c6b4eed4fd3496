import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindIn, kinds } from '../../src/fleet/kinds.js';
import { LiveCache, type CacheChange } from '../../src/sources/live/cache.js';
import { Connection } from '../../src/hub/connection.js';
import { LiveFleet } from '../../src/sources/live/live-fleet.js';
import { condition, run } from '../support/builders.js';
import { scaledClock } from '../support/scaled-clock.js';
import { jsonIn, scopes } from '../support/scopes.js';
import { ScriptedApi, type Fault, type Verb } from '../support/scripted-api.js';
import { until } from '../support/until.js';

/** One thing that happens on the hub, or to the connection. */
type Step =
  | { readonly do: 'put' | 'remove' | 'remove unseen'; readonly name: string; readonly scope: number }
  | { readonly do: 'compact' | 'cut' | 'hold' | 'release' | 'pause' }
  | { readonly do: 'fault'; readonly verb: Verb; readonly fault: Fault };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>({ is: 'cut' }, { is: 'cut in the middle' }, { is: 'stall' }, { is: 'garbage' }),
  fc.constantFrom(401, 403, 410, 429, 500, 503).map((status): Fault => ({ is: 'status', status })),
  fc.constantFrom(410, 500).map((status): Fault => ({ is: 'error event', status })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('put', 'put', 'remove', 'remove unseen'),
      name,
      scope: fc.constantFrom(0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('compact', 'cut', 'hold', 'release') }) },
  { weight: 3, arbitrary: fc.constant({ do: 'pause' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fault' as const), verb: fc.constantFrom<Verb>('list', 'watch'), fault }),
  },
);

/** Only runs are served: what is shown for one kind holds for all, and goes quicker. */
const served = ['ClusterStagedUpdateRun', 'StagedUpdateRun'];

async function play(api: ScriptedApi, steps: readonly Step[]): Promise<void> {
  let count = 0;
  for (const one of steps) {
    if (one.do === 'put') {
      const status = { conditions: [condition('Progressing', 'True', `Reason${String(count++)}`)] };
      const scope = scopes[one.scope];
      if (scope !== undefined) api.put(jsonIn(scope, run(one.name, { status })));
    } else if (one.do === 'remove' || one.do === 'remove unseen') {
      const namespace = scopes[one.scope]?.namespace;
      if (one.do === 'remove unseen') api.cutWatches();
      api.remove(kindIn('UpdateRun', namespace), one.name, namespace);
      if (one.do === 'remove unseen') api.compact();
    } else if (one.do === 'fault') api.faults[one.verb].push(one.fault);
    else if (one.do === 'compact') api.compact();
    else if (one.do === 'cut') api.cutWatches();
    else if (one.do === 'hold') api.holdWatches();
    else if (one.do === 'release') api.releaseWatches();
    else await new Promise((resolve) => setTimeout(resolve, 15));
  }
  api.releaseWatches();
}

/** What a cache holds that was told the truth at once. */
function truthOf(api: ScriptedApi): LiveCache {
  const cache = new LiveCache();
  for (const kind of kinds) for (const json of api.truth(kind)) cache.sinkFor(kind).put(json);
  return cache;
}

const isEqual = (a: LiveCache, b: LiveCache): boolean =>
  JSON.stringify(a.all('UpdateRun')) === JSON.stringify(b.all('UpdateRun'));

test('whatever happens, and whatever fails, the cache ends equal to the truth', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const api = await ScriptedApi.start();
      for (const { kind } of kinds) if (!served.includes(kind)) api.unserved.add(kind);
      const connection = new Connection({ kubeconfig: api.kubeconfig() });
      const changes: CacheChange[] = [];
      const live = new LiveFleet({
        hub: connection,
        clock: scaledClock(1000),
        onChange: (change) => changes.push(change),
      });
      live.start();
      await play(api, steps);
      await live.synced;
      await until(() => isEqual(live.cache, truthOf(api)));
      const told = changes.flatMap(({ object }) => object?.metadata.resourceVersion ?? []);
      expect(new Set(told).size).toBe(told.length);
      await live.stop();
      await connection.close();
      await api.stop();
    }),
    { numRuns: 25 },
  );
}, 60_000);
