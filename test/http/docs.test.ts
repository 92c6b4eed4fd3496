import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Registry } from 'prom-client';
import { createCertificateMetrics } from '../../src/http/certificate-metrics.js';
import { hooks } from '../../src/http/hooks.js';
import { createLiveMetrics } from '../../src/http/live-metrics.js';
import { createMetrics } from '../../src/http/metrics.js';

const nothing = (): undefined => undefined;
const noCertificates = { serving: () => [], authority: nothing, configurations: nothing, now: () => 0 };
/** What prom-client keeps, and does not tell the compiler. */
interface Labelled {
  readonly labelNames: readonly string[];
}

/** All metrics that there are, in one place. */
function registryOfAll(): Registry {
  const { registry } = createMetrics();
  createLiveMetrics(registry, {
    ages: () => [],
    isHubAgentConfirmed: () => false,
    kubefleet: () => ({ version: '', by: '' }),
  });
  createCertificateMetrics(registry, noCertificates);
  return registry;
}

const page = readFileSync('docs/http.md', 'utf8');

describe('docs/metrics.md', () => {
  const documented = [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(stageguard_[a-z_]+)` \|.*$/gm)];

  test('names every metric that a guard can have, and no other', async () => {
    const metrics = await registryOfAll().getMetricsAsJSON();
    expect(documented.map(([, name]) => name).toSorted()).toEqual(metrics.map(({ name }) => name).toSorted());
  });

  test('names the labels of every metric; none is for an object or a user, whose names anybody can choose', () => {
    const registry = registryOfAll();
    const labels = documented.map(([row, name]) => [name, [...row.matchAll(/`(\w+)`:/g)].map(([, it]) => it)]);
    const labelsOf = (name = ''): unknown => (registry.getSingleMetric(name) as unknown as Labelled).labelNames;
    expect(labels).toEqual(documented.map(([, name]) => [name, labelsOf(name)]));
    expect(new Set(labels.flatMap(([, names]) => names))).toEqual(
      new Set([
        ...['endpoint', 'family', 'operation', 'decision', 'rule', 'severity', 'outcome', 'status'],
        ...['certificate', 'configuration', 'version', 'node', 'scope', 'answered', 'how', 'by'],
      ]),
    );
  });
});

describe('docs/http.md', () => {
  test('has a row for every webhook, with its failurePolicy and timeout, and no other', () => {
    const rows = [...page.matchAll(/^\| `([a-z.-]+\.stageguard\.io)` \|[^|]*\| (\w+) \| (\d+) s \|$/gm)];
    expect(rows.map(([, name, policy, seconds]) => [name, policy, Number(seconds)])).toEqual(
      hooks.map(({ name, failurePolicy, timeoutSeconds }) => [name, failurePolicy, timeoutSeconds]),
    );
  });
});
