import { describe, expect, test } from '@jest/globals';
import { clockTolerance, type Certificate } from '../../src/certificates/certificate.js';
import {
  bundleOf,
  decide,
  withPair,
  type Authority,
  type Kept,
  type Situation,
} from '../../src/certificates/decide.js';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2030, 0, 1);
const lives = { pair: 90 * day, authority: 365 * day };

function certificate(id: string, left: number, issuer = id): Certificate {
  return {
    ...{ id, pem: `${id}\n`, notBefore: now - 400 * day, notAfter: now + left, names: ['guard.svc'] },
    covers: (name) => name === 'guard.svc',
    isSignedBy: (other) => other.id === issuer,
  };
}

const ca = (id: string, left = 300 * day): Authority => ({ certificate: certificate(id, left), key: `${id} key` });
const pairOf = (issuer: string, left = 80 * day) => ({
  certificate: certificate(`pair of ${issuer}`, left, issuer),
  tls: { cert: '', key: '' },
});
const good: Kept = { authorities: [ca('a')], pair: pairOf('a'), issued: [] };

function situation(more: Partial<Situation> = {}): Situation {
  const kept = 'kept' in more ? more.kept : good;
  const certificates = kept?.authorities.map((authority) => authority.certificate) ?? [];
  const configurations = [{ id: 'x', bundles: [{ text: kept ? bundleOf(kept) : '', certificates }] }];
  const names = ['guard.svc'];
  return { now, lives, names, kept: good, remembered: undefined, configurations, isSettled: () => true, ...more };
}

