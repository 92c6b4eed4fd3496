import { certificateMetrics, guardMetrics, liveMetrics, type MetricDefinition } from '../../http/metric-definitions.js';

/** docs/metrics.md, from the definitions. */
export function metricsPage(): string {
  return [
    '# Metrics',
    '<!-- Written by `npm run docs` from src/http/metric-definitions.ts. Do not edit. -->',
    'What `GET /metrics` on port 8444 tells, in the text format of Prometheus. No label ever holds the name of an object or a user. ' +
      'Names and labels change only with an entry in the changelog. What to do when one of them goes wrong: [operations.md](operations.md).',
    '## Every guard',
    table(guardMetrics),
    '## Beside a hub',
    'With `stageguard serve` in a pod of the hub, or with `--kubeconfig`. What of `stageguard_decision_seconds` is neither in ' +
      "`stageguard_live_read_seconds` nor in `stageguard_claim_seconds` is the guard's own.",
    table(liveMetrics),
    '## Certificates and webhooks',
    table(certificateMetrics),
  ]
    .join('\n\n')
    .concat('\n');
}

function table(metrics: Readonly<Record<string, MetricDefinition>>): string {
  const rows = Object.entries(metrics).map(([name, { type, labels, help }]) => {
    const told = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${values}`);
    return `| \`${name}\` | ${type} | ${help} | ${told.join('; ')} |`;
  });
  return ['| metric | type | what | labels |', '|---|---|---|---|', ...rows].join('\n');
}
