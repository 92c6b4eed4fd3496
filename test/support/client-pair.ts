import { generate } from 'selfsigned';
import type { TlsPair } from '../../src/certificates/certificate.js';

const hour = 60 * 60 * 1000;

export interface ClientOptions {
  readonly notAfter?: number;
  readonly uri?: string;
}

/** A certificate with which a client may show who it is. */
export async function clientPair(ca: TlsPair, name: string, options: ClientOptions = {}): Promise<TlsPair> {
  const { notAfter = Date.now() + hour, uri } = options;
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256', ca },
    ...{ notBeforeDate: new Date(Date.now() - 2 * hour), notAfterDate: new Date(notAfter) },
    extensions: [
      { name: 'extKeyUsage', clientAuth: true },
      ...(uri === undefined ? [] : [{ name: 'subjectAltName' as const, altNames: [{ type: 6 as const, value: uri }] }]),
    ],
  });
  return { cert, key };
}
