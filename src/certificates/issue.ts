import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { generate } from 'selfsigned';
import { clockTolerance, type TlsPair } from './certificate.js';

const ecdsa = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** When a certificate is made, and how long it is to last. */
export interface Lifetime {
  readonly now: number;
  readonly notAfter: number;
}

/** A CA of its own name: some verifiers look for an issuer by name, and try the first alone. */
export async function makeAuthority({ now, notAfter }: Lifetime): Promise<TlsPair> {
  const name = `stageguard CA ${new Date(now).toISOString().slice(0, 10)} ${randomBytes(4).toString('hex')}`;
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...ecdsa,
    ...datesOf({ now, notAfter }),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** A pair for a server of these names, signed by a CA. */
export async function issuePair(ca: TlsPair, names: readonly string[], lifetime: Lifetime): Promise<TlsPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'stageguard' }], {
    ...ecdsa,
    ...datesOf(lifetime),
    ca,
    extensions: serverExtensions(names),
  });
  return { cert, key };
}

/** A pair for those who bring none: P-256, valid for a year, for this machine only. */
export async function selfSignedPair(): Promise<TlsPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'stageguard' }], {
    ...ecdsa,
    extensions: serverExtensions(['localhost', '127.0.0.1', '::1']),
  });
  return { cert, key };
}

function datesOf({ now, notAfter }: Lifetime): { notBeforeDate: Date; notAfterDate: Date } {
  return { notBeforeDate: new Date(now - clockTolerance), notAfterDate: new Date(notAfter) };
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>;

function serverExtensions(names: readonly string[]): Extensions {
  return [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
    },
  ];
}
