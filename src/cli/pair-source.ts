import { certificatesIn, isValidAt, type Certificate, type TlsPair } from '../certificates/certificate.js';
import { ConfigurationWatch } from '../certificates/configuration-watch.js';
import type { Configuration } from '../certificates/decide.js';
import { selfSignedPair } from '../certificates/issue.js';
import { authorityIn, readPair, watchPair } from '../certificates/pair-folder.js';
import { CertificateStore, type CertificateApi } from '../certificates/store.js';
import { Upkeep } from '../certificates/upkeep.js';
import { describe } from '../errors.js';
import type { Metrics } from '../http/metrics.js';
import type { Log } from '../log.js';
import type { ListenFlags } from './listen-options.js';

/** Where the pair comes from that a guard shows. */
export interface PairSource {
  /** To begin with. */
  readonly first: TlsPair;
  /** Hands over each further pair. */
  start(take: (pair: TlsPair) => void): void;
  stop(): Promise<void>;
  /** What keeps the guard from being ready. */
  missing(): readonly string[];
  authority(): Certificate | undefined;
  configurations(): readonly Configuration[] | undefined;
}

export interface PairSourceParts {
  readonly log: Log;
  readonly metrics: Metrics;
  /** A guard without a hub has no API server to ask. */
  readonly api?: CertificateApi;
}

export type PairFlags = Partial<
  Pick<ListenFlags, 'tlsDir' | 'tlsSecret' | 'tlsNames' | 'tlsLife' | 'tlsCaLife' | 'webhookConfiguration'>
>;

/** The source that the options ask for; raises CONFIG_* where there is no pair to begin with. */
export async function createPairSource(flags: PairFlags, parts: PairSourceParts): Promise<PairSource> {
  const { api } = parts;
  if (flags.tlsSecret !== undefined && api !== undefined) return fromSecret(flags, { ...parts, api });
  const source = flags.tlsDir === undefined ? await madeHere() : await fromFolder(flags.tlsDir, parts);
  if (flags.webhookConfiguration === undefined || api === undefined) return source;
  return watching(source, { ...parts, api, name: flags.webhookConfiguration });
}

async function madeHere(): Promise<PairSource> {
  const nothing = (): undefined => undefined;
  return {
    first: await selfSignedPair(),
    start: nothing,
    stop: () => Promise.resolve(),
    missing: () => [],
    authority: nothing,
    configurations: nothing,
  };
}

async function fromFolder(directory: string, { log, metrics }: PairSourceParts): Promise<PairSource> {
  const first = await readPair(directory);
  let authority = await authorityIn(directory);
  let isValid = isValidNow(first);
  let unwatch = (): void => undefined;
  const failed = (error: unknown): void => {
    metrics.pairFailed();
    log.error({ error: describe(error) }, 'the TLS pair cannot be used; the one before stays');
  };
  // A pod that waits for its renewal is better off than one that is started again and again.
  if (!isValid) failed(`the certificate in ${directory} is not valid now`);
  return {
    first,
    start(take) {
      unwatch = watchPair(directory, first, {
        onPair: (pair) => {
          take(pair);
          isValid = true;
          void authorityIn(directory).then((next) => (authority = next));
        },
        onError: failed,
      });
    },
    stop: () => {
      unwatch();
      return Promise.resolve();
    },
    missing() {
      // Clocks differ by seconds: what is not valid yet will be.
      isValid ||= isValidNow(first);
      return isValid ? [] : ['a certificate that is valid now'];
    },
    authority: () => authority,
    configurations: () => undefined,
  };
}

function isValidNow({ cert }: TlsPair): boolean {
  const [certificate] = certificatesIn(cert);
  return certificate !== undefined && isValidAt(certificate, Date.now());
}

type WithApi = PairSourceParts & { readonly api: CertificateApi };

async function fromSecret(flags: PairFlags, { api, log, metrics }: WithApi): Promise<PairSource> {
  const { tlsSecret = { namespace: '', name: '' }, tlsNames = [], tlsLife = 0, tlsCaLife = 0 } = flags;
  let upkeep: Upkeep | undefined;
  return {
    // Shown to probes alone: nobody else asks a guard that is not ready.
    first: await selfSignedPair(),
    start(take) {
      upkeep = new Upkeep({
        store: new CertificateStore(api, tlsSecret, flags.webhookConfiguration),
        names: tlsNames,
        lives: { pair: tlsLife, authority: tlsCaLife },
        log,
        onPair: take,
        onFailure: () => {
          metrics.certificatesFailed();
        },
      });
      upkeep.start();
    },
    stop: async () => upkeep?.stop(),
    missing: () => (upkeep?.isReady === true ? [] : ['a certificate that the API server trusts']),
    authority: () => upkeep?.authority,
    configurations: () => upkeep?.configurations,
  };
}

/** The same source, with an eye on what the API server trusts. */
function watching(source: PairSource, { api, name, log, metrics }: WithApi & { readonly name: string }): PairSource {
  const onFailure = (): void => {
    metrics.certificatesFailed();
  };
  const watch = new ConfigurationWatch({ api, name, log, onFailure });
  return {
    ...source,
    start(take) {
      source.start(take);
      watch.start();
    },
    stop: async () => {
      await Promise.all([source.stop(), watch.stop()]);
    },
    configurations: () => watch.configurations,
  };
}
