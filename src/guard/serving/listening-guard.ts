import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { certificatesIn, type TlsPair } from '../../certificates/certificate.js';
import { describe, GuardError } from '../../errors.js';
import { createApp, type AppDeps } from '../../http/app.js';
import { createCertificateMetrics } from '../../http/certificate-metrics.js';
import { refusalOfCaller } from '../../http/client-certificate.js';
import { listenHttps, listenMetrics, type Listening } from '../../http/server.js';
import type { HubCalls } from '../../hub/hub.js';
import type { Log } from '../../log.js';
import { checkPlainFile } from '../../plain-file.js';
import type { ListenFlags } from './listen-flags.js';
import { createPairSource, type PairFlags, type PairSource } from '../../certificates/pair-source.js';

/** A guard that answers, whatever it knows its fleet from. */
export interface RunningGuard {
  readonly url: string;
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** The webhooks are out of force: nobody asks this guard or another one. It is not ready while this is found out. */
  readonly isForGood?: Promise<boolean>;
}

/** Where a guard listens, with which certificate, whom it answers, and how it takes its leave. */
export interface ListenOptions
  extends PairFlags, Partial<Pick<ListenFlags, 'clientCa' | 'clientNames' | 'drain' | 'drainIdle' | 'drainLimit'>> {
  /** All addresses of the machine, where it is undefined. */
  readonly host: string | undefined;
  readonly port: number;
  readonly metricsPort: number;
  /** The API server, for a guard that has one. */
  readonly api?: HubCalls;
  /** Whether the webhooks are in force; undefined while nobody knows. */
  readonly isArmed?: () => boolean | undefined;
}

/** Lets an app answer over TLS, follows its certificate, and drains it at the end. */
export async function listenGuard(
  deps: Omit<AppDeps, 'readiness' | 'refusalOf'> & { readonly missing: () => readonly string[] },
  options: ListenOptions,
): Promise<RunningGuard> {
  const { log, metrics } = deps;
  const { host, api, clientCa: clientCaFile, clientNames = [] } = options;
  const pairs = await createPairSource(options, { log, metrics, ...(api && { api }) });
  const clientCa = clientCaFile === undefined ? undefined : await readClientCa(clientCaFile);
  let isDraining = false;
  const readiness = () => {
    const missing = [...deps.missing(), ...pairs.missing(), ...(isDraining ? ['draining'] : [])];
    return { ready: missing.length === 0, missing };
  };
  const app = createApp({
    ...deps,
    readiness,
    ...(clientCa !== undefined && { refusalOf: ({ socket }) => refusalOfCaller(socket, clientNames) }),
  });
  const server = await listenHttps(app, pairs.first, { host, port: options.port, ...(clientCa && { clientCa }) });
  const metricsServer = await listenMetrics(metrics.registry, { host, port: options.metricsPort }).catch(
    async (error: unknown) => {
      // A listener that is left would keep the process alive.
      await server.drain({ hardMilliseconds: 0 });
      throw error;
    },
  );
  const serving = followPairs(pairs, server, log);
  createCertificateMetrics(metrics.registry, {
    serving,
    authority: () => pairs.authority(),
    configurations: () => pairs.configurations(),
    isArmed: () => options.isArmed?.(),
    now: () => deps.now(),
  });
  const unwatch = clientCaFile === undefined ? undefined : followClientCa(clientCaFile, server, log);
  return {
    url: urlOf(host ?? server.host, server.port),
    async stop(how = {}) {
      isDraining = true;
      unwatch?.();
      await pairs.stop();
      const isForGood = await how.isForGood;
      const { drain = 0, drainIdle = 0, drainLimit } = options;
      await server.drain({
        graceMilliseconds: drain,
        idleMilliseconds: drainIdle,
        isAsked: () => isForGood !== true && options.isArmed?.() !== false,
        ...(drainLimit !== undefined && { hardMilliseconds: drainLimit }),
      });
      // Last, so that the drain itself can be seen.
      await metricsServer.drain();
    },
  };
}

function urlOf(host: string, port: number): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${String(port)}`;
}

/** Shows each new pair; returns what gives the chain that is shown. */
function followPairs(pairs: PairSource, server: Listening, log: Log) {
  const read = ({ cert }: TlsPair) => certificatesIn(cert);
  let chain = read(pairs.first);
  pairs.start((pair) => {
    server.setPair(pair);
    chain = read(pair);
    const until = chain[0] === undefined ? undefined : new Date(chain[0].notAfter).toISOString();
    log.info({ until }, 'a new TLS pair is in use');
  });
  return () => chain;
}

async function readClientCa(file: string): Promise<string> {
  try {
    checkPlainFile(file);
    const text = await readFile(file, 'utf8');
    if (certificatesIn(text).length === 0) throw new GuardError('CONFIG_INVALID', 'there is no certificate in it');
    return text;
  } catch (cause) {
    throw new GuardError('CONFIG_UNREADABLE', `cannot use the CAs of clients in ${file}`, { cause });
  }
}

/** CAs of clients change once in years, and a mounted file of them is replaced as a whole: looking now and then will do. */
const clientCaMilliseconds = 30_000;

function followClientCa(file: string, server: Listening, log: Log): () => void {
  let current: string | undefined;
  const look = async (): Promise<void> => {
    try {
      const next = await readClientCa(file);
      if (next === current) return;
      current = next;
      server.setClientCa(next);
    } catch (error) {
      log.error({ error: describe(error) }, 'the CAs of clients cannot be read; those before stay');
    }
  };
  const timer = setInterval(() => void look(), clientCaMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
