import type { MetricName } from '../../../http/metric-definitions.js';

/** An alert, as Prometheus has it. Its runbook is the section of docs/operations.md that bears its name. */
export interface Alert {
  readonly alert: string;
  /** `critical` wakes somebody; `warning` waits for the morning. */
  readonly severity: 'critical' | 'warning';
  readonly for: string;
  readonly expr: string;
  readonly summary: string;
}

/** Keeps the compiler between an expression and a metric that is not there. */
const m = (name: MetricName): MetricName => name;

/** One guard of several replicas; `cluster` is a label of those who look after more than one hub. */
const guard = 'cluster, namespace, job';

// Where a scrape does not keep the guard's own labels, `endpoint` is the port, and ours has another name.
const judged = 'endpoint!="mutate", exported_endpoint!="mutate"';
const decisions = m('stageguard_decisions_total');

/** Counters of one guard may be added up together: that of errors has no decision at all. */
const counters = [decisions, m('stageguard_http_errors_total')].join('|');
const notAdmitted = `{__name__=~'${counters}',${judged}, decision!="admit"}`;

/** A certificate that the guard or cert-manager renews never comes that near to its end: a third of its life is left then. */
const lastDays = 7;

export const alerts: readonly Alert[] = [
  {
    alert: 'StageguardNotInForce',
    severity: 'critical',
    for: '5m',
    expr: lines(
      `max by (${guard}, configuration) (${m('stageguard_webhooks_in_force')}) == 0`,
      `unless on (${guard}) max by (${guard}) (${m('stageguard_webhooks_without_trust')}) > 0`,
    ),
    summary: 'The {{ $labels.configuration }} webhooks are not in force: writes are not judged.',
  },
  {
    alert: 'StageguardWithoutTrust',
    severity: 'critical',
    for: '5m',
    expr: `max by (${guard}) (${m('stageguard_webhooks_without_trust')}) > 0`,
    summary:
      '{{ $value }} webhooks do not trust the certificate of the guard: runs, strategies and approvals cannot be written.',
  },
  {
    alert: 'StageguardCertificateEnds',
    severity: 'warning',
    for: '1h',
    expr: `min by (${guard}, certificate) (${m('stageguard_certificate_expiry_seconds')}) - time() < ${lastDays} * 86400`,
    summary:
      'The {{ $labels.certificate }} certificate ends in {{ $value | humanizeDuration }}, and nobody has renewed it.',
  },
  {
    alert: 'StageguardRefusesEverything',
    severity: 'critical',
    for: '10m',
    expr: lines(
      `sum by (${guard}) (increase(${notAdmitted}[30m])) > 20`,
      `unless on (${guard}) sum by (${guard}) (increase(${decisions}{${judged}, decision="admit"}[30m])) > 0`,
    ),
    summary: '{{ $value | humanize }} writes were refused or not answered in half an hour, and none was admitted.',
  },
  {
    alert: 'StageguardCannotKnow',
    severity: 'warning',
    for: '15m',
    expr: lines(
      `sum by (${guard}) (rate(${m('stageguard_undetermined_total')}[15m])) > 0.1 * sum by (${guard}) (rate(${decisions}{${judged}}[15m]))`,
      `or sum by (${guard}) (increase(${m('stageguard_claims_total')}{outcome="unavailable"}[15m])) > 0`,
    ),
    summary: 'Rules cannot tell, or placements cannot be claimed: writes are sent back with "send again".',
  },
  {
    alert: 'StageguardHubOutOfReach',
    severity: 'critical',
    for: '1m',
    expr: `max without (family, scope) (${m('stageguard_cache_age_seconds')}) > 300`,
    summary: 'A guard has not heard of a kind from the API server for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'StageguardRuleThrows',
    severity: 'warning',
    for: '0m',
    expr: `sum by (${guard}, rule) (increase(${m('stageguard_rule_failures_total')}[1h])) > 0`,
    summary: 'The rule {{ $labels.rule }} threw: a bug of the guard.',
  },
  {
    alert: 'StageguardUnwell',
    severity: 'critical',
    for: '10m',
    expr: lines(
      `${m('stageguard_memory_bytes')} / ${m('stageguard_memory_limit_bytes')} > 0.9`,
      `or rate(${m('stageguard_busy_seconds_total')}[5m]) > 0.9`,
      `or changes(${m('stageguard_start_time_seconds')}[30m]) > 2`,
      `or absent(${m('stageguard_build_info')})`,
      `or (group by (${guard}) (present_over_time(${m('stageguard_build_info')}[1d])) unless group by (${guard}) (${m('stageguard_build_info')}))`,
    ),
    summary: 'A guard is nearly out of memory, stalls, starts again and again, or is gone.',
  },
];

function lines(...parts: readonly string[]): string {
  return parts.join('\n');
}
