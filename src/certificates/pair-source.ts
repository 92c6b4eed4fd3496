import { certificatesIn, isValidAt, type Certificate, type TlsPair } from './certificate.js';
import { ConfigurationWatch } from './configuration-watch.js';
import type { Configuration, Lives } from './decide.js';
import { selfSignedPair } from './issue.js';
import { authorityIn, readPair, watchPair } from './pair-folder.js';
import { CertificateStore } from './store.js';
import { Upkeep } from './upkeep.js';
import { describe } from '../errors.js';
import type { HubCalls } from '../hub/hub.js';
import type { Log } from '../log.js';

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
  readonly metrics: { pairFailed(): void; certificatesFailed(): void };
  /** A guard without a hub has no API server to ask. */
  readonly api?: HubCalls;
}

/** What the options say of the pair. */
export interface PairFlags {
  readonly tlsDir?: string;
  readonly tlsSecret?: ObjectName;
  readonly tlsNames?: readonly string[];
  readonly tlsLife?: number;
  readonly tlsCaLife?: number;
  readonly webhookConfiguration?: string;
}

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** A way to come by certificates, with all that it needs and nothing else. */
export type CertificateMode =
  | { readonly mode: 'self-signed' }
  | { readonly mode: 'folder'; readonly directory: string }
  | { readonly mode: 'secret'; readonly secret: ObjectName; readonly names: readonly string[]; readonly lives: Lives };

/** The one place where options become a mode. */
function certificateMode(flags: PairFlags): CertificateMode {
  const { tlsDir, tlsSecret, tlsNames = [], tlsLife = 0, tlsCaLife = 0 } = flags;
  if (tlsSecret !== undefined) {
    return { mode: 'secret', secret: tlsSecret, names: tlsNames, lives: { pair: tlsLife, authority: tlsCaLife } };
  }
  return tlsDir === undefined ? { mode: 'self-signed' } : { mode: 'folder', directory: tlsDir };
}

/** The source that the options ask for; raises CONFIG_* where there is no pair to begin with. */
export async function createPairSource(flags: PairFlags, parts: PairSourceParts): Promise<PairSource> {
  const { api } = parts;
  const { webhookConfiguration: name } = flags;
  const mode = certificateMode(flags);
  switch (mode.mode) {
    case 'self-signed':
      return watched(await madeHere(), name, parts);
    case 'folder':
      return watched(await fromFolder(mode.directory, parts), name, parts);
    case 'secret':
      if (api === undefined) throw new Error('a guard without a hub has no Secret');
      return fromSecret(mode, name, { ...parts, api });
  }
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

type WithApi = PairSourceParts & { readonly api: HubCalls };

async function fromSecret(
  { secret, names, lives }: Extract<CertificateMode, { mode: 'secret' }>,
  configuration: string | undefined,
  { api, log, metrics }: WithApi,
): Promise<PairSource> {
  let upkeep: Upkeep | undefined;
  return {
    // Shown to probes alone: nobody else asks a guard that is not ready.
    first: await selfSignedPair(),
    start(take) {
      upkeep = new Upkeep({
        store: new CertificateStore(api, secret, configuration),
        names,
        lives,
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

/** The same source, with an eye on what the API server trusts, where there is one and it is named. */
function watched(source: PairSource, name: string | undefined, { api, log, metrics }: PairSourceParts): PairSource {
  if (name === undefined || api === undefined) return source;
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
