import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import {
  binding,
  cluster,
  placement,
  policySnapshot,
  resourceSnapshot,
  run,
  stage,
  strategy,
  type Draft,
} from '../support/builders.js';
import { run as stageguard } from '../support/captured-io.js';
import { jsonIn, scopes, type Scope } from '../support/scopes.js';
import { scratchFolder } from '../support/scratch.js';

const world: readonly Draft[] = [
  placement(),
  policySnapshot(),
  resourceSnapshot(2),
  ...['a', 'b', 'c'].map((name) => binding(name)),
  binding('gone', { state: 'Unscheduled' }),
  cluster('a', { ring: 'canary' }),
  cluster('b', { ring: 'prod' }),
  cluster('c', { ring: 'prod' }),
];
const rings = strategy(
  'rings',
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('prod', { maxConcurrency: '50%', beforeStageTasks: [{ type: 'Approval' }] }),
);
const release = run('release', { spec: { resourceSnapshotIndex: '2' } });

function fileWith(scope: Scope, drafts: readonly Draft[]): string {
  const file = join(scratchFolder(), 'objects.yaml');
  writeFileSync(file, drafts.map((draft) => stringify(jsonIn(scope, draft))).join('---\n'));
  return file;
}

describe.each(scopes)('plan, $name', (scope) => {
  const fleet = fileWith(scope, [...world, rings]);

  test('shows stages in order, pace, gates, removals and the shortest duration', async () => {
    const { code, out } = await stageguard(['plan', fileWith(scope, [release]), '--fleet', fleet]);
    expect(out).toContain(`${scope.kind('UpdateRun')} ${scope.namespace === undefined ? '' : 'team-a/'}release`);
    expect(out).toContain('1  canary  1         1        1        -         approval  a');
    expect(out).toContain('2  prod    2         1 (50%)  2        approval  -         b, c');
    expect(out).toContain('then the resources are deleted from gone');
    expect(out).toContain('shortest possible duration: 45s, and 2 approvals');
    expect(code).toBe(0);
  });

  test('tells programs what the controller would write', async () => {
    const { code, out } = await stageguard(['plan', fileWith(scope, [release]), '--fleet', fleet, '--format', 'json']);
    const { stages, deletion, findings } = JSON.parse(out) as {
      stages: unknown;
      deletion: unknown;
      findings: { rule: string }[];
    };
    expect(stages).toEqual([
      { name: 'canary', clusters: ['a'] },
      { name: 'prod', clusters: ['b', 'c'] },
    ]);
    expect(deletion).toEqual(['gone']);
    expect(findings.map(({ rule }) => rule)).toContain('run-removes-clusters');
    expect(code).toBe(0);
  });

  test('makes a page of its own', async () => {
    const { code, out } = await stageguard(['plan', fileWith(scope, [release]), '--fleet', fleet, '--format', 'html']);
    expect(out).toMatch(/^<!doctype html>/);
    expect(out).toContain('<h3>1. canary</h3>');
    expect(code).toBe(0);
  });

  test('takes a strategy that is not stored yet from the manifests', async () => {
    const stored = fileWith(scope, world);
    const { code, out } = await stageguard([
      'plan',
      fileWith(scope, [release, rings]),
      '--fleet',
      stored,
      '--format',
      'json',
    ]);
    expect((JSON.parse(out) as { stages: unknown[] }).stages).toHaveLength(2);
    expect(code).toBe(0);
  });

  test('exits with 1 where the run would be refused, and shows what there is', async () => {
    const short = strategy('rings', stage('canary'));
    const file = fileWith(scope, [release]);
    const { code, out } = await stageguard(['plan', file, '--fleet', fileWith(scope, [...world, short])]);
    expect(out).toContain('in no stage: b, c');
    expect(out).toContain('[run-cluster-in-some-stage]');
    expect(code).toBe(1);
  });

  test('says that no plan can be made without a placement', async () => {
    const { code, out } = await stageguard(['plan', fileWith(scope, [release]), '--fleet', fileWith(scope, [rings])]);
    expect(out).toContain('no plan can be made');
    expect(out).toContain('[run-placement-exists]');
    expect(code).toBe(1);
  });

  test('cannot plan without a fleet, and does not pass for a success', async () => {
    const { code, out } = await stageguard(['plan', fileWith(scope, [release, rings])]);
    expect(out).toContain('no plan can be made');
    expect(out).toContain('Give --fleet PATH, or --live');
    expect(code).toBe(2);
  });
});

describe.each(scopes)('a plan with a stage without clusters, $name', (scope) => {
  const gated = strategy(
    'rings',
    stage('canary'),
    stage('prod', { afterStageTasks: [{ type: 'TimedWait', waitTime: '24h' }, { type: 'Approval' }] }),
  );
  const fleet = fileWith(scope, [
    ...[placement(), policySnapshot(), resourceSnapshot(2), binding('a'), cluster('a', { ring: 'canary' })],
    gated,
  ]);
  const planned = async (version: string, format: string) => {
    const config = join(scratchFolder(), 'config.yaml');
    writeFileSync(config, `kubefleet: {version: ${version}}`);
    const args = ['plan', fileWith(scope, [release]), '--fleet', fleet, '--config', config, '--format', format];
    return (await stageguard(args)).out;
  };
  const held = 'its approvals and waits hold all the same';
  const skipped = 'KubeFleet skips its approvals and waits';

  test.each([
    ['v0.3.1', 'shortest possible duration: 1d 15s, and 1 approval\n', held],
    ['main', 'shortest possible duration: 15s\n', skipped],
    ['v0.9.0', 'shortest possible duration: 15s\n', skipped],
    [
      'auto',
      'shortest possible duration: 15s\n\nthe version of KubeFleet is not known: ',
      `${skipped} (v0.3.1 and older do not)`,
    ],
  ])('is made for %s', async (version, duration, consequence) => {
    const text = await planned(version, 'text');
    expect(text).toContain(duration);
    expect(text).toContain(consequence);
    const { findings } = JSON.parse(await planned(version, 'json')) as { findings: { message: string }[] };
    expect(findings.some(({ message }) => message.endsWith(consequence))).toBe(true);
    const page = await planned(version, 'html');
    expect(page).toMatch(version === 'v0.3.1' ? /<dd>1d 15s, and 1 approval<\/dd>/ : /<dd>15s<\/dd>/);
    expect(page).toContain(
      version === 'v0.3.1' ? 'No cluster; its approvals' : 'No cluster: the stage is passed over.',
    );
    expect(page.includes('version of KubeFleet is not known')).toBe(version === 'auto');
  });
});

const [clusterScope] = scopes;

test.each([
  ['no run', [rings], 'there is no run to plan'],
  ['two runs', [release, run('another')], 'there are 2 runs'],
])('plan needs one run: %s', async (_, drafts, text) => {
  const { code, err } = await stageguard(['plan', fileWith(clusterScope as Scope, drafts)]);
  expect(err).toContain(text);
  expect(code).toBe(2);
});

test('plan names the file that it cannot read', async () => {
  const { code, err } = await stageguard(['plan', '/does/not/exist.yaml']);
  expect(err).toContain('/does/not/exist.yaml');
  expect(code).toBe(2);
});
