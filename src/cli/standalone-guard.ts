import { policyOf, type Config } from '../config/config.js';
import { evaluate } from '../engine/evaluate.js';
import { describe } from '../errors.js';
import { createApp } from '../http/app.js';
import { defaultLimits } from '../http/body.js';
import { RecentDecisions } from '../http/decision-record.js';
import { createMetrics, type Metrics } from '../http/metrics.js';
import { listenHttps, listenMetrics, type Listening } from '../http/server.js';
import { createSettling } from '../http/settling.js';
import { createStandalone } from '../http/standalone.js';
import { readPair, selfSignedPair, watchPair } from '../http/tls-pair.js';
import type { Log } from '../log.js';
import { catalogue } from '../rules/index.js';
import { storedIn, watchFleet } from '../sources/manifests/watch.js';
import type { RunningGuard } from './serve.js';

export interface StandaloneOptions {
  readonly fleet: string;
  readonly config: Config;
  readonly host?: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsDir?: string;
  readonly log: Log;
}

/** Puts together a guard that knows its fleet from manifests. */
export async function startStandalone(options: StandaloneOptions): Promise<RunningGuard> {
  const { config, log, host = '127.0.0.1' } = options;
  const policy = policyOf(config);
  const source = await watchFleet(options.fleet, { log });
  const settling = createSettling({ now: () => performance.now() });
  const metrics = createMetrics();
  const decisions = new RecentDecisions();
  const missing: string[] = [];
  const app = createApp({
    judge: (change) =>
      evaluate(change, {
        rules: catalogue,
        fleet: source.current().fleet,
        policy,
        now: Date.now(),
        settlingFor: (what) => settling.secondsOf(what),
      }),
    policy: () => policy,
    now: () => Date.now(),
    readiness: () => ({ ready: missing.length === 0, missing }),
    onDecision: (record) => {
      decisions.add(record);
    },
    pages: createStandalone({
      page: () => ({
        fleet: source.current().fleet,
        rules: catalogue,
        policy,
        decisions: decisions.list(),
        sections: [],
      }),
      stored: (where) => storedIn(source.current().documents, where),
    }),
    limits: { ...defaultLimits, ...config.limits },
    footer: config.message.footer,
    log,
    metrics,
  });
  const { tlsDir } = options;
  const pair = tlsDir === undefined ? await selfSignedPair() : await readPair(tlsDir);
  const server = await listenHttps(app, pair, { host, port: options.port });
  const metricsServer = await listenMetrics(metrics.registry, { host, port: options.metricsPort });
  const unwatch = tlsDir === undefined ? undefined : watchPair(tlsDir, pair, pairTaker(server, log, metrics));
  return {
    url: `https://${host}:${String(server.port)}`,
    async stop() {
      missing.push('draining');
      unwatch?.();
      source.stop();
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
