import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

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
  tellOfHub(registers, sources);
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
    name: 'stageguard_live_read_seconds',
    help: 'How long the API server took to answer, and the guard to take up what it said, by family and get or list.',
    labelNames: ['family', 'how'],
    buckets,
    registers,
  });
  const claimSeconds = new Histogram({
    name: 'stageguard_claim_seconds',
    help: 'From a verdict that admits a run to its claim: the write of the Lease, and what had to be read anew.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  return { readSeconds, claimSeconds };
}

/** What the hub itself has said. */
function tellOfHub(registers: Registry[], sources: Pick<LiveSources, 'isHubAgentConfirmed' | 'kubefleet'>): void {
  new Gauge({
    name: 'stageguard_hub_agent_confirmed',
    help: '1 where the configured hub agent exists and may write the status of runs; rules about it only warn at 0.',
    registers,
    collect() {
      this.set(sources.isHubAgentConfirmed() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'stageguard_kubefleet_info',
    help: 'Always 1: the version of KubeFleet that verdicts rest on, and whether settings, image, definitions or nothing say so.',
    labelNames: ['version', 'by'],
    registers,
    collect() {
      this.reset();
      const { version, by } = sources.kubefleet();
      this.set({ version, by }, 1);
    },
  });
}
