import { describe, expect, test } from '@jest/globals';
import { decide, type Claim, type Holder, type Situation } from '../../src/claims/protocol.js';

const claim = (name: string, index?: string): Claim => ({
  uid: `uid-of-${name}`,
  name,
  rollout: { stagedRolloutStrategyName: 'rings', ...(index !== undefined && { resourceSnapshotIndex: index }) },
});
const release = claim('release');
const earlier = claim('earlier');

const given = (holder: Partial<Holder> | undefined, more: Partial<Situation> = {}): Situation => ({
  request: release,
  namesake: 'none',
  holders: holder === undefined ? [] : [{ claim: earlier, run: 'absent', wasStored: false, ...holder }],
  age: 0,
  settle: 60,
  concurrency: 'exclusive',
  renews: true,
  ...more,
});

const written = (how: string) => ({ act: 'write', how, claims: [release] });
const back = { act: 'retry' };
const refused = { act: 'refuse', holder: earlier };

/** The table of docs/claims.md: a row a holder; a claim younger than the settle time, and an older one. */
describe('who gets the placement', () => {
  test.each<[string, Partial<Holder> | undefined, object, object]>([
    ['nobody holds it', undefined, written('take'), written('take')],
    ['the requester holds it', { claim: release }, written('refresh'), written('refresh')],
    ['an active run holds it', { run: 'active' }, refused, refused],
    ['a run that is over holds it', { run: 'over' }, written('take over'), written('take over')],
    ['a run in Initialize or Stop holds it', { run: 'idle', wasStored: true }, back, written('take over')],
    ['a run that was stored and is gone holds it', { wasStored: true }, written('take over'), written('take over')],
    ['a run that was never seen stored holds it', {}, back, written('take over')],
  ])('when %s', (_name, holder, young, old) => {
    for (const age of [0, 59.9]) expect(decide(given(holder, { age }))).toMatchObject(young);
    for (const age of [60, 3600]) expect(decide(given(holder, { age }))).toMatchObject(old);
  });

  test('a run of the same uid is admitted as often as it asks, whatever is known of it', () => {
    for (const run of ['active', 'idle', 'over', 'absent'] as const) {
      expect(decide(given({ claim: release, run }))).toEqual(written('refresh'));
    }
  });

  test('a create that is sent again keeps what it has, and a claim that is gone it takes', () => {
    const kept = { act: 'keep', claims: [release] };
    for (const age of [0, 60, 3600]) expect(decide(given({ claim: release }, { age, renews: false }))).toEqual(kept);
    expect(decide(given(undefined, { renews: false }))).toEqual(written('take'));
    expect(decide(given({ run: 'over' }, { renews: false }))).toEqual(written('take over'));
  });

  test('nobody waits less than a second, or longer than is left', () => {
    expect(decide(given({}, { age: 59.5 }))).toMatchObject({ seconds: 1 });
    expect(decide(given({}, { settle: 1 }))).toMatchObject({ seconds: 1 });
    expect(decide(given({}, { age: 58 }))).toMatchObject({ seconds: 2 });
  });
});

describe('a create whose name is stored', () => {
  test.each(['being deleted', 'stored'] as const)('claims nothing while the other is %s', (namesake) => {
    expect(decide(given(undefined, { namesake }))).toEqual({ act: 'name taken', namesake });
    expect(decide(given({ run: 'active' }, { namesake }))).toEqual({ act: 'name taken', namesake });
  });
});

describe('where runs that do the same may overlap', () => {
  const compatible = (holders: readonly Holder[], request: Claim): Situation => ({
    ...given(undefined),
    request,
    holders,
    concurrency: 'compatible',
  });
  const holder = (name: string, index: string | undefined, run: Holder['run']): Holder => ({
    claim: claim(name, index),
    run,
    wasStored: run !== 'absent',
  });

  test('a run of the same strategy and index joins those that hold the placement or are about to', () => {
    const holders = [holder('a', '3', 'active'), holder('b', '3', 'absent'), holder('c', '3', 'over')];
    const request = claim('release', '3');
    const claims = [claim('a', '3'), claim('b', '3'), request];
    expect(decide(compatible(holders, request))).toEqual({ act: 'write', how: 'take over', claims });
  });

  test.each<[string, Claim, Claim]>([
    ['another index', claim('a', '3'), claim('release', '4')],
    ['no index', claim('a'), claim('release')],
    ['an index on one side only', claim('a', '3'), claim('release')],
    [
      'another strategy',
      { ...claim('a', '3'), rollout: { stagedRolloutStrategyName: 'x', resourceSnapshotIndex: '3' } },
      claim('release', '3'),
    ],
  ])('%s is in the way', (_name, held, request) => {
    const by = (run: Holder['run']) => decide(compatible([{ claim: held, run, wasStored: false }], request)).act;
    expect([by('active'), by('idle'), by('absent'), by('over')]).toEqual(['refuse', 'retry', 'retry', 'write']);
  });

  test('an active run is named before one that may become active', () => {
    const holders = [holder('a', '1', 'absent'), holder('b', '2', 'active')];
    expect(decide(compatible(holders, claim('release', '3')))).toEqual({ act: 'refuse', holder: claim('b', '2') });
  });

  test('several holders that were let in this way all count once only one may be active', () => {
    const holders = [holder('a', '3', 'over'), holder('b', '3', 'active')];
    const situation = { ...compatible(holders, claim('release', '3')), concurrency: 'exclusive' } as const;
    expect(decide(situation)).toEqual({ act: 'refuse', holder: claim('b', '3') });
  });
});
