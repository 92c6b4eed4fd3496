import { afterAll, beforeAll } from '@jest/globals';
import { startGuard, type Guard, type GuardOptions } from './guard.js';
import { startHub, type Hub, type HubOptions } from './hub.js';
import { startHubAgent, type HubAgent } from './hub-agent.js';
import { users } from './users.js';

export interface GuardedHub {
  readonly hub: Hub;
  readonly guard: Guard;
  readonly agent: HubAgent;
}

export interface GuardedHubOptions extends HubOptions, GuardOptions {
  /** What happens on the hub before it has a guard. */
  readonly before?: (hub: Hub) => Promise<void>;
  /** Names of runs that the hub agent leaves alone from the start. */
  readonly heldBack?: readonly string[];
}

/**
 * A hub with its agent and a guard, for the tests of one file. In the end nobody may have been in anybody's way: the
 * guard had all rights it asked for, and it was never asked about a write of the hub agent.
 */
export function useGuardedHub(options: GuardedHubOptions = {}): () => GuardedHub {
  let hub: Hub | undefined;
  let guard: Guard | undefined;
  let agent: HubAgent | undefined;
  beforeAll(async () => {
    hub = await startHub(options);
    await options.before?.(hub);
    guard = await startGuard(hub, options);
    agent = startHubAgent(hub);
    for (const name of options.heldBack ?? []) agent.heldBack.add(name);
  }, 120_000);
  afterAll(async () => {
    await agent?.stop();
    const faults = [
      ...(hub?.forbidden() ?? []).map((call) => `the guard lacks the right to ${call}`),
      ...(agent?.refusals() ?? []),
      ...(guard?.decisions() ?? [])
        .filter(({ user }) => user === users.hubAgent.name)
        .map(
          ({ kind, object, operation }) =>
            `the guard was asked about the hub agent's ${operation} of ${kind} ${object}`,
        ),
    ];
    await guard?.stop();
    await hub?.stop();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  return () => {
    if (hub === undefined || guard === undefined || agent === undefined) throw new Error('the hub did not start');
    return { hub, guard, agent };
  };
}
