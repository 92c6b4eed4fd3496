import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { alerts } from '../../../src/cli/generate/monitoring/alerts.js';
import { objectsOf, rendered } from '../install/rendered.js';
import { alertCases, seriesOf, type AlertCase } from './alert-cases.js';
import { testRules, type RuleTest } from './promtool.js';

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

interface Group {
  readonly rules: readonly Rule[];
}

let groups: readonly Group[] = [];
beforeAll(async () => {
  const values = { prometheusRule: { enabled: true, runbookUrl: 'https://example.com/runbook' } };
  const rule = objectsOf(await rendered(values)).find(({ kind }) => kind === 'PrometheusRule');
  ({ groups } = rule?.['spec'] as { groups: readonly Group[] });
});
const rules = (): readonly Rule[] => groups.flatMap((group) => group.rules);

function testOf({ alert, when, scraped, at, fires }: AlertCase): RuleTest {
  const rule = rules().find((one) => one.alert === alert);
  return {
    name: `${alert}: ${when}`,
    interval: '1m',
    input_series: seriesOf(scraped),
    alert_rule_test: [
      {
        eval_time: at,
        alertname: alert,
        exp_alerts: fires.map(({ labels, summary }) => ({
          exp_labels: { ...labels, severity: rule?.labels.severity },
          exp_annotations: { summary, runbook_url: rule?.annotations.runbook_url },
        })),
      },
    ],
  };
}

test('there are at most eight, and each is tried firing and not firing', () => {
  expect(rules().map(({ alert }) => alert)).toEqual(alerts.map(({ alert }) => alert));
  expect(alerts.length).toBeLessThanOrEqual(8);
  const tried = (isFiring: boolean): readonly string[] => [
    ...new Set(alertCases.filter(({ fires }) => fires.length > 0 === isFiring).map(({ alert }) => alert)),
  ];
  expect([tried(true), tried(false)]).toEqual([rules(), rules()].map((all) => all.map(({ alert }) => alert)));
});

test('each fires when it should, and not when it need not', async () => {
  expect(await testRules(groups, alertCases.map(testOf))).toMatchObject({
    code: 0,
    text: expect.stringContaining('SUCCESS'),
  });
});

describe('the test itself', () => {
  test('finds an alert that fires where none is expected, and one that does not fire', async () => {
    const [firing] = alertCases.filter(({ fires }) => fires.length > 0).map((one) => testOf({ ...one, fires: [] }));
    const [quiet] = alertCases
      .filter(({ fires }) => fires.length === 0)
      .map((one) => testOf({ ...one, fires: [{ labels: {}, summary: 'x' }] }));
    for (const wrong of [firing, quiet]) {
      const { code, text } = await testRules(groups, wrong === undefined ? [] : [wrong]);
      expect({ code, isTold: text.includes('FAILED') }).toEqual({ code: 1, isTold: true });
    }
  });
});

test('each links to a section of the runbook, which says what it means, how to look, what to do, and off and on', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8');
  const sections = new Map(
    page.split(/^## /m).map((section): [string, string] => [section.split('\n')[0]?.toLowerCase() ?? '', section]),
  );
  for (const { annotations } of rules()) {
    const [url, anchor = ''] = annotations.runbook_url.split('#');
    expect(url).toBe('https://example.com/runbook');
    const parts = [...(sections.get(anchor) ?? '').matchAll(/^\*\*([A-Z][a-z ]+)\.\*\*/gm)].map(([, part]) => part);
    expect([anchor, parts]).toEqual([anchor, ['What it means', 'How to look', 'What to do', 'Off and on']]);
  }
});
