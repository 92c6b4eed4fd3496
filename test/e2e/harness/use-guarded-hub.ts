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
 * A hub with its agent and a guard. When it is stopped nobody may have been in anybody's way: the guard had all rights it
 * asked for, and it was never asked about a write of the hub agent.
 */
export async function startGuardedHub(options: GuardedHubOptions = {}): Promise<GuardedHub & Stoppable> {
  const hub = await startHub(options);
  try {
    await options.before?.(hub);
    const guard = await startGuard(hub, options);
    const agent = startHubAgent(hub);
    for (const name of options.heldBack ?? []) agent.heldBack.add(name);
    return { hub, guard, agent, stop: () => stop({ hub, guard, agent }) };
  } catch (error) {
    await hub.stop();
    throw error;
  }
}

export interface Stoppable {
  stop(): Promise<void>;
}

async function stop({ hub, guard, agent }: GuardedHub): Promise<void> {
  await agent.stop();
  const problems = [
    ...hub.forbidden().map((call) => `the guard lacks the right to ${call}`),
    ...agent.refusals(),
    ...guard
      .decisions()
      .filter(({ user }) => user === users.hubAgent.name)
      .map(
        ({ kind, object, operation }) => `the guard was asked about the hub agent's ${operation} of ${kind} ${object}`,
      ),
  ];
  await guard.stop();
  await hub.stop();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** One for the tests of one file. */
export function useGuardedHub(options: GuardedHubOptions = {}): () => GuardedHub {
  let started: (GuardedHub & Stoppable) | undefined;
  beforeAll(async () => {
    started = await startGuardedHub(options);
  }, 120_000);
  afterAll(() => started?.stop());
  return () => {
    if (started === undefined) throw new Error('the hub did not start');
    return started;
  };
}
