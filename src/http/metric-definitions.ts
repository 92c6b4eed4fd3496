/** One metric: alerts, dashboard and docs/metrics.md are made from these, as the metrics themselves are. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** What the values of each label are. None ever holds the name of an object or a user: their number would have no bound. */
  readonly labels: Readonly<Record<string, string>>;
}

type Definitions = Readonly<Record<`stageguard_${string}`, MetricDefinition>>;

const families = 'the family of kinds, or `other` where no rule knows the kind';
const familiesKnown = 'the family of kinds';
const endpoints = '`validate` or `mutate`';
const ruleIds = 'the id of the rule';

/** What every guard counts. */
export const guardMetrics = {
  stageguard_decisions_total: {
    type: 'counter',
    help: 'Reviews answered, by what was decided.',
    labels: {
      endpoint: endpoints,
      family: families,
      operation: '`CREATE`, `UPDATE`, `DELETE`, or `other`',
      decision: '`admit`, `refuse`, `retry`, `patch`, or `unavailable` where failurePolicy decides',
    },
  },
  stageguard_decision_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a review to its answer.',
    labels: { endpoint: endpoints },
  },
  stageguard_findings_total: {
    type: 'counter',
    help: 'What rules held against writes.',
    labels: {
      rule: ruleIds,
      severity: '`deny`, `warn` or `audit`',
      outcome: '`violated`, or `undetermined` where the rule could not tell',
    },
  },
  stageguard_undetermined_total: {
    type: 'counter',
    help: 'Rules that could not tell, because a fact was not to be had.',
    labels: { rule: ruleIds },
  },
  stageguard_rule_failures_total: {
    type: 'counter',
    help: 'Rules that threw, or the preview of a plan, or a diagnosis: bugs of the guard.',
    labels: { rule: `${ruleIds}, or \`preview\` or \`diagnosis\`` },
  },
  stageguard_http_errors_total: {
    type: 'counter',
    help: 'Requests answered without a verdict, by HTTP status.',
    labels: { endpoint: endpoints, status: 'the HTTP status' },
  },
  stageguard_tls_reload_failures_total: {
    type: 'counter',
    help: 'TLS pairs that could not be taken; the one before stays in use.',
    labels: {},
  },
  stageguard_certificate_failures_total: {
    type: 'counter',
    help: 'Looks at Secret and webhook configurations that failed; each is tried again.',
    labels: {},
  },
  stageguard_config_current: {
    type: 'gauge',
    help: '1 where the settings in use are those of the config file; 0 where that cannot be used and those before stay.',
    labels: {},
  },
  stageguard_build_info: {
    type: 'gauge',
    help: 'Always 1.',
    labels: { version: 'of stageguard', node: 'the version of Node' },
  },
  stageguard_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, in seconds since 1970.',
    labels: {},
  },
  stageguard_memory_bytes: { type: 'gauge', help: 'Memory that the process holds (resident set).', labels: {} },
  stageguard_memory_limit_bytes: {
    type: 'gauge',
    help: 'Memory that the process may hold: the limit of its container, or what the machine has.',
    labels: {},
  },
  stageguard_busy_seconds_total: {
    type: 'counter',
    help: 'Seconds in which the process worked instead of waiting. It does one thing at a time: a rate near 1 is a guard that stalls.',
    labels: {},
  },
} as const satisfies Definitions;

/** What a guard counts that knows its fleet from a hub. */
export const liveMetrics = {
  stageguard_cache_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the API server last spoke of a kind, by list, event or bookmark; +Inf while it never did. Below 90 all is well.',
    labels: { family: familiesKnown, scope: '`cluster` or `namespaced`' },
  },
  stageguard_cache_lists_total: {
    type: 'counter',
    help: 'Whole lists that were read: 1 after the start, more where watches expired.',
    labels: { family: familiesKnown, scope: '`cluster` or `namespaced`' },
  },
  stageguard_cache_failures_total: {
    type: 'counter',
    help: 'Lists and watches that failed; each is tried again.',
    labels: { family: familiesKnown, scope: '`cluster` or `namespaced`' },
  },
  stageguard_live_reads_total: {
    type: 'counter',
    help: 'Facts asked of the API server itself, by whether it answered.',
    labels: { family: familiesKnown, answered: '`true` or `false`' },
  },
  stageguard_live_read_seconds: {
    type: 'histogram',
    help: 'How long the API server took to answer, and the guard to take up what it said, by family and get or list.',
    labels: { family: familiesKnown, how: '`get` or `list`' },
  },
  stageguard_claims_total: {
    type: 'counter',
    help: 'Runs that asked for their placement, by what came of it.',
    labels: { outcome: '`claimed`, `held`, `undecided`, `crowded`, `name taken` or `unavailable`' },
  },
  stageguard_claim_seconds: {
    type: 'histogram',
    help: 'From a verdict that admits a run to its claim: the write of the Lease, and what had to be read anew.',
    labels: { outcome: 'as in `stageguard_claims_total`' },
  },
  stageguard_hub_agent_confirmed: {
    type: 'gauge',
    help: '1 where the configured hub agent exists and may write the status of runs; rules about it only warn at 0.',
    labels: {},
  },
  stageguard_kubefleet_info: {
    type: 'gauge',
    help: 'Always 1: the version of KubeFleet that verdicts rest on, and whether settings, image, definitions or nothing say so.',
    labels: { version: 'of KubeFleet', by: '`settings`, `image`, `definitions` or `nothing`' },
  },
} as const satisfies Definitions;

/** What a guard counts of its certificates and its webhooks. */
export const certificateMetrics = {
  stageguard_certificate_expiry_seconds: {
    type: 'gauge',
    help: 'When a certificate expires, in seconds since 1970. Of a bundle: when nothing in it is valid any more.',
    labels: { certificate: '`serving`, `ca`, or `bundle` (the caBundle that ends first)' },
  },
  stageguard_webhooks_without_trust: {
    type: 'gauge',
    help: 'Webhooks whose caBundle does not vouch for the certificate that is served, or whose name is not in it: their calls fail. NaN where the configurations are not read.',
    labels: {},
  },
  stageguard_webhooks_in_force: {
    type: 'gauge',
    help: '1 where the webhook configuration is there, in force, and trusts the certificate that is served; else writes are not judged. Absent without `--webhook-configuration`.',
    labels: { configuration: '`validating` or `mutating`' },
  },
} as const satisfies Definitions;

export const metricDefinitions = { ...guardMetrics, ...liveMetrics, ...certificateMetrics };

export type MetricName = keyof typeof metricDefinitions;

/** What the metrics library is told of one. */
export function described(name: MetricName): { name: MetricName; help: string; labelNames: string[] } {
  const { help, labels } = metricDefinitions[name];
  return { name, help, labelNames: Object.keys(labels) };
}
