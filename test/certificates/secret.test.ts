import { beforeAll, describe, expect, test } from '@jest/globals';
import { certificatesIn, isTrusted, type Certificate, type TlsPair } from '../../src/certificates/certificate.js';
import type { Kept } from '../../src/certificates/decide.js';
import { issuePair, makeAuthority } from '../../src/certificates/issue.js';
import { readKept, secretOf } from '../../src/certificates/secret.js';

const where = { namespace: 'fleet-stageguard', name: 'stageguard-tls' };
const now = Date.now();
const lifetime = { now, notAfter: now + 60_000 };

let authority: TlsPair;
let pair: TlsPair;
let root: Certificate;
let leaf: Certificate;
let kept: Kept;

beforeAll(async () => {
  authority = await makeAuthority(lifetime);
  pair = await issuePair(authority, ['guard.svc', '127.0.0.1', '::1'], lifetime);
  [root, leaf] = [...certificatesIn(authority.cert), ...certificatesIn(pair.cert)] as [Certificate, Certificate];
  kept = {
    authorities: [{ certificate: root, key: authority.key }],
    pair: { certificate: leaf, tls: pair },
    issued: [leaf],
  };
});

describe('certificates that are made', () => {
  test('are for the names asked for, and trusted by those who trust the CA', () => {
    expect(['guard.svc', '127.0.0.1', '::1'].every((name) => leaf.covers(name))).toBe(true);
    expect(leaf.covers('other.svc')).toBe(false);
    expect(isTrusted([leaf], [root], now)).toBe(true);
    expect(isTrusted([leaf], [root], now + 61_000)).toBe(false);
    expect(isTrusted([leaf], [], now)).toBe(false);
  });

  test('are dated back by a day, so that a clock may be wrong', () => {
    expect(now - leaf.notBefore).toBeGreaterThanOrEqual(24 * 60 * 60 * 1000);
  });

  test('are not trusted by those who trust another CA', async () => {
    const others = certificatesIn((await makeAuthority(lifetime)).cert);
    expect(isTrusted([leaf], others, now)).toBe(false);
    expect(isTrusted([leaf], [...others, root], now)).toBe(true);
  });

  test('are trusted through the chain that is shown with them', () => {
    // The bundle holds the CA only as the last link of what the server shows.
    expect(isTrusted([leaf, root], [root], now)).toBe(true);
    expect(isTrusted([leaf, leaf], [], now)).toBe(false);
  });
});

describe('the Secret', () => {
  test('gives back what was put in', () => {
    const read = readKept(secretOf(where, kept));
    expect(read.authorities.map(({ certificate: { id }, key }) => [id, key])).toEqual([[root.id, authority.key]]);
    expect(read.pair?.tls).toEqual(pair);
    expect(read.issued.map(({ id }) => id)).toEqual([leaf.id]);
  });

  test('keeps what others wrote about it', () => {
    const metadata = { resourceVersion: '7', labels: { team: 'a' }, annotations: { note: 'b' } };
    expect(secretOf(where, kept, { metadata })).toMatchObject({
      metadata: { ...metadata, labels: { team: 'a', 'app.kubernetes.io/name': 'stageguard' } },
    });
  });

  test('of someone else is never taken', () => {
    expect(() => readKept({ data: { 'tls.crt': 'eA==' } })).toThrow('did not write');
  });

  test.each([
    ['empty', {}],
    ['without data', { data: null }],
    [
      'with junk for data',
      { metadata: { annotations: { 'stageguard.io/certificates': 'v1' } }, data: { 'ca.crt': 5 } },
    ],
  ])('that is %s holds nothing', (_name, secret) => {
    expect(readKept(secret)).toEqual({ authorities: [], issued: [] });
  });

  test.each(['tls.crt', 'tls.key', 'ca.key'])('with garbage in %s has that missing, and no more', (key) => {
    const secret = secretOf(where, kept) as { data: Record<string, string> };
    secret.data[key] = Buffer.from('garbage').toString('base64');
    const read = readKept(secret);
    expect(read.pair === undefined).toBe(key !== 'ca.key');
    expect(read.authorities[0]?.key === undefined).toBe(key === 'ca.key');
  });
});
