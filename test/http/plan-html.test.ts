import { expect, test } from '@jest/globals';
import type { PlanView } from '../../src/fleet/plan-view.js';
import { html } from '../../src/http/html.js';
import { planPage } from '../../src/http/plan-html.js';

const hostile = `<img src=x onerror="alert('x')">&`;

const plan: PlanView = {
  placement: 'shop',
  strategy: 'rings',
  snapshot: 'latest',
  stages: [
    {
      name: 'canary',
      clusters: [{ name: 'eu-1', labels: { ring: 'canary', env: hostile }, errors: ['also in stage prod'] }],
      atOnce: 1,
      maxConcurrency: 1,
      batches: 1,
      before: [],
      after: ['approval'],
    },
    { name: 'prod', clusters: [], atOnce: 1, maxConcurrency: 1, batches: 0, before: ['approval'], after: [] },
  ],
  deletion: ['us-9'],
  leftOut: [{ name: 'us-2', labels: {}, errors: ['in no stage'] }],
  shortestSeconds: 15,
};

test('what comes from the fleet is text in the page, never markup', () => {
  const page = planPage({ title: hostile, plan, findings: [] });
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(&#39;x&#39;)&quot;&gt;&amp;');
});

test('stages, gates, removal and clusters in no stage stand in the order of the rollout', () => {
  const page = planPage({ title: 'release', plan, findings: [] });
  const order = ['In no stage', '1. canary', 'after canary', 'before prod', '2. prod', 'Then remove', 'us-9'];
  const places = order.map((text) => page.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('a run without a plan says why', () => {
  const findings = [
    {
      rule: 'run-placement-exists',
      severity: 'deny',
      outcome: 'violated',
      path: '',
      message: 'no placement',
      fix: 'Make one.',
      retry: false,
    },
  ] as const;
  const page = planPage({ title: 'release', plan: undefined, findings });
  expect(page.replaceAll(/\s+/g, ' ')).toContain('Refused</strong> <code>run-placement-exists</code> no placement');
  expect(page).toContain('No plan can be made');
});

test('html takes text, numbers, html and lists of html', () => {
  expect(html`<p>${'<'}${1}${html`<b>${'&'}</b>`}${[html`<i></i>`, html`<i></i>`]}</p>`.text).toBe(
    '<p>&lt;1<b>&amp;</b><i></i><i></i></p>',
  );
});
