import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createCertificateMetrics } from '../../src/http/certificate-metrics.js';
import { hooks } from '../../src/http/hooks.js';
import { createMetrics } from '../../src/http/metrics.js';

const nothing = (): undefined => undefined;
const noCertificates = { serving: () => [], authority: nothing, configurations: nothing, now: () => 0 };
/** What prom-client keeps, and does not tell the compiler. */
interface Labelled {
  readonly labelNames: readonly string[];
}

const page = readFileSync('docs/http.md', 'utf8');

describe('docs/http.md', () => {
  test('names every metric, and no other', async () => {
    const { registry } = createMetrics();
    createCertificateMetrics(registry, noCertificates);
    const metrics = await registry.getMetricsAsJSON();
    const documented = [...page.matchAll(/`(stageguard_[a-z_]+)`/g)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(metrics.map(({ name }) => name).toSorted());
  });

  test('names the labels of every metric; none is for an object or a user, whose names anybody can choose', () => {
    const { registry } = createMetrics();
    createCertificateMetrics(registry, noCertificates);
    const rows = [...page.matchAll(/^\| `(stageguard_[a-z_]+)` \|([^|]*)\|/gm)];
    const documented = rows.map(([, name, labels = '']) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, it]) => it),
    ]);
    const labelsOf = (name = ''): unknown => (registry.getSingleMetric(name) as unknown as Labelled).labelNames;
    expect(documented).toEqual(rows.map(([, name]) => [name, labelsOf(name)]));
    expect(new Set(documented.flatMap(([, labels]) => labels))).toEqual(
      new Set([
        ...['endpoint', 'family', 'operation', 'decision', 'rule', 'severity', 'outcome', 'status'],
        ...['certificate', 'configuration', 'version', 'node'],
      ]),
    );
  });

  test('has a row for every webhook, with its failurePolicy and timeout, and no other', () => {
    const rows = [...page.matchAll(/^\| `([a-z.-]+\.stageguard\.io)` \|[^|]*\| (\w+) \| (\d+) s \|$/gm)];
    expect(rows.map(([, name, policy, seconds]) => [name, policy, Number(seconds)])).toEqual(
      hooks.map(({ name, failurePolicy, timeoutSeconds }) => [name, failurePolicy, timeoutSeconds]),
    );
  });
});
