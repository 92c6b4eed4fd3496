import type { Series } from './promtool.js';

/** What Prometheus has scraped, and what is firing then. */
export interface AlertCase {
  readonly alert: string;
  readonly when: string;
  /** By the name and the labels that are not those of a scrape. */
  readonly scraped: Readonly<Record<string, string>>;
  readonly at: string;
  readonly fires: readonly Fired[];
}

export interface Fired {
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Of one guard of several replicas, whatever they are called. */
const guard = { namespace: 'fleet-stageguard', job: 'stageguard' };
const onOne = { ...guard, instance: '10.0.0.1:8444' };

const fires = (summary: string, labels: Readonly<Record<string, string>> = {}): readonly Fired[] => [
  { summary, labels: { ...guard, ...labels } },
];
const nothing: readonly Fired[] = [];

const refused = 'stageguard_decisions_total{endpoint="validate",family="UpdateRun",decision="refuse"}';
const retried = 'stageguard_decisions_total{endpoint="validate",family="UpdateRun",decision="retry"}';
const admitted = 'stageguard_decisions_total{endpoint="validate",family="Placement",decision="admit"}';
const stamped = 'stageguard_decisions_total{endpoint="mutate",family="ApprovalRequest",decision="admit"}';
const unanswered = 'stageguard_http_errors_total{endpoint="validate",status="401"}';

/** Seconds since 1970 begin with the test. */
const day = 86_400;

const inForce = (value: string): Readonly<Record<string, string>> => ({
  'stageguard_webhooks_in_force{configuration="validating"}': value,
  'stageguard_webhooks_in_force{configuration="mutating"}': '1x60',
  stageguard_webhooks_without_trust: '0x60',
});

const of = (alert: string, cases: readonly Omit<AlertCase, 'alert'>[]): readonly AlertCase[] =>
  cases.map((one) => ({ alert, ...one }));

const unwell = 'A guard is nearly out of memory, stalls, starts again and again, or is gone.';
const well: Readonly<Record<string, string>> = {
  'stageguard_build_info{version="0.1.0"}': '1x120',
  stageguard_memory_limit_bytes: '500x120',
  stageguard_memory_bytes: '440x120',
  stageguard_busy_seconds_total: '0+50x120',
  stageguard_start_time_seconds: '7 7 7 30x60',
};

export const alertCases: readonly AlertCase[] = [
  ...of('StageguardNotInForce', [
    {
      when: 'the brake is pulled',
      scraped: inForce('1x10 0x50'),
      at: '17m',
      fires: fires('The validating webhooks are not in force: writes are not judged.', { configuration: 'validating' }),
    },
    { when: 'they came back at once', scraped: inForce('1x10 0x3 1x50'), at: '17m', fires: nothing },
    {
      when: 'they are not trusted, which is another matter',
      scraped: { ...inForce('0x60'), stageguard_webhooks_without_trust: '10x60' },
      at: '17m',
      fires: nothing,
    },
  ]),
  ...of('StageguardWithoutTrust', [
    {
      when: 'the caBundle of ten webhooks is another CA',
      scraped: { stageguard_webhooks_without_trust: '10x60' },
      at: '6m',
      fires: fires(
        '10 webhooks do not trust the certificate of the guard: runs, strategies and approvals cannot be written.',
      ),
    },
    {
      when: 'a CA turns over',
      scraped: { stageguard_webhooks_without_trust: '0 10 10 0x60' },
      at: '6m',
      fires: nothing,
    },
    {
      when: 'nobody looks at them',
      scraped: { stageguard_webhooks_without_trust: 'NaN '.repeat(10) },
      at: '6m',
      fires: nothing,
    },
  ]),
  ...of('StageguardCertificateEnds', [
    {
      when: 'it ends in five days',
      scraped: { 'stageguard_certificate_expiry_seconds{certificate="serving"}': `${5 * day}x120` },
      at: '2h',
      fires: fires('The serving certificate ends in 4d 22h 0m 0s, and nobody has renewed it.', {
        certificate: 'serving',
      }),
    },
    {
      when: 'it ends in eight days',
      scraped: { 'stageguard_certificate_expiry_seconds{certificate="serving"}': `${8 * day}x120` },
      at: '2h',
      fires: nothing,
    },
    {
      when: 'it was renewed in its last days',
      scraped: { 'stageguard_certificate_expiry_seconds{certificate="ca"}': `${5 * day}x30 ${90 * day}x120` },
      at: '2h',
      fires: nothing,
    },
  ]),
  ...of('StageguardRefusesEverything', [
    {
      when: 'all is refused or sent back, and only stamps get through',
      scraped: { [refused]: '0+1x60', [retried]: '0+1x60', [admitted]: '5x60', [stamped]: '0+1x60' },
      at: '45m',
      fires: fires('60 writes were refused or not answered in half an hour, and none was admitted.'),
    },
    {
      when: 'it does not know its API server any more',
      scraped: { [unanswered]: '0+1x60', [admitted]: '5x60' },
      at: '45m',
      fires: fires('30 writes were refused or not answered in half an hour, and none was admitted.'),
    },
    {
      when: 'other writes are admitted',
      scraped: { [refused]: '0+1x60', [admitted]: '5x25 6x60' },
      at: '45m',
      fires: nothing,
    },
    { when: 'few ask at all', scraped: { [refused]: '0x15 0+0.5x60' }, at: '45m', fires: nothing },
  ]),
  ...of('StageguardCannotKnow', [
    {
      when: 'a rule cannot tell in a fifth of all reviews',
      scraped: { [admitted]: '0+10x60', 'stageguard_undetermined_total{rule="run-placement-exists"}': '0+2x60' },
      at: '40m',
      fires: fires('Rules cannot tell, or placements cannot be claimed: writes are sent back with "send again".'),
    },
    {
      when: 'no Lease can be written',
      scraped: { 'stageguard_claims_total{outcome="unavailable"}': '0+1x60' },
      at: '40m',
      fires: fires('Rules cannot tell, or placements cannot be claimed: writes are sent back with "send again".'),
    },
    {
      when: 'one in twenty is not told',
      scraped: { [admitted]: '0+20x60', 'stageguard_undetermined_total{rule="run-placement-exists"}': '0+1x60' },
      at: '40m',
      fires: nothing,
    },
    {
      when: 'a moment was bad, and placements are held by others',
      scraped: {
        [admitted]: '0+10x60',
        'stageguard_undetermined_total{rule="run-placement-exists"}': '0 0 30x60',
        'stageguard_claims_total{outcome="held"}': '0+9x60',
      },
      at: '40m',
      fires: nothing,
    },
  ]),
  ...of('StageguardHubOutOfReach', [
    {
      when: 'runs were last heard of six minutes ago',
      scraped: {
        'stageguard_cache_age_seconds{family="UpdateRun",scope="cluster"}': '0+60x60',
        'stageguard_cache_age_seconds{family="Placement",scope="cluster"}': '30x60',
      },
      at: '7m',
      fires: [{ labels: onOne, summary: 'A guard has not heard of a kind from the API server for 7m 0s.' }],
    },
    {
      when: 'nothing was ever heard',
      scraped: { 'stageguard_cache_age_seconds{family="UpdateRun",scope="cluster"}': 'Inf '.repeat(10) },
      at: '7m',
      fires: [{ labels: onOne, summary: 'A guard has not heard of a kind from the API server for +Inf.' }],
    },
    {
      when: 'bookmarks come late',
      scraped: { 'stageguard_cache_age_seconds{family="UpdateRun",scope="cluster"}': '290x60' },
      at: '7m',
      fires: nothing,
    },
  ]),
  ...of('StageguardRuleThrows', [
    {
      when: 'one has thrown once',
      scraped: { 'stageguard_rule_failures_total{rule="run-plan-unchanged"}': '0x5 1x120' },
      at: '10m',
      fires: fires('The rule run-plan-unchanged threw: a bug of the guard.', { rule: 'run-plan-unchanged' }),
    },
    {
      when: 'it was hours ago',
      scraped: { 'stageguard_rule_failures_total{rule="run-plan-unchanged"}': '0x5 1x120' },
      at: '2h',
      fires: nothing,
    },
  ]),
  ...of('StageguardUnwell', [
    { when: 'it is busy, has memory left and was restarted once', scraped: well, at: '50m', fires: nothing },
    {
      when: 'memory runs out',
      scraped: { ...well, stageguard_memory_bytes: '460x120' },
      at: '50m',
      fires: [{ labels: onOne, summary: unwell }],
    },
    {
      when: 'it does nothing but work',
      scraped: { ...well, stageguard_busy_seconds_total: '0+59x120' },
      at: '50m',
      fires: [{ labels: onOne, summary: unwell }],
    },
    {
      when: 'it is started again and again',
      scraped: { ...well, stageguard_start_time_seconds: '7x5 9x5 11x5 13x5 15x5 17x5 19x5 21x60' },
      at: '45m',
      fires: [{ labels: onOne, summary: unwell }],
    },
    {
      when: 'it is gone from one of several hubs',
      scraped: {
        'stageguard_build_info{version="0.1.0"}': '1x20 _x60',
        'stageguard_build_info{cluster="other",version="0.1.0"}': '1x120',
      },
      at: '50m',
      fires: fires(unwell),
    },
    { when: 'nobody has ever seen one', scraped: { up: '1x120' }, at: '50m', fires: [{ labels: {}, summary: unwell }] },
    {
      when: 'one version takes the place of another',
      scraped: {
        'stageguard_build_info{version="0.1.0"}': '1x20 _x60',
        'stageguard_build_info{version="0.2.0"}': '_x19 1x120',
      },
      at: '50m',
      fires: nothing,
    },
  ]),
];

/** The series as a scrape of one pod names them. */
export function seriesOf(scraped: Readonly<Record<string, string>>): readonly Series[] {
  return Object.entries(scraped).map(([name, values]) => ({ series: labelled(name, onOne), values }));
}

export function labelled(series: string, labels: Readonly<Record<string, string>>): string {
  const [name = '', own = ''] = series.replace(/\}$/, '').split('{');
  const more = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${[...(own === '' ? [] : [own]), ...more].join(',')}}`;
}
