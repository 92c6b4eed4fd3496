import { Counter, Gauge, type Registry } from 'prom-client';

/** How fresh one kind of the cache is, and what it has been through. */
export interface CacheState {
  readonly family: string;
  readonly scope: string;
  readonly seconds: number | undefined;
  readonly lists: number;
  readonly failures: number;
}

export interface LiveSources {
  ages(): readonly CacheState[];
  isHubAgentConfirmed(): boolean;
}

/** What a guard beside a hub counts beyond all others; read when asked, never kept. */
export interface LiveMetrics {
  /** A fact was asked of the API server itself. */
  readonly read: (family: string, isAnswered: boolean) => void;
  /** A run asked for its placement. */
  readonly claimed: (outcome: string) => void;
}

export function createLiveMetrics(registry: Registry, sources: LiveSources): LiveMetrics {
  const registers = [registry];
  const labelNames = ['family', 'scope'];
  new Gauge({
    name: 'stageguard_cache_age_seconds',
    help: 'Seconds since the API server last spoke of a kind, by list, event or bookmark; +Inf while it never did.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { family, scope, seconds } of sources.ages()) this.set({ family, scope }, seconds ?? Infinity);
    },
  });
  const total = (name: string, help: string, value: (state: CacheState) => number): void => {
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const state of sources.ages()) this.inc({ family: state.family, scope: state.scope }, value(state));
      },
    });
  };
  total('stageguard_cache_lists_total', 'Whole lists that were read.', ({ lists }) => lists);
  total(
    'stageguard_cache_failures_total',
    'Lists and watches that failed; each is tried again.',
    (state) => state.failures,
  );
  new Gauge({
    name: 'stageguard_hub_agent_confirmed',
    help: '1 where the configured hub agent exists and may write the status of runs; rules about it only warn at 0.',
    registers,
    collect() {
      this.set(sources.isHubAgentConfirmed() ? 1 : 0);
    },
  });
  const reads = new Counter({
    name: 'stageguard_live_reads_total',
    help: 'Facts asked of the API server itself, by whether it answered.',
    labelNames: ['family', 'answered'],
    registers,
  });
  const claims = new Counter({
    name: 'stageguard_claims_total',
    help: 'Runs that asked for their placement, by what came of it.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    claimed: (outcome) => {
      claims.inc({ outcome });
    },
    read: (family, isAnswered) => {
      reads.inc({ family, answered: String(isAnswered) });
    },
  };
}
