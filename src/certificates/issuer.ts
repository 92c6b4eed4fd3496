import { certificatesIn, type Certificate } from './certificate.js';
import type { Authority, Kept } from './decide.js';
import { issuePair, makeAuthority, type Lifetime } from './issue.js';

/** Makes certificates; a seam for tests, since real ones take their time. */
export interface Issuer {
  authority(lifetime: Lifetime): Promise<Authority>;
  pair(from: Authority, names: readonly string[], lifetime: Lifetime): Promise<NonNullable<Kept['pair']>>;
}

export const realIssuer: Issuer = {
  async authority(lifetime) {
    const { cert, key } = await makeAuthority(lifetime);
    return { certificate: onlyOf(cert), key };
  },
  async pair({ certificate, key = '' }, names, lifetime) {
    const tls = await issuePair({ cert: certificate.pem, key }, names, lifetime);
    return { certificate: onlyOf(tls.cert), tls };
  },
};

function onlyOf(pem: string): Certificate {
  const [certificate] = certificatesIn(pem);
  if (certificate === undefined) throw new Error('a certificate was made that cannot be read');
  return certificate;
}
