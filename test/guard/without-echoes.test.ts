import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';

const strategy = (waitTime: string, more = '') => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: rings}
spec:
  stages:
  - {name: all, labelSelector: {}, afterStageTasks: [{type: TimedWait, waitTime: ${waitTime}}]${more}}
`;
const release = (name = 'rings') => `---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: release}
spec: {placementName: shop, stagedRolloutStrategyName: ${name}, state: Run}
`;

interface Told {
  readonly code: number;
  readonly told: readonly string[];
}

async function check(input: string, ...more: readonly string[]): Promise<Told> {
  const { code, out } = await run(['check', '-', '--format', 'json', ...more], { input });
  const { findings } = JSON.parse(out) as { findings: { rule: string; severity: string; outcome: string }[] };
  const violated = findings.filter(({ outcome }) => outcome === 'violated');
  return { code, told: violated.map(({ rule, severity }) => `${rule} ${severity}`) };
}

test('a strategy that is refused is not refused again in its run', async () => {
  expect(await check(strategy('0s') + release())).toEqual({ code: 1, told: ['strategy-wait-time deny'] });
});

test('the run is told what is wrong with a strategy that does not stand beside it', async () => {
  const other = strategy('0s').replace('name: rings', 'name: other');
  const [bad] = (await run(['check', 'examples/bad/run-strategy-valid.yaml', '--fleet', 'examples/fleet'])).out.split(
    'Fix',
  );
  expect(bad).toContain('[run-strategy-valid]');
  const text = readFileSync('examples/bad/run-strategy-valid.yaml', 'utf8');
  const { told } = await check(`${other}---\n${text}`, '--fleet', 'examples/fleet');
  expect(told).toEqual(expect.arrayContaining(['strategy-wait-time deny', 'run-strategy-valid deny']));
});

test('a plan of the run still says why there is none', async () => {
  const { code, out } = await run(['plan', '-'], { input: strategy('0s') + release() });
  expect(code).toBe(1);
  expect(out).toContain('[run-strategy-valid]');
});
