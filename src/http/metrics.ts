import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Verdict } from '../engine/verdict.js';
import { version } from '../version.js';
import type { DecisionRecord } from './decision-record.js';

/** What the guard counts. Labels never hold names of objects or users: their number would have no bound. */
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

/** Every counter of the guard: what it counts, and by which labels. */
const counters = {
  decisions: ['Reviews answered, by what was decided.', ['endpoint', 'family', 'operation', 'decision']],
  findings: ['What rules held against writes.', ['rule', 'severity', 'outcome']],
  undetermined: ['Rules that could not tell, because a fact was not to be had.', ['rule']],
  rule_failures: ['Rules that threw, or the preview of a plan: bugs of the guard.', ['rule']],
  http_errors: ['Requests answered without a verdict, by HTTP status.', ['endpoint', 'status']],
  tls_reload_failures: ['TLS pairs that could not be taken; the one before stays in use.', []],
  certificate_failures: ['Looks at Secret and webhook configurations that failed; each is tried again.', []],
} as const satisfies Record<string, readonly [help: string, labels: readonly string[]]>;

/** `isConfigCurrent`: whether the settings in use are those of the config file. */
export function createMetrics(isConfigCurrent: () => boolean = () => true): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = Object.fromEntries(
    Object.entries(counters).map(([name, [help, labelNames]]) => [
      name,
      new Counter({ name: `stageguard_${name}_total`, help, labelNames: [...labelNames], registers }),
    ]),
  ) as Record<keyof typeof counters, Counter>;
  const seconds = new Histogram({
    name: 'stageguard_decision_seconds',
    help: 'Time from the arrival of a review to its answer.',
    labelNames: ['endpoint'],
    buckets,
    registers,
  });
  new Gauge({ name: 'stageguard_build_info', help: 'Always 1.', labelNames: ['version', 'node'], registers }).set(
    { version, node: process.version },
    1,
  );
  new Gauge({
    name: 'stageguard_config_current',
    help: '1 where the settings in use are those of the config file; 0 where that cannot be used and those before stay.',
    registers,
    collect() {
      this.set(isConfigCurrent() ? 1 : 0);
    },
  });
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
