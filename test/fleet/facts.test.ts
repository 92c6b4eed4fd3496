import { describe, expect, test } from '@jest/globals';
import { Facts, UnknownFact } from '../../src/fleet/facts.js';
import type { Family } from '../../src/fleet/kinds.js';
import { binding, cluster, placement, run, strategy } from '../support/builders.js';
import { fleetIn, scopes } from '../support/scopes.js';

/** What was unknown, in words; undefined if nothing was. */
function unknownIn(ask: () => unknown): string | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    if (error instanceof UnknownFact) return error.what;
    throw error;
  }
}

describe.each(scopes)('facts, $name', (scope) => {
  const { namespace } = scope;
  const drafts = [placement('shop'), strategy('rings'), run('b'), run('a'), binding('eu'), cluster('eu')];
  const complete = new Facts(fleetIn(scope, drafts), namespace);
  const partial = new Facts(fleetIn(scope, drafts, 'partial'), namespace);

  test('find an object of this scope by its name', () => {
    expect(complete.get('Placement', 'shop')?.metadata.namespace).toBe(namespace);
    expect(partial.get('Placement', 'shop')?.metadata.name).toBe('shop');
  });

  test('find member clusters from every scope', () => {
    expect(complete.get('MemberCluster', 'eu')?.metadata.name).toBe('eu');
    expect(complete.list('MemberCluster')).toHaveLength(1);
  });

  test('know that an object is not there', () => {
    expect(complete.get('Placement', 'blog')).toBeUndefined();
  });

  test('do not take the twin of another scope for an object of this one', () => {
    expect(complete.in('team-b').get('Placement', 'shop')).toBeUndefined();
    expect(complete.in('team-b').list('UpdateRun')).toEqual([]);
    expect(complete.in('team-b').get('MemberCluster', 'eu')?.metadata.name).toBe('eu');
    expect(complete.in('team-b').namespace).toBe('team-b');
  });

  test('list what belongs to something', () => {
    const names = (placementName: string): readonly string[] =>
      complete.list('UpdateRun', { placement: placementName }).map(({ metadata }) => metadata.name);
    expect([names('shop'), names('blog')]).toEqual([['a', 'b'], []]);
  });

  test('list what is in any scope', () => {
    const names = complete
      .in('team-b')
      .everywhere('UpdateRun')
      .map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'b']);
    expect(unknownIn(() => partial.everywhere('UpdateRun'))).toBe(`the ${scope.kind('UpdateRun')}s of all namespaces`);
  });

  test('raise what cannot be known, and say it by the kind of this scope', () => {
    expect(unknownIn(() => partial.get('Placement', 'blog'))).toBe(`${scope.kind('Placement')} "blog"`);
    expect(unknownIn(() => partial.list('Binding', { placement: 'shop' }))).toBe(
      `the ${scope.kind('Binding')}s of placement "shop"`,
    );
    expect(unknownIn(() => partial.list('MemberCluster'))).toBe('the MemberClusters');
    expect(unknownIn(() => partial.list('UpdateStrategy'))).toBe(
      `the ${scope.kind('UpdateStrategy').replace('Strategy', 'Strategies')}`,
    );
  });

  test('name the family of what cannot be known', () => {
    const unknown = new UnknownFact('Binding', 'the bindings');
    expect([unknown.family, unknown.message, unknown.name]).toEqual([
      'Binding',
      'cannot know the bindings',
      'UnknownFact',
    ]);
  });

  test('give what happens to be known without raising', () => {
    expect(partial.some('UpdateRun').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(partial.some('ResourceSnapshot', { placement: 'shop' })).toEqual([]);
    expect(partial.in('team-b').some('UpdateRun')).toEqual([]);
  });

  test('derive a thing once, and again after what could not be derived', () => {
    const facts = new Facts(fleetIn(scope, drafts), namespace);
    let derived = 0;
    const derive = (): number => ++derived;
    const of = {};
    const plan = (): number => facts.once(of, 'plan', derive);
    expect([plan(), plan(), facts.once(of, 'other', derive)]).toEqual([1, 1, 2]);
    const fail = (family: Family): never => {
      throw new UnknownFact(family, 'it');
    };
    expect(() => facts.once(of, 'later', () => fail('Binding'))).toThrow(UnknownFact);
    expect(facts.once(of, 'later', derive)).toBe(3);
    // What is derived of one run is not told of another.
    expect([facts.once({}, 'plan', derive), plan()]).toEqual([4, 1]);
  });
});
