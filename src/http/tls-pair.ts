import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { GuardError } from '../errors.js';

/** A certificate chain and its key, PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** A pair for those who bring none: P-256, valid for a year, for this machine only. */
export async function selfSignedPair(): Promise<TlsPair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'stageguard' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { cert, key };
}

/** Reads `tls.crt` and `tls.key` of a folder; raises CONFIG_* where they are no pair. */
export async function readPair(directory: string): Promise<TlsPair> {
  try {
    const folder = await versionOf(directory);
    const [cert, key] = await Promise.all([
      readFile(join(folder, 'tls.crt'), 'utf8'),
      readFile(join(folder, 'tls.key'), 'utf8'),
    ]);
    const belongs = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    if (!belongs) throw new GuardError('CONFIG_INVALID', 'tls.key is not the key of tls.crt');
    return { cert, key };
  } catch (cause) {
    throw new GuardError('CONFIG_UNREADABLE', `cannot use the TLS pair in ${directory}`, { cause });
  }
}

/**
 * A mounted Secret is swapped by turning the link `..data`: followed once, both files are of one version, even if the
 * link turns between the two reads.
 */
async function versionOf(directory: string): Promise<string> {
  try {
    return await realpath(join(directory, '..data'));
  } catch {
    // An ordinary folder has no such link.
    return directory;
  }
}

export interface PairWatch {
  readonly onPair: (pair: TlsPair) => void;
  readonly onError: (error: unknown) => void;
  readonly pollMilliseconds?: number;
}

/** Watches a folder and hands over each new pair; returns what ends it. The folder, since its files are replaced. */
export function watchPair(directory: string, first: TlsPair, options: PairWatch): () => void {
  let current = fingerprint(first);
  let debounce: NodeJS.Timeout | undefined;
  const read = async (): Promise<void> => {
    try {
      const pair = await readPair(directory);
      if (fingerprint(pair) === current) return;
      current = fingerprint(pair);
      options.onPair(pair);
    } catch (error) {
      options.onError(error);
    }
  };
  // A rotation touches several files; 100 ms are enough for it to be over.
  const watcher = watch(directory, () => {
    clearTimeout(debounce);
    debounce = setTimeout(() => void read(), 100);
  });
  watcher.on('error', options.onError);
  // Some file systems send no events.
  const poll = setInterval(() => void read(), options.pollMilliseconds ?? 30_000);
  poll.unref();
  return () => {
    watcher.close();
    clearTimeout(debounce);
    clearInterval(poll);
  };
}

function fingerprint({ cert, key }: TlsPair): string {
  return createHash('sha256').update(cert).update('\0').update(key).digest('hex');
}
