import { describe, GuardError } from '../../errors.js';
import type { KindOfFamily } from '../../fleet/kinds.js';
import type { FleetState } from '../../fleet/state.js';
import { silentLog, type Log } from '../../log.js';
import { ConfirmedFleet, type Ask } from './ask.js';
import { Connection, type HubAddress } from './connection.js';
import { HubError } from './hub.js';
import { LiveFleet, servedKinds } from './live-fleet.js';
import { LiveReader } from './live-reader.js';

export interface ConnectOptions {
  readonly address: HubAddress;
  readonly log?: Log;
  /** For how long a person waits for the first sync. */
  readonly timeoutMilliseconds?: number;
}

/** A hub as commands use it: known once, then closed. */
export interface LiveHub {
  readonly server: string;
  readonly live: LiveFleet;
  /** The fleet, with answers to these questions read from the API server: the cache has no bindings and no taints. */
  reading(asks: readonly Ask[]): Promise<FleetState>;
  close(): Promise<void>;
}

/** A large hub (10,000 runs of 100 clusters) takes about a minute to list over a slow link. */
const defaultTimeout = 120_000;

/** Connects, waits until the whole fleet is known, and says what is wrong where that fails. */
export async function connectLive(options: ConnectOptions): Promise<LiveHub> {
  const log = options.log ?? silentLog;
  const hub = new Connection(options.address);
  const refusals: GuardError[] = [];
  const stopWaiting = new AbortController();
  const live = new LiveFleet({
    hub,
    log,
    onFailure: (kind, error) => {
      if (!isRefusal(error)) return;
      refusals.push(refusal(kind, error));
      stopWaiting.abort();
    },
  });
  const close = async (): Promise<void> => {
    await live.stop();
    await hub.close();
  };
  const timeout = AbortSignal.timeout(options.timeoutMilliseconds ?? defaultTimeout);
  try {
    await reach(hub, timeout);
    live.start();
    await either(live.synced, AbortSignal.any([timeout, stopWaiting.signal]));
    const [refused] = refusals;
    if (refused !== undefined) throw refused;
    if (live.missing().length > 0) throw outOfTime(hub, live);
  } catch (error) {
    await close();
    throw error;
  }
  const reader = new LiveReader({ hub, cache: live.cache, log });
  return {
    server: hub.server,
    live,
    async reading(asks) {
      const fleet = new ConfirmedFleet(live.cache);
      await fleet.confirm(asks, reader.read, AbortSignal.timeout(30_000));
      return fleet;
    },
    close,
  };
}

/** The first answer of all: a wrong address or a refused token is told at once. */
async function reach(hub: Connection, signal: AbortSignal): Promise<void> {
  try {
    await servedKinds(hub, signal);
  } catch (error) {
    const isDenied = isRefusal(error);
    throw new GuardError(
      isDenied ? 'CLUSTER_FORBIDDEN' : 'CLUSTER_UNREACHABLE',
      `cannot ${isDenied ? 'log in to' : 'reach'} the hub at ${hub.server}: ${describe(error)}`,
      { cause: error },
    );
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof HubError && (error.status === 401 || error.status === 403);
}

function refusal({ plural, group }: KindOfFamily, error: unknown): GuardError {
  return new GuardError(
    'CLUSTER_FORBIDDEN',
    `may not list or watch ${plural}.${group} in all namespaces: ${describe(error)}`,
    { cause: error },
  );
}

function outOfTime(hub: Connection, live: LiveFleet): GuardError {
  return new GuardError(
    'CLUSTER_TIMEOUT',
    `the hub at ${hub.server} did not send ${live.missing().join(', ')} in time`,
  );
}

function either(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
    void promise.then(resolve);
  });
}
