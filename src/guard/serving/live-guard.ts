import { settingsHash, type Settings } from '../../config/config.js';
import type { Policy } from '../../engine/policy.js';
import { defaultLimits } from '../../http/review-load.js';
import { createLiveMetrics } from '../../http/live-metrics.js';
import { createMetrics } from '../../http/metrics.js';
import { createExemptingJudge, exemptingBy } from '../exempting.js';
import type { Judge } from '../judge.js';
import { createSettling } from '../settling.js';
import type { Log } from '../../log.js';
import { catalogue } from '../../rules/index.js';
import type { Read } from '../../sources/live/read-request.js';
import { AccessAnswers } from '../../hub/access-answers.js';
import { ArmedWatch } from '../../hub/armed-watch.js';
import { Connection, type HubAddress } from '../../hub/connection.js';
import { LiveFleet } from '../../sources/live/live-fleet.js';
import { LiveReader } from '../../sources/live/live-reader.js';
import { LivePolicy } from './live-policy.js';
import { listenGuard, type ListenOptions, type RunningGuard } from './listening-guard.js';
import { LiveClaims } from '../live-claims.js';
import { createLiveJudge } from '../live-judge.js';

export interface LiveOptions extends Omit<ListenOptions, 'host'> {
  readonly hub: HubAddress;
  /** Where the guard keeps its Leases. */
  readonly namespace?: string;
  readonly settings: Settings;
  readonly host?: string;
  readonly log: Log;
}

/** Where a guard outside of its hub keeps its Leases, unless it is told otherwise. */
const defaultNamespace = 'fleet-stageguard';

/** Longer than it takes until no API server sends to a pod that is not ready any more: a few seconds, as a rule. */
const defaultDrain = 10_000;

/** Longer than the API server keeps a connection that it does not use. */
export const defaultDrainIdle = 95_000;

/** Puts together a guard that knows its fleet from a hub. It listens at once, and is ready when it knows the fleet. */
export async function startLive(options: LiveOptions): Promise<RunningGuard> {
  const { settings, log, host } = options;
  const hub = new Connection(options.hub);
  const namespace = options.namespace ?? hub.namespace ?? defaultNamespace;
  const armed = new ArmedWatch({ hub, log, namespace });
  const live = new LiveFleet({
    hub,
    log,
    onChange: (change) => {
      claims.hear(change);
    },
  });
  const livePolicy = new LivePolicy({ hub, settings, log });
  const policy = () => livePolicy.current();
  const metrics = createMetrics({ isConfigCurrent: () => settings.isCurrent(), rules: catalogue.map(({ id }) => id) });
  const liveMetrics = createLiveMetrics(metrics.registry, {
    ages: () => live.ages(),
    isHubAgentConfirmed: () => policy().hubAgent.confirmed,
    kubefleet: () => livePolicy.version(),
  });
  const { read } = new LiveReader({ hub, cache: live.cache, log, onRead: liveMetrics.read });
  const claims = new LiveClaims({
    hub,
    namespace,
    cache: live.cache,
    read,
    judge: liveJudge(live, read, policy),
    settings: () => settings.current().claims,
    policy,
    log,
    onClaim: liveMetrics.claimed,
  });
  const guard = await listenGuard(
    {
      judge: exempting(claims.judge, hub, settings),
      policy,
      now: () => Date.now(),
      missing: () => [...live.missing(), ...claims.missing(), ...livePolicy.missing()],
      settings: () => settingsHash(settings.current()),
      limits: () => ({ ...defaultLimits, ...settings.current().limits }),
      footer: () => settings.current().message.footer,
      log,
      metrics,
    },
    { drain: defaultDrain, drainIdle: defaultDrainIdle, ...options, host, api: hub, isArmed: () => armed.isArmed },
  );
  live.start();
  claims.start();
  livePolicy.start();
  if (options.webhookConfiguration !== undefined) armed.start();
  return {
    url: guard.url,
    async stop(how) {
      // The fleet is followed until the last review is answered.
      await guard.stop(how);
      await Promise.all([live.stop(), claims.stop(), livePolicy.stop(), armed.stop()]);
      await hub.close();
    },
  };
}

function exempting(judge: Judge, hub: Connection, settings: Settings): Judge {
  const rights = new AccessAnswers({ hub, now: () => performance.now() });
  return createExemptingJudge({
    judge,
    may: (requester, wanted, signal) => rights.may(requester, wanted, signal),
    ...exemptingBy(settings),
  });
}

function liveJudge({ cache }: LiveFleet, read: Read, policy: () => Policy): ReturnType<typeof createLiveJudge> {
  const settling = createSettling({ now: () => performance.now() });
  return createLiveJudge({
    cache,
    read,
    elapsed: () => performance.now(),
    world: () => ({
      rules: catalogue,
      policy: policy(),
      now: Date.now(),
      settlingFor: (what) => settling.secondsOf(what),
    }),
  });
}
