import { expect, test } from '@jest/globals';
import { kinds, type Family } from '../../../src/fleet/kinds.js';
import { LiveCache, type CacheChange } from '../../../src/sources/live/cache.js';
import { holdsFleetStateContract } from '../../fleet/state-contract.js';
import { placement, run } from '../../support/builders.js';
import { jsonIn, scopes } from '../../support/scopes.js';

const kindsOf = (family: Family) => kinds.filter((kind) => kind.family === family);

holdsFleetStateContract('the live cache', () => {
  const cache = new LiveCache();
  const present = new Map<Family, Set<string>>();
  const keysOf = (family: Family) => present.get(family) ?? new Set<string>();
  return {
    fleet: cache,
    put(family, object) {
      const { name, namespace } = object.metadata;
      present.set(family, keysOf(family).add(`${namespace ?? ''}/${name}`));
      for (const kind of kindsOf(family)) if (kind.kind === object.kind) cache.sinkFor(kind).put(object);
    },
    remove(family, key) {
      keysOf(family).delete(`${key.namespace ?? ''}/${key.name}`);
      for (const kind of kindsOf(family)) cache.sinkFor(kind).remove(key);
    },
    setComplete(family, complete) {
      for (const kind of kindsOf(family)) {
        if (complete) cache.sinkFor(kind).keepOnly(keysOf(family));
        else cache.forget(kind);
      }
    },
  };
});

for (const scope of scopes) {
  const kind = kinds.find(({ kind: name }) => name === scope.kind('Placement'));
  const twin = kinds.find(({ family, kind: name }) => family === 'Placement' && name !== scope.kind('Placement'));
  if (kind === undefined || twin === undefined) throw new Error('no such kind');
  const json = jsonIn(scope, placement('shop', { metadata: { resourceVersion: '7' } }));

  test(`a list of one kind says nothing of its twin, ${scope.name}`, () => {
    const cache = new LiveCache();
    cache.sinkFor(kind).put(json);
    cache.sinkFor(twin).keepOnly(new Set());
    expect(cache.get('Placement', { name: 'shop', namespace: scope.namespace }).is).toBe('known');
    expect(cache.get('Placement', { name: 'other', namespace: scope.namespace }).is).toBe('unknown');
  });

  test(`hearing the same version again changes nothing, ${scope.name}`, () => {
    const changes: CacheChange[] = [];
    const cache = new LiveCache((change) => changes.push(change));
    cache.sinkFor(kind).put(json);
    cache.sinkFor(kind).put(json);
    cache.sinkFor(kind).keepOnly(new Set([`${scope.namespace ?? ''}/shop`]));
    expect(changes).toHaveLength(1);
    cache.sinkFor(kind).keepOnly(new Set());
    cache.sinkFor(kind).keepOnly(new Set());
    expect(changes.map(({ key, object }) => [key.name, object === undefined])).toEqual([
      ['shop', false],
      ['shop', true],
    ]);
  });
}

test('a kind that is not served is known to be empty', () => {
  const cache = new LiveCache();
  for (const kind of kindsOf('UpdateRun')) cache.setEmpty(kind);
  expect(cache.list('UpdateRun', { namespace: 'team-a' })).toEqual({ items: [], complete: true });
  expect(cache.get('UpdateRun', { name: 'release' })).toEqual({ is: 'absent' });
});

test('a run that moved on to another strategy is found there and no longer here', () => {
  const cache = new LiveCache();
  const [kind] = kindsOf('UpdateRun');
  const [scope] = scopes;
  if (kind === undefined || scope === undefined) throw new Error('no such kind');
  const put = (version: string, stagedRolloutStrategyName: string) => {
    const spec = { stagedRolloutStrategyName };
    cache.sinkFor(kind).put(jsonIn(scope, run('release', { spec, metadata: { resourceVersion: version } })));
  };
  put('1', 'rings');
  put('2', 'waves');
  expect(cache.list('UpdateRun', { strategy: 'rings' }).items).toEqual([]);
  expect(cache.list('UpdateRun', { strategy: 'waves' }).items).toHaveLength(1);
});
