import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../src/engine/change.js';
import { overlay } from '../../src/engine/overlay.js';
import type { FleetState } from '../../src/fleet/state.js';
import {
  cluster,
  creation,
  deletion,
  placement,
  run,
  update,
  type ChangeDraft,
  type Draft,
} from '../support/builders.js';
import { changeIn, fleetIn, scopes } from '../support/scopes.js';

describe.each(scopes)('the fleet after a change, $name', (scope) => {
  const { namespace } = scope;
  const after = (change: ChangeDraft, ...drafts: readonly Draft[]): FleetState =>
    overlay(fleetIn(scope, drafts), changeIn(scope, change));
  const inPartial = (change: ChangeDraft, ...drafts: readonly Draft[]): FleetState =>
    overlay(fleetIn(scope, drafts, 'partial'), changeIn(scope, change));
  const runsOf = (fleet: FleetState, query = {}): readonly string[] =>
    fleet.list('UpdateRun', { namespace, ...query }).items.map(({ metadata }) => metadata.name);

  test('holds what is created, in its place by name', () => {
    const fleet = after(creation(run('b')), run('c'), run('a'));
    expect(fleet.get('UpdateRun', { name: 'b', namespace }).is).toBe('known');
    expect(runsOf(fleet)).toEqual(['a', 'b', 'c']);
    expect(runsOf(fleet, { placement: 'shop' })).toEqual(['a', 'b', 'c']);
    expect(runsOf(fleet, { placement: 'blog' })).toEqual([]);
  });

  test('holds what is created among the objects of all namespaces', () => {
    const fleet = after(creation(run('b')), run('c'), run('a'));
    const { items } = fleet.list('UpdateRun', { everywhere: true });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  });

  test('holds what is created once, if the source has heard of it already', () => {
    const fleet = after(creation(run('a', { spec: { state: 'Stop' } })), run('a'));
    expect(fleet.list('UpdateRun', { namespace }).items.map(({ spec }) => spec.state)).toEqual(['Stop']);
  });

  test('holds the new version of what is updated, and finds it where it belongs now', () => {
    const moved = run('a', { spec: { placementName: 'blog' } });
    const fleet = after(update(run('a'), moved), run('a'));
    expect(fleet.get('UpdateRun', { name: 'a', namespace })).toMatchObject({
      value: { spec: { placementName: 'blog' } },
    });
    expect([runsOf(fleet, { placement: 'shop' }), runsOf(fleet, { placement: 'blog' })]).toEqual([[], ['a']]);
  });

  test('holds the new version even where the source has never heard of the object', () => {
    const fleet = inPartial(update(run('a'), run('a', { spec: { state: 'Stop' } })));
    expect(fleet.get('UpdateRun', { name: 'a', namespace })).toMatchObject({ is: 'known' });
    expect(runsOf(fleet)).toEqual(['a']);
  });

  test('lacks what is deleted, and knows that it is gone', () => {
    for (const fleet of [after(deletion(run('a')), run('a'), run('b')), inPartial(deletion(run('a')), run('b'))]) {
      expect(fleet.get('UpdateRun', { name: 'a', namespace })).toEqual({ is: 'absent' });
      expect([runsOf(fleet), runsOf(fleet, { placement: 'shop' })]).toEqual([['b'], ['b']]);
    }
  });

  test('knows no more of anything else than the source does', () => {
    const fleet = inPartial(creation(run('a')), placement('shop'));
    expect(fleet.get('UpdateRun', { name: 'b', namespace })).toEqual({ is: 'unknown' });
    expect(fleet.list('UpdateRun', { namespace }).complete).toBe(false);
    expect(fleet.get('Placement', { name: 'shop', namespace }).is).toBe('known');
    expect(fleet.get('Placement', { name: 'a', namespace })).toEqual({ is: 'unknown' });
    expect(after(creation(run('a'))).list('UpdateRun', { namespace }).complete).toBe(true);
  });

  test('leaves objects of the same name in other namespaces and families alone', () => {
    const fleet = after(deletion(run('shop')), placement('shop'));
    expect(fleet.get('Placement', { name: 'shop', namespace }).is).toBe('known');
    const elsewhere = overlay(
      fleetIn({ ...scope, namespace: 'team-b' }, [run('a')]),
      changeIn(scope, deletion(run('a'))),
    );
    expect(elsewhere.get('UpdateRun', { name: 'a', namespace: 'team-b' }).is).toBe('known');
    expect(runsOf(elsewhere, { namespace: 'team-b' })).toEqual(['a']);
  });

  test('does not list what is created among those of other namespaces', () => {
    expect(runsOf(after(creation(run('a'))), { namespace: 'team-b' })).toEqual([]);
  });

  test('puts an object where the request says, if its own metadata does not', () => {
    const whole = changeIn(scope, creation(run('')));
    const change = { ...whole, name: 'release-x7k2p' } as Change;
    const fleet = overlay(fleetIn(scope, [], 'partial'), change);
    expect(fleet.get('UpdateRun', { name: 'release-x7k2p', namespace })).toMatchObject({
      value: { metadata: { name: 'release-x7k2p' } },
    });
    expect(runsOf(fleet, { placement: 'shop' })).toEqual(['release-x7k2p']);
  });

  test('holds member clusters in cluster scope', () => {
    const fleet = after(update(cluster('eu'), cluster('eu', { ring: '0' })), cluster('eu'));
    expect(fleet.get('MemberCluster', { name: 'eu' })).toMatchObject({
      value: { metadata: { labels: { ring: '0' } } },
    });
    expect(fleet.list('MemberCluster', {}).items).toHaveLength(1);
  });
});

test('a manifest without a namespace counts in the namespace that it is judged for', () => {
  const [, inTeamA] = scopes as [(typeof scopes)[0], (typeof scopes)[0]];
  const bare = {
    family: 'UpdateRun' as const,
    json: { ...run('a').json, metadata: { name: 'a', namespace: undefined } },
  };
  const fleet = overlay(fleetIn(inTeamA, []), changeIn(inTeamA, creation(bare)));
  expect(fleet.get('UpdateRun', { name: 'a', namespace: 'team-a' })).toMatchObject({
    value: { metadata: { namespace: 'team-a' } },
  });
  expect(fleet.list('UpdateRun', { namespace: 'team-a', placement: 'shop' }).items).toHaveLength(1);
});