describe('what is to be done next', () => {
  test('nothing, where all is in order', () => {
    expect(decide(situation())).toEqual({ do: 'rest' });
    expect(decide(situation({ configurations: [] }))).toEqual({ do: 'rest' });
  });

  test('begins where there is nothing', () => {
    expect(decide(situation({ kept: undefined, configurations: [] }))).toEqual({ do: 'begin', trust: [] });
  });

  test('begins beside what the webhooks trust already, for example the CA of cert-manager', () => {
    const theirs = certificate('theirs', day);
    const expired = certificate('expired', -day);
    const configurations = [{ id: 'x', bundles: [{ text: 'theirs\n', certificates: [theirs, expired] }] }];
    expect(decide(situation({ kept: undefined, configurations }))).toEqual({ do: 'begin', trust: [theirs] });
  });

  test('begins beside what is not valid yet: where a clock is days behind, it is what the others show', () => {
    const ahead = { ...ca('a'), certificate: { ...certificate('a', 300 * day), notBefore: now + day } };
    const kept = { ...good, authorities: [ahead] };
    expect(decide(situation({ kept }))).toEqual({ do: 'begin', trust: [ahead.certificate] });
  });

  test('stays out of it where the clock of another replica is days off, as long as its own certificate will do', () => {
    const ahead = { ...ca('b'), certificate: { ...certificate('b', 300 * day), notBefore: now + day } };
    const kept = { ...good, authorities: [{ certificate: ca('a').certificate }, ahead] };
    const shown = (days: number) => pairOf('a', days * day).certificate;
    expect(decide(situation({ kept, shown: shown(31) }))).toEqual({ do: 'rest', because: expect.any(String) });
    for (const useless of [undefined, shown(29), shown(-1), pairOf('gone', 31 * day).certificate]) {
      expect(decide(situation({ kept, shown: useless })).do).toBe('begin');
    }
    // Somebody has asked for a new CA, by removing the key of the one before.
    const keyless = { ...good, authorities: [{ certificate: ca('a').certificate }] };
    expect(decide(situation({ kept: keyless, shown: shown(31) })).do).toBe('begin');
  });

  test('renews what is due also where the bundle cannot be written', () => {
    const configurations = [{ id: 'x', bundles: [{ text: '', certificates: [] }] }];
    const kept = { ...good, pair: pairOf('a', day) };
    expect(decide(situation({ configurations, kept })).do).toBe('inject');
    expect(decide(situation({ configurations, kept, canInject: false })).do).toBe('issue');
    expect(decide(situation({ configurations, canInject: false }))).toEqual({ do: 'rest' });
  });

  test('writes a Secret again that was deleted', () => {
    expect(decide(situation({ kept: undefined, remembered: good, configurations: [] }))).toEqual({
      do: 'restore',
      kept: good,
    });
  });

  test('does not write again what cannot be used any more', () => {
    const remembered = { ...good, pair: pairOf('a', -day) };
    expect(decide(situation({ kept: undefined, remembered, configurations: [] })).do).toBe('begin');
  });

  test('puts the bundle into each configuration that has another', () => {
    const bundles = [{ text: 'a\n', certificates: [] }];
    const other = { id: 'y', bundles: [...bundles, { text: '', certificates: [] }] };
    expect(decide(situation({ configurations: [{ id: 'x', bundles }, other] }))).toEqual({
      do: 'inject',
      ids: ['y'],
      bundle: 'a\n',
    });
  });

  test.each([
    [31, 'rest'],
    [29, 'issue'],
    [-1, 'issue'],
  ])('with %i of 90 days left to the certificate: %s', (days, expected) => {
    expect(decide(situation({ kept: { ...good, pair: pairOf('a', days * day) } })).do).toBe(expected);
  });

  test.each([
    [122, 'rest'],
    [121, 'add authority'],
  ])('with %i of 365 days left to the CA: %s', (days, expected) => {
    const kept = { ...good, authorities: [ca('a', days * day)] };
    expect(decide(situation({ kept })).do).toBe(expected);
  });

  test('begins anew where the CA has expired or its key is gone', () => {
    for (const authority of [ca('a', -day), { certificate: certificate('a', 300 * day) }]) {
      expect(decide(situation({ kept: { ...good, authorities: [authority] } })).do).toBe('begin');
    }
  });

  const changing = { ...good, authorities: [ca('a'), ca('b')] };

  test('lets a new CA sign once it has settled, and not before', () => {
    expect(decide(situation({ kept: changing }))).toMatchObject({ do: 'issue', from: { key: 'b key' } });
    const isSettled = ({ id }: Certificate) => id === 'a';
    expect(decide(situation({ kept: changing, isSettled }))).toEqual({ do: 'rest' });
  });

  test('lets the old CA go on where the new one does not settle and a certificate is due', () => {
    const kept = { ...changing, pair: pairOf('a', day) };
    const isSettled = ({ id }: Certificate) => id === 'a';
    expect(decide(situation({ kept, isSettled }))).toMatchObject({ do: 'issue', from: { key: 'a key' } });
  });

  test('never goes back to an older CA', () => {
    const kept = { ...changing, pair: pairOf('b', day) };
    const isSettled = ({ id }: Certificate) => id === 'a';
    expect(decide(situation({ kept, isSettled }))).toEqual({ do: 'rest' });
  });

  test('adds a name that is missing, and takes none away', () => {
    const names = ['guard.svc', 'other.svc'];
    expect(decide(situation({ names }))).toMatchObject({ do: 'issue', names });
    expect(decide(situation({ names: ['other.svc'] }))).toMatchObject({ do: 'issue', names });
  });
});

describe('once a certificate has been issued', () => {
  const [old, next] = [ca('a'), ca('b')];
  const kept = { ...good, authorities: [old, next] };

  test('the CA before stays trusted without its key while a certificate of it may be shown', () => {
    const after = withPair(kept, pairOf('b'), { from: next, now });
    expect(after.authorities).toEqual([{ certificate: old.certificate }, next]);
    expect(after.issued).toEqual([good.pair?.certificate]);
  });

  test('the Secret does not grow, however often a certificate is made', () => {
    let after: Kept = good;
    for (let days = 1; days <= 60; days++) {
      after = withPair(after, pairOf('a', (80 + days) * day), { from: after.authorities[0] ?? old, now });
    }
    expect(after.issued.map(({ notAfter }) => notAfter)).toEqual([now + 139 * day]);
    expect(after.authorities).toEqual(good.authorities);
  });

  test('the CA before goes when the last of them has been expired for a day', () => {
    const later = now + 80 * day + clockTolerance;
    const first = withPair(kept, pairOf('b'), { from: next, now });
    expect(withPair(first, pairOf('b'), { from: next, now: later - 1 }).authorities).toHaveLength(2);
    expect(withPair(first, pairOf('b'), { from: next, now: later }).authorities).toEqual([next]);
  });
});
