import type { MetricName } from '../../../http/metric-definitions.js';

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface Panel {
  readonly kind: 'stat' | 'timeseries';
  readonly title: string;
  readonly description: string;
  /** As Grafana names units. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

const chosen = 'cluster=~"$cluster", job=~"$job"';

/** The series of a metric that the variables of the dashboard choose. */
const of = (name: MetricName, more = ''): string => `${name}{${chosen}${more === '' ? '' : `, ${more}`}}`;

/** What a counter grows by in a second. */
const growth = (by: string, name: MetricName, more?: string): string =>
  `sum by (${by}) (rate(${of(name, more)}[$__rate_interval]))`;

/** Of a histogram, below which so many in a hundred were. */
function percentile(percent: number, name: MetricName, by = ''): string {
  const buckets = of(name).replace(name, `${name}_bucket`);
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${percent / 100}, sum by (${labels}) (rate(${buckets}[$__rate_interval])))`;
}

const stat = (title: string, description: string, query: Query): Panel => ({
  ...{ kind: 'stat', title, description, unit: 'short' },
  queries: [query],
});

const graph = (title: string, unit: string, rest: Pick<Panel, 'description' | 'queries'>): Panel => ({
  ...{ kind: 'timeseries', title, unit },
  ...rest,
});

export const panels: readonly Panel[] = [
  stat('In force', '1: writes are judged. 0: nobody is asked, or the calls fail.', {
    expr: `max by (configuration) (${of('stageguard_webhooks_in_force')})`,
    legend: '{{configuration}}',
  }),
  stat('Webhooks without trust', 'Webhooks whose calls fail, for the certificate is not trusted. 0 is right.', {
    expr: `max(${of('stageguard_webhooks_without_trust')})`,
    legend: 'webhooks',
  }),
  stat('Guards', 'Processes that answer, by version.', {
    expr: `count by (version) (${of('stageguard_build_info')})`,
    legend: '{{version}}',
  }),
  stat('KubeFleet', 'The version that verdicts rest on, and what says so.', {
    expr: `count by (version, by) (${of('stageguard_kubefleet_info')})`,
    legend: '{{version}} by {{by}}',
  }),
  stat('Settings in use', '0: the config file cannot be used, and the settings before stay.', {
    expr: `min(${of('stageguard_config_current')})`,
    legend: 'current',
  }),
  stat('Hub agent confirmed', '0: rules about the hub agent only warn.', {
    expr: `min(${of('stageguard_hub_agent_confirmed')})`,
    legend: 'confirmed',
  }),
  stat('Rules that threw', 'In the last day. Each is a bug.', {
    expr: `sum(increase(${of('stageguard_rule_failures_total')}[1d]))`,
    legend: 'failures',
  }),
  stat('Starts', 'Starts of processes that were there before, in the last day.', {
    expr: `sum(changes(${of('stageguard_start_time_seconds')}[1d]))`,
    legend: 'starts',
  }),
  graph('Decisions', 'reqps', {
    description: 'Reviews answered.',
    queries: [{ expr: growth('decision', 'stageguard_decisions_total'), legend: '{{decision}}' }],
  }),
  graph('Refusals by rule', 'reqps', {
    description: 'What rules held against writes so that they were refused, or sent back to be sent again.',
    queries: [
      { expr: growth('rule, outcome', 'stageguard_findings_total', 'severity="deny"'), legend: '{{rule}} {{outcome}}' },
    ],
  }),
  graph('Latency', 's', {
    description: 'From the arrival of a review to its answer.',
    queries: [50, 99].map((percent) => ({
      expr: percentile(percent, 'stageguard_decision_seconds'),
      legend: `${percent} %`,
    })),
  }),
  graph('Without a verdict', 'reqps', {
    description: 'Requests that were answered with an HTTP error, and rules that could not tell.',
    queries: [
      { expr: growth('status', 'stageguard_http_errors_total'), legend: 'HTTP {{status}}' },
      { expr: `sum(rate(${of('stageguard_undetermined_total')}[$__rate_interval]))`, legend: 'could not tell' },
    ],
  }),
  graph('Live reads', 'reqps', {
    description: 'Facts asked of the API server.',
    queries: [
      { expr: growth('family, answered', 'stageguard_live_reads_total'), legend: '{{family}} answered: {{answered}}' },
    ],
  }),
  graph('Live reads, how long', 's', {
    description: '99 in 100 took no longer.',
    queries: [{ expr: percentile(99, 'stageguard_live_read_seconds', 'how'), legend: '{{how}}' }],
  }),
  graph('Claims', 'reqps', {
    description: 'Runs that asked for their placement.',
    queries: [{ expr: growth('outcome', 'stageguard_claims_total'), legend: '{{outcome}}' }],
  }),
  graph('Claims, how long', 's', {
    description: '99 in 100 took no longer.',
    queries: [{ expr: percentile(99, 'stageguard_claim_seconds'), legend: '99 %' }],
  }),
  graph('Certificates', 's', {
    description: 'Until they end.',
    queries: [
      {
        expr: `min by (certificate) (${of('stageguard_certificate_expiry_seconds')}) - time()`,
        legend: '{{certificate}}',
      },
    ],
  }),
  graph('Cache age', 's', {
    description: 'Since the API server last spoke of a kind. Below 90 s all is well.',
    queries: [
      { expr: `max by (family, scope) (${of('stageguard_cache_age_seconds')})`, legend: '{{family}} {{scope}}' },
    ],
  }),
  graph('Memory', 'bytes', {
    description: 'What each process holds, and what it may hold.',
    queries: [
      { expr: of('stageguard_memory_bytes'), legend: '{{instance}}' },
      { expr: `min(${of('stageguard_memory_limit_bytes')})`, legend: 'limit' },
    ],
  }),
  graph('At work', 'percentunit', {
    description: 'Share of the time in which a process works. Near 1 it stalls.',
    queries: [{ expr: `rate(${of('stageguard_busy_seconds_total')}[$__rate_interval])`, legend: '{{instance}}' }],
  }),
  graph('What failed and is tried again', 'reqps', {
    description: 'Lists and watches; looks at Secret and webhook configurations; TLS pairs.',
    queries: [
      { expr: growth('family', 'stageguard_cache_failures_total'), legend: 'watch {{family}}' },
      { expr: `sum(rate(${of('stageguard_certificate_failures_total')}[$__rate_interval]))`, legend: 'certificates' },
      { expr: `sum(rate(${of('stageguard_tls_reload_failures_total')}[$__rate_interval]))`, legend: 'TLS pairs' },
    ],
  }),
];
