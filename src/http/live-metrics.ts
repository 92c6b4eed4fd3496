import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { described, type MetricName } from './metric-definitions.js';

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
  /** The version of KubeFleet that verdicts rest on, and what it is known by. */
  kubefleet(): { readonly version: string; readonly by: string };
}

/** One question to the API server. */
export interface HubRead {
  readonly family: string;
  readonly how: 'get' | 'list';
  readonly isAnswered: boolean;
  readonly seconds: number;
}

/** What a guard beside a hub counts beyond all others; read when asked, never kept. */
export interface LiveMetrics {
  /** A fact was asked of the API server itself. */
  readonly read: (read: HubRead) => void;
  /** A run asked for its placement. */
  readonly claimed: (outcome: string, seconds: number) => void;
}

export function createLiveMetrics(registry: Registry, sources: LiveSources): LiveMetrics {
  const registers = [registry];
  new Gauge({
    ...described('stageguard_cache_age_seconds'),
    registers,
    collect() {
      this.reset();
      for (const { family, scope, seconds } of sources.ages()) this.set({ family, scope }, seconds ?? Infinity);
    },
  });
  const total = (name: MetricName, value: (state: CacheState) => number): void => {
    new Counter({
      ...described(name),
      registers,
      collect() {
        this.reset();
        for (const state of sources.ages()) this.inc({ family: state.family, scope: state.scope }, value(state));
      },
    });
  };
  total('stageguard_cache_lists_total', ({ lists }) => lists);
  total('stageguard_cache_failures_total', ({ failures }) => failures);
  tellOfHub(registers, sources);
  const reads = new Counter({
    ...described('stageguard_live_reads_total'),
    registers,
  });
  const claims = new Counter({
    ...described('stageguard_claims_total'),
    registers,
  });
  const { readSeconds, claimSeconds } = waitsFor(registers);
  return {
    claimed: (outcome, seconds) => {
      claims.inc({ outcome });
      claimSeconds.observe({ outcome }, seconds);
    },
    read: ({ family, how, isAnswered, seconds }) => {
      reads.inc({ family, answered: String(isAnswered) });
      readSeconds.observe({ family, how }, seconds);
    },
  };
}

/** How long reviews wait for the hub's API server. */
function waitsFor(registers: Registry[]) {
  const buckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  const readSeconds = new Histogram({
    ...described('stageguard_live_read_seconds'),
    buckets,
    registers,
  });
  const claimSeconds = new Histogram({
    ...described('stageguard_claim_seconds'),
    buckets,
    registers,
  });
  return { readSeconds, claimSeconds };
}

/** What the hub itself has said. */
function tellOfHub(registers: Registry[], sources: Pick<LiveSources, 'isHubAgentConfirmed' | 'kubefleet'>): void {
  new Gauge({
    ...described('stageguard_hub_agent_confirmed'),
    registers,
    collect() {
      this.set(sources.isHubAgentConfirmed() ? 1 : 0);
    },
  });
  new Gauge({
    ...described('stageguard_kubefleet_info'),
    registers,
    collect() {
      this.reset();
      const { version, by } = sources.kubefleet();
      this.set({ version, by }, 1);
    },
  });
}
