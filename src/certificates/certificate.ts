import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * A clock that is wrong by less than this does no harm: certificates are dated back by it, and what has expired is
 * trusted this much longer.
 */
export const clockTolerance = 24 * 60 * 60 * 1000;

/** A certificate chain and its key, PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate, as far as it is judged here. Times are milliseconds since 1970. */
export interface Certificate {
  readonly pem: string;
  /** The same for the same certificate, however its PEM is wrapped. */
  readonly id: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  covers(name: string): boolean;
  isSignedBy(issuer: Certificate): boolean;
}

class ParsedCertificate implements Certificate {
  private readonly x509: X509Certificate;
  readonly id: string;
  readonly notBefore: number;
  readonly notAfter: number;

  constructor(readonly pem: string) {
    this.x509 = new X509Certificate(pem);
    this.id = this.x509.fingerprint256;
    this.notBefore = Date.parse(this.x509.validFrom);
    this.notAfter = Date.parse(this.x509.validTo);
  }

  /** Node writes them as `DNS:a.svc, IP Address:10.0.0.1`. */
  get names(): readonly string[] {
    const text = this.x509.subjectAltName ?? '';
    return [...text.matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name = '']) => name);
  }

  covers(name: string): boolean {
    return (isIP(name) === 0 ? this.x509.checkHost(name, { subject: 'never' }) : this.x509.checkIP(name)) !== undefined;
  }

  isSignedBy(issuer: Certificate): boolean {
    const { x509 } = issuer instanceof ParsedCertificate ? issuer : new ParsedCertificate(issuer.pem);
    return this.x509.checkIssued(x509) && this.x509.verify(x509.publicKey);
  }
}

/** The certificates of a PEM text, in order. What is no certificate vouches for nothing, and is left out. */
export function certificatesIn(pem: string): readonly Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new ParsedCertificate(`${block}\n`)];
    } catch {
      return [];
    }
  });
}

export function isValidAt({ notBefore, notAfter }: Certificate, now: number): boolean {
  return notBefore <= now && now < notAfter;
}

/** Whether whoever trusts the bundle accepts a server that shows this chain, its own certificate first. */
export function isTrusted(chain: readonly Certificate[], bundle: readonly Certificate[], now: number): boolean {
  const roots = bundle.filter((root) => isValidAt(root, now));
  let current = chain[0];
  for (const next of [...chain.slice(1), undefined]) {
    const link = current;
    if (link === undefined || !isValidAt(link, now)) return false;
    if (roots.some((root) => root.id === link.id || link.isSignedBy(root))) return true;
    current = next !== undefined && link.isSignedBy(next) ? next : undefined;
  }
  return false;
}
