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
  function* rule(): Generator {
    yield facts.get('Placement', 'blog');
    yield facts.list('Placement').length;
    yield facts.some('UpdateRun').length;
    expect(() => facts.list('UpdateRun')).toThrow('cannot know');
    expect(() => facts.get('UpdateRun', 'b')).toThrow('cannot know');
    expect(fleet.undeclared).toEqual([]);
    yield facts.some('Binding').length;
  }
  facts.some('ApprovalRequest');
  expect([...fleet.whileAsking(rule())]).toEqual([undefined, 1, 1, 0]);
  facts.some('MemberCluster');
  expect([...fleet.asked]).toEqual(['Placement', 'UpdateRun', 'Binding']);
  expect(fleet.undeclared).toEqual(['Binding']);
});
