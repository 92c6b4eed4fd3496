import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { describe } from '../errors.js';
import { kindIn } from '../fleet/kinds.js';
import { serviceAccountOf } from '../fleet/service-account.js';
import { silentLog, type Log } from '../log.js';
import { isAllowed } from './access-review.js';
import { statusOf, type HubCalls } from './hub.js';

/** What is known of the configured name of the hub agent. */
export interface Identification {
  readonly confirmed: boolean;
  /** In words, for the log. */
  readonly because: string;
}

const recheckMilliseconds = 5 * 60_000;
const retryMilliseconds = 10_000;

/**
 * Finds out whether one of the configured users can be the hub agent: its ServiceAccount exists, and it may write the
 * status of runs. Rules that single out the hub agent refuse only then, since a wrong name would stop the hub.
 */
export async function identifyHubAgent(
  hub: HubCalls,
  users: readonly string[],
  signal: AbortSignal,
): Promise<Identification> {
  const reasons: string[] = [];
  for (const user of users) {
    const doubt = await doubtAbout(hub, user, signal);
    if (doubt === undefined) return { confirmed: true, because: `${user} exists and may write the status of runs` };
    reasons.push(doubt);
  }
  return { confirmed: false, because: reasons.join('; ') || 'no user is configured as the hub agent' };
}

async function doubtAbout(hub: HubCalls, user: string, signal: AbortSignal): Promise<string | undefined> {
  const account = serviceAccountOf(user);
  if (account === undefined) return `${user} is not a ServiceAccount, so nobody can tell whether it exists`;
  const { namespace, name } = account;
  try {
    await hub.call({ path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`, signal });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return `ServiceAccount ${namespace}/${name} does not exist`;
    // The chart grants it for the users that its values name; the settings may name others since.
    if (status === 403) return `the guard may not look at ServiceAccount ${namespace}/${name}`;
    throw error;
  }
  return (await mayWriteRunStatus(hub, user, signal)) ? undefined : `${user} may not update the status of runs`;
}

export async function mayWriteRunStatus(hub: HubCalls, user: string, signal: AbortSignal): Promise<boolean> {
  const { group, plural } = kindIn('UpdateRun', undefined);
  const namespace = serviceAccountOf(user)?.namespace ?? '';
  return isAllowed(
    hub,
    {
      user,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      resourceAttributes: { group, resource: plural, subresource: 'status', verb: 'update' },
    },
    signal,
  );
}

export interface HubAgentWatchParts {
  readonly hub: HubCalls;
  /** The configured users as they are now. */
  readonly users: () => readonly string[];
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Keeps asking: accounts and rights come and go. Unconfirmed until it is known better. */
export class HubAgentWatch extends Background {
  private known: Identification = { confirmed: false, because: 'not asked yet' };
  /** Whom the answer is about. */
  private asked = '';

  constructor(private readonly parts: HubAgentWatchParts) {
    super(parts.clock);
  }

  /** Users that were named since the last answer are not confirmed by it. */
  get isConfirmed(): boolean {
    return this.known.confirmed && this.asked === this.parts.users().join();
  }

  /** An outage changes nothing in what was known before. */
  protected async turn(signal: AbortSignal): Promise<number> {
    const { hub, users, log = silentLog } = this.parts;
    try {
      const named = users();
      const found = await identifyHubAgent(hub, named, signal);
      if (found.because !== this.known.because) {
        if (found.confirmed) log.info({ because: found.because }, 'the hub agent is who the settings say');
        else log.warn({ because: found.because }, 'the hub agent is not confirmed: rules about it only warn');
      }
      this.known = found;
      this.asked = named.join();
      return recheckMilliseconds;
    } catch (error) {
      if (!signal.aborted) log.debug({ error: describe(error) }, 'could not ask about the hub agent');
      return retryMilliseconds;
    }
  }
}
