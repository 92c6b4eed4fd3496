import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { GuardError } from '../errors.js';
import { certificatesIn, isValidAt, type Certificate, type TlsPair } from './certificate.js';

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
    // TLS asks for more, such as a key that is long enough, and a chain without junk in it.
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (cause) {
    throw new GuardError('CONFIG_UNREADABLE', `cannot use the TLS pair in ${directory}`, { cause });
  }
}

/** The CA that cert-manager puts beside the pair; others may leave it out. */
export async function authorityIn(directory: string): Promise<Certificate | undefined> {
  try {
    return certificatesIn(await readFile(join(await versionOf(directory), 'ca.crt'), 'utf8'))[0];
  } catch {
    return undefined;
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
  let reading = Promise.resolve();
  // One after the other: what was read first must not be taken last.
  const read = (): void => {
    reading = reading.then(readOnce);
  };
  const readOnce = async (): Promise<void> => {
    try {
      const pair = await readPair(directory);
      if (fingerprint(pair) === current) return;
      refuseInvalid(pair);
      options.onPair(pair);
      current = fingerprint(pair);
    } catch (error) {
      options.onError(error);
    }
  };
  // A rotation touches several files; 100 ms are enough for it to be over.
  const unwatch = watchFolder(directory, () => {
    clearTimeout(debounce);
    debounce = setTimeout(read, 100);
  });
  // Some file systems send no events.
  const poll = setInterval(read, options.pollMilliseconds ?? 30_000);
  poll.unref();
  return () => {
    unwatch();
    clearTimeout(debounce);
    clearInterval(poll);
  };
}

/** Events where they are to be had: a node may have no watches left (inotify), and then looking now and then must do. */
function watchFolder(directory: string, onEvent: () => void): () => void {
  try {
    const watcher = watch(directory, onEvent);
    watcher.on('error', () => {
      watcher.close();
    });
    return () => {
      watcher.close();
    };
  } catch {
    return () => undefined;
  }
}

/** A pair in use is better than one that has expired, or is not valid yet. */
function refuseInvalid({ cert }: TlsPair): void {
  const [certificate] = certificatesIn(cert);
  if (certificate !== undefined && isValidAt(certificate, Date.now())) return;
  const dates = [certificate?.notBefore ?? 0, certificate?.notAfter ?? 0].map((time) => new Date(time).toISOString());
  throw new GuardError('CONFIG_INVALID', `the new tls.crt is valid from ${dates.join(' to ')}, which is not now`);
}

function fingerprint({ cert, key }: TlsPair): string {
  return createHash('sha256').update(cert).update('\0').update(key).digest('hex');
}
