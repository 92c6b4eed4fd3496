import { describe } from '../errors.js';
import { createApp, type AppDeps } from '../http/app.js';
import type { Metrics } from '../http/metrics.js';
import { listenHttps, listenMetrics, type Listening } from '../http/server.js';
import { readPair, selfSignedPair, watchPair } from '../http/tls-pair.js';
import type { Log } from '../log.js';

/** A guard that answers, whatever it knows its fleet from. */
export interface RunningGuard {
  readonly url: string;
  stop(): Promise<void>;
}

/** Where a guard listens, and with which certificate. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsDir?: string;
}

/** Lets an app answer over TLS, follows its certificate, and drains it at the end. */
export async function listenGuard(
  deps: Omit<AppDeps, 'readiness'> & { readonly missing: () => readonly string[] },
  { host, port, metricsPort, tlsDir }: ListenOptions,
): Promise<RunningGuard> {
  const { log, metrics } = deps;
  let isDraining = false;
  const readiness = () => {
    const missing = [...deps.missing(), ...(isDraining ? ['draining'] : [])];
    return { ready: missing.length === 0, missing };
  };
  const pair = tlsDir === undefined ? await selfSignedPair() : await readPair(tlsDir);
  const server = await listenHttps(createApp({ ...deps, readiness }), pair, { host, port });
  const metricsServer = await listenMetrics(metrics.registry, { host, port: metricsPort });
  const unwatch = tlsDir === undefined ? undefined : watchPair(tlsDir, pair, pairTaker(server, log, metrics));
  return {
    url: `https://${host}:${String(server.port)}`,
    async stop() {
      isDraining = true;
      unwatch?.();
      await Promise.all([server.drain(), metricsServer.drain()]);
    },
  };
}

/** Takes each new TLS pair into use, and says so where one cannot be. */
function pairTaker(server: Listening, log: Log, metrics: Metrics): Parameters<typeof watchPair>[2] {
  return {
    onPair: (pair) => {
      server.setPair(pair);
      log.info({}, 'a new TLS pair is in use');
    },
    onError: (error) => {
      metrics.pairFailed();
      log.error({ error: describe(error) }, 'the TLS pair cannot be used; the one before stays');
    },
  };
}
