import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { scopes, type Scope } from '../support/scopes.js';
import type { Row } from './row.js';
import { snapshotWorlds } from './snapshot-worlds.js';
import { judge, ofKind, readWorld, remove, type Json, type World } from './world.js';

/** By folder. */
const worlds: Readonly<Record<string, Row>> = {
  ...snapshotWorlds,
  '43-start-pickn-evicted-repicked': {
    controller:
      'aborts the run: it counts four bindings where the policy asks for three, until the evicted one is gone',
    decision: 'retry',
    rules: ['run-has-clusters'],
    neighbour: 'the evicted binding is gone',
    repair: (world) => {
      remove(world, 'web-c1-0001');
    },
  },
  '44-resume-after-other-run-finished': {
    controller: 'lets the run succeed, with c1 on snapshot 1 and the others on 0',
    decision: 'refuse',
    rules: ['run-resume-mixes-versions'],
    neighbour: 'the other run has left the clusters alone',
    repair: (world) => {
      for (const binding of ofKind(world, 'ClusterResourceBinding')) {
        (binding['spec'] as Json)['resourceSnapshotName'] = 'web-0-snapshot';
      }
    },
  },
  '44b-old-initialized-run-after-newer-rollout': {
    controller: 'takes all clusters back to the older snapshot',
    decision: 'admit',
    rules: ['run-rolls-back'],
    neighbour: 'the clusters have the snapshot of the run',
    repair: (world) => {
      for (const binding of ofKind(world, 'ClusterResourceBinding')) {
        (binding['spec'] as Json)['resourceSnapshotName'] = 'web-0-snapshot';
      }
    },
  },
  'stopped-while-another-run-finished': {
    controller: 'lets the run succeed, with eu-stg-1 on snapshot 1 and the others on 0',
    decision: 'refuse',
    rules: ['run-resume-mixes-versions'],
    neighbour: 'the other run has left the clusters alone',
    repair: (world) => {
      for (const binding of ofKind(world, 'ClusterResourceBinding')) {
        const spec = binding['spec'] as Json;
        const name = spec['resourceSnapshotName'] as string;
        spec['resourceSnapshotName'] = name.replace('-1-snapshot', '-0-snapshot');
      }
    },
  },
  '48-pending-run-strategy-gone': {
    controller: 'fails the run: it was not initialized yet, and its strategy is gone',
    decision: 'refuse',
    rules: ['run-strategy-exists'],
    neighbour: 'the strategy is there',
    repair: ({ fleet }) => {
      fleet.push(...ofKind(readWorld('43-start-pickn-evicted-repicked'), 'ClusterStagedUpdateStrategy'));
    },
  },
  '48b-pending-run-bad-index-and-no-stage': {
    controller: 'fails the run: it was not initialized yet, its snapshot does not exist and a cluster is in no stage',
    decision: 'refuse',
    rules: ['run-snapshot-exists', 'run-cluster-in-some-stage'],
    neighbour: 'the snapshot exists, and the cluster has the label of a stage',
    repair: (world) => {
      for (const run of [world.change, ...ofKind(world, 'ClusterStagedUpdateRun')]) {
        (run['spec'] as Json)['resourceSnapshotIndex'] = '1';
      }
      for (const { metadata } of ofKind(world, 'MemberCluster')) {
        const member = metadata as Json;
        if (member['name'] === 'c1') member['labels'] = { env: 'staging' };
      }
    },
  },
  st3: {
    controller: 'lets both runs write to a cluster: one is stuck there and does not stop',
    decision: 'admit',
    rules: ['run-beside-stopping'],
    neighbour: 'the other run has stopped',
    repair: (world) => {
      hasStopped(world, 'r1');
    },
  },
  st4: {
    controller: 'lets both runs write to a cluster: one has not come to its stop yet',
    decision: 'admit',
    rules: ['run-beside-stopping'],
    neighbour: 'the other run has stopped',
    repair: (world) => {
      hasStopped(world, 'r1');
    },
  },
};

function hasStopped(world: World, name: string): void {
  const run = ofKind(world, 'ClusterStagedUpdateRun').find(({ metadata }) => (metadata as Json)['name'] === name);
  const { conditions } = run?.['status'] as { conditions: Json[] };
  for (const condition of conditions) {
    if (condition['type'] === 'Progressing') Object.assign(condition, { status: 'False', reason: 'UpdateRunStopped' });
  }
}

test('every folder has a row', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(worlds).sort());
});

describe.each(Object.entries(worlds))('%s', (folder, { controller, decision, rules, neighbour, repair, only }) => {
  const inScopes = scopes.filter(({ name }) => only === undefined || name === only);

  test.each(inScopes)(`where the controller ${controller}, $name`, (scope) => {
    const verdict = judge(readWorld(folder), scope);
    expect(verdict).toMatchObject({ decision, errors: [] });
    expect(verdict.rules).toEqual(expect.arrayContaining([...rules]));
  });

  test.each(inScopes)(`but where ${neighbour}, $name`, (scope) => {
    const world = readWorld(folder);
    repair(world);
    const verdict = judge(world, scope);
    expect(verdict).toMatchObject({ decision: 'admit', errors: [] });
    expect(verdict.rules.filter((rule) => rules.includes(rule))).toEqual([]);
  });
});

test('in cluster scope KubeFleet finds the parts of a snapshot, whatever overrides there are', () => {
  const [scope] = scopes;
  const verdict = judge(readWorld('f31-team-complete-an_unrelated_override'), scope as Scope);
  expect(verdict).toMatchObject({ decision: 'admit', errors: [] });
  expect(verdict.rules).not.toContain('run-snapshot-parts');
});
