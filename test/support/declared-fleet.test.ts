import { expect, test } from '@jest/globals';
import { Facts } from '../../src/fleet/facts.js';
import { placement, run } from './builders.js';
import { DeclaredFleet } from './declared-fleet.js';
import { fleetIn, scopes } from './scopes.js';

test.each(scopes)('a rule gets no more than it declares, $name', (scope) => {
  const fleet = new DeclaredFleet(fleetIn(scope, [placement(), run('a')]), {
    reads: ['Placement'],
    mentions: ['UpdateRun'],
  });
  const facts = new Facts(fleet, scope.namespace);
  expect(facts.get('Placement', 'blog')).toBeUndefined();
  expect(facts.list('Placement')).toHaveLength(1);
  expect(facts.some('UpdateRun')).toHaveLength(1);
  expect(() => facts.list('UpdateRun')).toThrow('cannot know');
  expect(() => facts.get('UpdateRun', 'b')).toThrow('cannot know');
  expect(fleet.undeclared).toEqual([]);
  facts.some('Binding');
  expect([...fleet.asked]).toEqual(['Placement', 'UpdateRun', 'Binding']);
  expect(fleet.undeclared).toEqual(['Binding']);
});
