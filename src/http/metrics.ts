import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Verdict } from '../engine/verdict.js';
import { version } from '../version.js';
import type { DecisionRecord } from './decision-record.js';
import { described } from './metric-definitions.js';
import { createProcessMetrics } from './process-metrics.js';

/** What every guard counts. */
export interface Metrics {
  readonly registry: Registry;
  decided(record: DecisionRecord): void;
  judged(verdict: Verdict): void;
  /** A rule of the mutating phase that is only audited, and had something to say. */
  noted(rule: string): void;
  /** A request that got no verdict, by its HTTP status. */
  failed(endpoint: string, status: number): void;
  pairFailed(): void;
  certificatesFailed(): void;
}

/** From the fast path (about a millisecond) to the longest timeout of a hook (10 s). */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is asked when metrics are made. */
export interface MetricSources {
  /** Whether the settings in use are those of the config file. */
  readonly isConfigCurrent?: () => boolean;
  /** The ids of the rules that may fail: counted from 0, so that the first failure is a change. */
  readonly rules?: readonly string[];
}

export function createMetrics({ isConfigCurrent = () => true, rules = [] }: MetricSources = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = countersFor(registers);
  for (const rule of rules) counter.undetermined.inc({ rule }, 0);
  for (const rule of [...rules, 'preview', 'diagnosis']) counter.rule_failures.inc({ rule }, 0);
  const seconds = new Histogram({ ...described('stageguard_decision_seconds'), buckets, registers });
  new Gauge({ ...described('stageguard_build_info'), registers }).set({ version, node: process.version }, 1);
  new Gauge({
    ...described('stageguard_config_current'),
    registers,
    collect() {
      this.set(isConfigCurrent() ? 1 : 0);
    },
  });
  createProcessMetrics(registry);
  return {
    registry,
    decided({ endpoint, family, operation, decision, milliseconds }) {
      counter.decisions.inc({ endpoint, family, operation, decision });
      seconds.observe({ endpoint }, milliseconds / 1000);
    },
    judged(verdict) {
      for (const { rule, severity, outcome } of verdict.findings) counter.findings.inc({ rule, severity, outcome });
      for (const { rule } of verdict.failures) counter.rule_failures.inc({ rule });
      for (const rule of verdict.undetermined) counter.undetermined.inc({ rule });
    },
    noted(rule) {
      counter.findings.inc({ rule, severity: 'audit', outcome: 'violated' });
    },
    failed(endpoint, status) {
      counter.http_errors.inc({ endpoint, status: String(status) });
    },
    pairFailed() {
      counter.tls_reload_failures.inc();
    },
    certificatesFailed() {
      counter.certificate_failures.inc();
    },
  };
}

const counted = [
  ...(['decisions', 'findings', 'undetermined', 'rule_failures', 'http_errors'] as const),
  ...(['tls_reload_failures', 'certificate_failures'] as const),
];

function countersFor(registers: Registry[]): Record<(typeof counted)[number], Counter> {
  const entries = counted.map((name) => [name, new Counter({ ...described(`stageguard_${name}_total`), registers })]);
  return Object.fromEntries(entries) as Record<(typeof counted)[number], Counter>;
}
