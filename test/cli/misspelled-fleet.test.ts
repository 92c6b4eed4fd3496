import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run, type Captured } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';
import { strategyText as strategy } from '../support/strategy-text.js';

const folder = scratchFolder();
const group = 'placement.kubernetes-fleet.io';
const manifest = `apiVersion: ${group}/v1beta1
kind: StagedUpdateStrategy
metadata: {name: rings, namespace: team-a}
spec: {stages: [{name: canary, labelSelector: {matchLabels: {ring: canary}}}]}
`;

async function checkWith(fleet: string): Promise<Captured> {
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, fleet);
  return run(['check', '-', '--fleet', file], { input: manifest });
}

test('a field that is not spelled right is a warning at its place, once for all objects that have it', async () => {
  const twice = [strategy('      maxConcurency: 1\n'), strategy('      maxConcurency: 2\n').replace('rings', 'waves')];
  const { code, err } = await checkWith(twice.join('---\n'));
  expect(err).toMatch(/^warning: .*fleet\.yaml:8:7: in the fleet: spec\.stages\[0\]\.maxConcurency: is not a field/);
  expect(err).toContain('did you mean "maxConcurrency"?');
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(code).toBe(0);
});

test('a kind that is not spelled right is a warning', async () => {
  const { code, err } = await checkWith(strategy('').replace('Strategy', 'Stratgey'));
  expect(err).toContain('did you mean "ClusterStagedUpdateStrategy"?');
  expect(code).toBe(0);
});

test('a wrong type is an error at its place', async () => {
  const { code, out } = await checkWith(strategy('').replace('{ring: canary}', '[ring]'));
  expect(out).toMatch(
    /fleet\.yaml:7:23: error: spec\.stages\[0\]\.labelSelector\.matchLabels: expected an object, found a list/,
  );
  expect(code).toBe(2);
});

test('what a newer KubeFleet may have is no fault', async () => {
  const { code, err } = await checkWith(
    strategy('      healthWindow: 5m\n').replace('spec:', 'spec:\n  pausedUntil: x'),
  );
  expect([code, err]).toEqual([0, '']);
});
