import { sleep, systemClock } from '../../clock.js';
import { describe, GuardError } from '../../errors.js';
import type { KindOfFamily } from '../../fleet/kinds.js';
import { unknownVersion } from '../../fleet/versions.js';
import { silentLog, type Log } from '../../log.js';
import type { FleetSource } from '../fleet-source.js';
import { ConfirmedFleet } from './read-request.js';
import { Connection, type HubAddress } from '../../hub/connection.js';
import { HubError } from '../../hub/hub.js';
import { readNamespaceLabels } from '../../hub/namespace-labels.js';
import { findVersion } from '../../hub/kubefleet-version.js';
import { LiveFleet, servedKinds } from './live-fleet.js';
import { LiveReader } from './live-reader.js';
import { readReports } from './live-reports.js';

export interface ConnectOptions {
  readonly address: HubAddress;
  readonly log?: Log;
  /** For how long a person waits for the first sync. */
  readonly timeoutMilliseconds?: number;
  /** Kinds that may not be listed are unknown; without this they end it all. */
  readonly isTolerant?: boolean;
}

/** A large hub (10,000 runs of 100 clusters) takes about a minute to list over a slow link. */
const defaultTimeout = 120_000;

/**
 * Connects, waits until the whole fleet is known, and says what is wrong where that fails. What the cache does not have,
 * bindings and taints, is read when it is asked for.
 */
export async function openHub(options: ConnectOptions): Promise<FleetSource> {
  const log = options.log ?? silentLog;
  const hub = new Connection(options.address);
  const refusals: GuardError[] = [];
  const refused = new Set<KindOfFamily>();
  const stopWaiting = new AbortController();
  const live = new LiveFleet({
    hub,
    log,
    onFailure: (kind, error) => {
      if (!isRefusal(error)) return;
      refused.add(kind);
      if (options.isTolerant === true) return;
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
    const settled = options.isTolerant === true ? settledBut(live, refused, timeout) : live.synced;
    await either(settled, AbortSignal.any([timeout, stopWaiting.signal]));
    const [refusal] = refusals;
    if (refusal !== undefined) throw refusal;
    if (live.missing(refused).length > 0) throw outOfTime(hub, live);
  } catch (error) {
    await close();
    throw error;
  }
  const reader = new LiveReader({ hub, cache: live.cache, log });
  return {
    all: (family) => live.cache.all(family),
    async asked(requests) {
      const fleet = new ConfirmedFleet(live.cache);
      await fleet.confirm(requests, reader.read, AbortSignal.timeout(30_000));
      return { fleet, knowledge: 'whole', problems: [] };
    },
    reports: (run) => readReports(hub, run, AbortSignal.timeout(30_000)),
    version: (deployment) => versionOn(hub, deployment),
    namespaceLabels: () => labelsOn(hub),
    ...(hub.namespace !== undefined && { namespace: hub.namespace }),
    close,
  };
}

/** No command fails because of this: what cannot be found out is assumed. */
async function versionOn(hub: Connection, deployment: string): Promise<string> {
  try {
    return (await findVersion(hub, deployment, AbortSignal.timeout(10_000))).version;
  } catch {
    return unknownVersion;
  }
}

/** Modes that go by labels would be guessed without them. */
async function labelsOn(hub: Connection): ReturnType<FleetSource['namespaceLabels']> {
  try {
    return await readNamespaceLabels(hub, AbortSignal.timeout(30_000));
  } catch (error) {
    throw new GuardError('CLUSTER_FORBIDDEN', `cannot read the labels of namespaces: ${describe(error)}`, {
      cause: error,
    });
  }
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

const checkMilliseconds = 50;

/** Settles when all is known that may be known. */
async function settledBut(live: LiveFleet, refused: ReadonlySet<KindOfFamily>, timeout: AbortSignal): Promise<void> {
  while (live.missing(refused).length > 0 && !timeout.aborted) await sleep(systemClock, checkMilliseconds, timeout);
}

function either(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
    void promise.then(resolve);
  });
}
