import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leaseName, leaseOf, readLease, unreadable } from '../../src/claims/lease.js';
import type { Claim } from '../../src/claims/protocol.js';

const shop = { name: 'shop' };
const claim: Claim = {
  uid: 'u1',
  name: 'release',
  rollout: { stagedRolloutStrategyName: 'rings', resourceSnapshotIndex: '3' },
};
const lease = (placement = shop, claims: readonly Claim[] = [claim]) =>
  leaseOf({ placement, claims, version: undefined, settleSeconds: 60, now: new Date(0) }) as {
    metadata: { name: string; annotations: Record<string, string> };
  };

describe('a Lease', () => {
  test('has a name of its own for each placement of each scope, which the API server takes', () => {
    const places = [shop, { name: 'shop', namespace: 'team-a' }, { name: 'team-a/shop' }, { name: 'x'.repeat(253) }];
    const names = places.map(leaseName);
    expect(new Set(names).size).toBe(places.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    expect(leaseName({ name: 'shop', namespace: undefined })).toBe(leaseName(shop));
  });

  test('says who holds the placement, and is read as it was written', () => {
    for (const placement of [shop, { name: 'shop', namespace: 'team-a' }]) {
      expect(readLease(lease(placement))).toEqual({ placement, claims: [claim] });
    }
    const named = { ...claim, name: `release-${'0'.repeat(240)}.a-1` };
    expect(readLease(lease(shop, [named])).claims).toEqual([named]);
    const noIndex = { ...claim, rollout: { stagedRolloutStrategyName: 'rings' } };
    expect(readLease(lease(shop, [claim, noIndex])).claims).toEqual([claim, noIndex]);
  });

  test('is written as the API server wants it, with the name of the run where kubectl shows the holder', () => {
    expect(lease()).toMatchObject({
      metadata: { name: leaseName(shop), labels: { 'stageguard.io/claims': 'placement' } },
      spec: { holderIdentity: 'release', leaseDurationSeconds: 60, renewTime: '1970-01-01T00:00:00.000000Z' },
    });
  });

  test('that was edited by hand is held by nobody knows whom', () => {
    const edited = (text: string | undefined) => ({
      metadata: { name: leaseName(shop), annotations: text === undefined ? {} : { 'stageguard.io/claim': text } },
    });
    for (const text of [
      undefined,
      '',
      '{',
      '5',
      'null',
      '{"runs":5}',
      '{"runs":[]}',
      '{"runs":{}}',
      '{"runs":[{}]}',
      '{"runs":[null]}',
      '{"runs":[{"uid":5,"name":"a"}]}',
      '{"runs":[{"uid":"u","name":""}]}',
      '{"runs":[{"uid":"","name":"a"}]}',
      ...['.', '..', '-a', 'a/b', 'A', 'a?b', 'a\n', 'a'.repeat(254)].map((name) =>
        JSON.stringify({ runs: [{ uid: 'u', name }] }),
      ),
    ]) {
      expect(readLease(edited(text)).claims).toEqual([unreadable]);
    }
    const moved = lease();
    moved.metadata.annotations['stageguard.io/claim'] = JSON.stringify({ placement: { name: 'other' }, runs: [claim] });
    expect(readLease(moved)).toEqual({ placement: undefined, claims: [claim] });
  });

  test('may be any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (whole, content) => {
        readLease(whole);
        readLease({ metadata: { annotations: { 'stageguard.io/claim': JSON.stringify(content) } } });
        readLease({ metadata: { annotations: { 'stageguard.io/claim': content } } });
      }),
    );
  });
});
