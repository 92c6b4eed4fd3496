import { setTimeout as sleep } from 'node:timers/promises';
import type { Hub } from './hub.js';
import type { Scope } from './paths.js';
import { RunController } from './run-controller.js';
import { Scheduler } from './scheduler.js';

export interface HubAgent {
  /** How long the scheduler takes for a placement it has not seen before. */
  schedulerMilliseconds: number;
  /** Names of placements that the scheduler does not come to. */
  readonly unscheduled: Set<string>;
  /** Names of runs that it does not look at. */
  readonly heldBack: Set<string>;
  /** What the API server did not let it do; that another writer was faster is nothing that it does not know. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

const scopes = [undefined, 'team-a'];
const stepMilliseconds = 100;

/** Stands in for the hub agent; all its writes are made as its service account. */
export function startHubAgent(hub: Hub): HubAgent {
  const api = hub.api('hubAgent');
  let isStopped = false;
  const errors: string[] = [];
  const agent = {
    schedulerMilliseconds: 0,
    unscheduled: new Set<string>(),
    heldBack: new Set<string>(),
    refusals: () => errors.filter((text) => /^Error: (?!404|409)\d{3}: /.test(text)),
    stop: () => Promise.resolve(),
  };
  const scheduler = new Scheduler(api, (placement) =>
    agent.unscheduled.has(placement) ? Infinity : agent.schedulerMilliseconds,
  );
  const runs = new RunController(api, agent.heldBack);
  const tend = async (scope: Scope): Promise<void> => {
    try {
      await scheduler.tend(scope);
      await runs.tend(scope);
    } catch (error) {
      // The real one tries again as well.
      errors.push(String(error));
    }
  };
  const work = async (): Promise<void> => {
    while (!isStopped) {
      const began = performance.now();
      for (const scope of scopes) await tend(scope);
      // With many runs at their gates it would do nothing but look.
      await sleep(Math.max(stepMilliseconds, performance.now() - began));
    }
  };
  const working = work();
  agent.stop = () => {
    isStopped = true;
    return working;
  };
  return agent;
}
