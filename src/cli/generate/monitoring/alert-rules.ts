import { alerts } from './alerts.js';

/** The alerts as rules of Prometheus; the chart adds where the runbook is read. */
export function alertRules(): readonly object[] {
  return alerts.map(({ alert, severity, expr, summary, ...rest }) => ({
    alert,
    expr,
    for: rest.for,
    labels: { severity },
    annotations: { summary, runbook_url: `RUNBOOK#${alert.toLowerCase()}` },
  }));
}
