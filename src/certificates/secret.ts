import { createPrivateKey, X509Certificate } from 'node:crypto';
import { GuardError } from '../errors.js';
import { fieldOf } from '../fleet/json.js';
import { certificatesIn } from './certificate.js';
import type { Authority, Kept } from './decide.js';

/** Says that the Secret is the guard's own, and how it is written. */
const marker = 'stageguard.io/certificates';
const format = 'v1';

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** What a Secret holds; raises where it belongs to someone else. What cannot be read is not there. */
export function readKept(secret: unknown): Kept {
  const data = fieldOf(secret, 'data');
  const isOurs = fieldOf(fieldOf(fieldOf(secret, 'metadata'), 'annotations'), marker) === format;
  const isEmpty = data === undefined || data === null || Object.keys(data).length === 0;
  if (!isOurs && !isEmpty) {
    throw new GuardError('CONFIG_INVALID', 'the Secret holds something that the guard did not write: name another one');
  }
  const text = (key: string): string => {
    const value = fieldOf(data, key);
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const keys = text('ca.key').match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/g) ?? [];
  const authorities = certificatesIn(text('ca.crt')).map((certificate): Authority => {
    const key = keys.find((candidate) => isKeyOf(candidate, certificate.pem));
    return { certificate, ...(key !== undefined && { key }) };
  });
  const tls = { cert: text('tls.crt'), key: text('tls.key') };
  const [certificate] = certificatesIn(tls.cert);
  const isPair = certificate !== undefined && isKeyOf(tls.key, certificate.pem);
  return { authorities, issued: certificatesIn(text('issued.crt')), ...(isPair && { pair: { certificate, tls } }) };
}

/** The Secret with this in it; `before` is the one that it replaces. */
export function secretOf({ namespace, name }: SecretName, kept: Kept, before?: unknown): object {
  const metadata = (fieldOf(before, 'metadata') ?? {}) as Record<string, object | undefined>;
  const texts = {
    'ca.crt': kept.authorities.map(({ certificate }) => certificate.pem).join(''),
    'ca.key': kept.authorities.map(({ key = '' }) => key).join(''),
    'tls.crt': kept.pair?.tls.cert ?? '',
    'tls.key': kept.pair?.tls.key ?? '',
    'issued.crt': kept.issued.map(({ pem }) => pem).join(''),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: fieldOf(before, 'type') ?? 'Opaque',
    metadata: {
      ...metadata,
      namespace,
      name,
      labels: { 'app.kubernetes.io/name': 'stageguard', ...metadata['labels'] },
      annotations: { ...metadata['annotations'], [marker]: format },
    },
    data: Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]),
    ),
  };
}

function isKeyOf(key: string, certificate: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
