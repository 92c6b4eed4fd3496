import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Decision } from '../../src/engine/verdict.js';
import { fleetKeys } from '../../src/fleet/fleet-keys.js';
import { run as runCommand } from '../support/captured-io.js';
import { scopes } from '../support/scopes.js';
import { scratchFolder } from '../support/scratch.js';
import { annotate, judge, metadataOf, named, ofKind, readWorld, remove, type Json, type World } from './world.js';

/*
 * Worlds beside those that were driven: one thing is different, and what follows is known from the same functions of the
 * controller. Of each, what the guard must say and what it must not.
 */

interface Neighbour {
  readonly of: string;
  readonly edit: (world: World) => void;
  readonly decision: Decision;
  readonly says?: readonly string[];
  readonly silent?: readonly string[];
}

const specOf = (object: Json): Json => object['spec'] as Json;
const statusOf = (object: Json): Json => object['status'] as Json;
const run = (world: World, name = 'r1'): Json => named(world, name, 'UpdateRun');
const bindingsIn = (world: World): readonly Json[] => ofKind(world, 'ClusterResourceBinding');
const bindingOf = (world: World, cluster: string): Json => {
  const found = bindingsIn(world).find((binding) => specOf(binding)['targetCluster'] === cluster);
  if (found === undefined) throw new Error(`no binding of ${cluster}`);
  return found;
};
const condition = (type: string, status: string, reason = 'Reason'): Json => ({
  ...{ type, status, reason, message: '', observedGeneration: 1, lastTransitionTime: '2026-11-18T10:00:00Z' },
});
const clustersOf = (world: World, stage: number): Json[] => {
  const stages = statusOf(run(world))['stagesStatus'] as { clusters: Json[] }[];
  return stages[stage]?.clusters ?? [];
};

/** All clusters have a snapshot. */
const allHave =
  (index: string) =>
  (world: World): void => {
    for (const binding of bindingsIn(world)) specOf(binding)['resourceSnapshotName'] = `web-${index}-snapshot`;
  };

/** A second binding of a cluster, as of one that a policy names twice. */
function bindAgain(world: World, cluster: string, index: string): void {
  const again = structuredClone(bindingOf(world, cluster));
  (again['metadata'] as Json)['name'] = `web-${cluster}-0009`;
  specOf(again)['resourceSnapshotName'] = `web-${index}-snapshot`;
  world.fleet.push(again);
}

/** A run that takes the resources from c9, and has come so far with it. */
function removes(world: World, ...conditions: readonly Json[]): void {
  const clusters = [{ clusterName: 'c9', conditions: [...conditions] }];
  statusOf(run(world))['deletionStageStatus'] = {
    stageName: 'kubernetes-fleet.io/deleteStage',
    clusters,
  };
  const binding = structuredClone(bindingOf(world, 'c1'));
  (binding['metadata'] as Json)['name'] = 'web-c9-0001';
  Object.assign(specOf(binding), { targetCluster: 'c9', state: 'Unscheduled' });
  world.fleet.push(binding);
}

const resumed = '44-resume-after-other-run-finished';
const rolledOut = '44b-old-initialized-run-after-newer-rollout';
const mixes = ['run-resume-mixes-versions'];

const resumes: Readonly<Record<string, Neighbour>> = {
  'a third run has brought its cluster back to the snapshot of the run': {
    of: resumed,
    edit: allHave('0'),
    decision: 'admit',
    silent: [...mixes, 'run-rolls-back'],
  },
  'the other run is deleted, and its snapshot is still on the clusters': {
    of: resumed,
    edit: (world) => {
      remove(world, 'r2');
    },
    decision: 'refuse',
    says: mixes,
  },
  'the cluster was evicted, and picked again with nothing on it': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      specOf(bindingOf(world, 'c1'))['resourceSnapshotName'] = '';
    },
    decision: 'refuse',
    says: mixes,
  },
  'the cluster is bound twice, and one of the two is as the run left it': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      bindAgain(world, 'c1', '1');
    },
    decision: 'admit',
    silent: mixes,
  },
  'another run of the same snapshot has brought other overrides': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      specOf(bindingOf(world, 'c1'))['clusterResourceOverrideSnapshots'] = ['replicas-1'] as unknown as Json[];
    },
    decision: 'refuse',
    says: mixes,
  },
  'only clusters ahead have something newer': {
    of: resumed,
    edit: (world) => {
      specOf(bindingOf(world, 'c1'))['resourceSnapshotName'] = 'web-0-snapshot';
    },
    decision: 'admit',
    says: ['run-rolls-back'],
    silent: mixes,
  },
  'the cluster is gone, with its binding': {
    of: resumed,
    edit: (world) => {
      remove(world, 'web-c1-0001');
      remove(world, 'c1');
    },
    decision: 'refuse',
    says: ['run-plan-unchanged'],
    silent: [...mixes, 'run-rolls-back'],
  },
  'the run was in the middle of a stage when another run took its cluster': {
    of: resumed,
    edit: (world) => {
      specOf(bindingOf(world, 'c1'))['resourceSnapshotName'] = 'web-0-snapshot';
      for (const cluster of clustersOf(world, 1)) cluster['conditions'] = [condition('Started', 'True')];
    },
    decision: 'refuse',
    says: ['run-plan-unchanged'],
    silent: ['run-rolls-back'],
  },
  'a stage of the run has no clusters': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      const { stagedUpdateStrategySnapshot, stagesStatus } = statusOf(run(world)) as Record<string, unknown>;
      const none = { name: 'none', labelSelector: { matchLabels: { env: 'none' } } };
      (stagedUpdateStrategySnapshot as { stages: Json[] }).stages.splice(1, 0, none);
      (stagesStatus as Json[]).splice(1, 0, { stageName: 'none' });
    },
    decision: 'admit',
    silent: [...mixes, 'run-plan-unchanged'],
  },
  'the status of the run has lost the index, so that KubeFleet would roll out snapshot 0': {
    of: rolledOut,
    edit: (world) => {
      allHave('0')(world);
      delete statusOf(run(world))['resourceSnapshotIndexUsed'];
    },
    decision: 'refuse',
    says: ['run-plan-unchanged'],
  },
  'a wanted rollback, prepared when the newer snapshot was there': {
    of: rolledOut,
    edit: (world) => {
      for (const { metadata } of [world.change, run(world)]) {
        (metadata as Json)['creationTimestamp'] = '2026-11-18T11:00:00Z';
      }
    },
    decision: 'admit',
    silent: ['run-rolls-back'],
  },
  'a run without an index, prepared when the newer snapshot was there': {
    of: rolledOut,
    edit: (world) => {
      for (const object of [world.change, run(world)]) {
        (object['metadata'] as Json)['creationTimestamp'] = '2026-11-18T11:00:00Z';
        delete specOf(object)['resourceSnapshotIndex'];
      }
    },
    decision: 'admit',
    says: ['run-rolls-back'],
  },
  'a rollback by a new run with an explicit index': {
    of: rolledOut,
    edit: (world) => {
      world.change['metadata'] = { name: 'back' };
    },
    decision: 'admit',
    silent: ['run-rolls-back', ...mixes],
  },
  'a cluster that the run was removing was bound and given up again': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      removes(world, condition('Started', 'True'));
    },
    decision: 'refuse',
    says: ['run-plan-unchanged'],
  },
  'a cluster that the run is to remove has not been begun with': {
    of: resumed,
    edit: (world) => {
      allHave('0')(world);
      removes(world);
    },
    decision: 'admit',
    silent: ['run-plan-unchanged'],
  },
};

const stopping = (edit: (other: Json) => void): Pick<Neighbour, 'of' | 'edit'> => ({
  of: 'st4',
  edit: (world) => {
    edit(run(world));
  },
});
const beside = ['run-beside-stopping'];

const stops: Readonly<Record<string, Neighbour>> = {
  'the other run is being deleted': {
    ...stopping((other) => {
      (other['metadata'] as Json)['deletionTimestamp'] = '2026-11-18T11:00:00Z';
    }),
    decision: 'admit',
    silent: beside,
  },
  'the other run is of another placement': {
    ...stopping((other) => {
      specOf(other)['placementName'] = 'other';
    }),
    decision: 'admit',
    silent: beside,
  },
  'the other run was never initialized': {
    ...stopping((other) => {
      other['status'] = {};
    }),
    decision: 'admit',
    silent: beside,
  },
  'the other run goes on': {
    ...stopping((other) => {
      specOf(other)['state'] = 'Run';
    }),
    decision: 'refuse',
    says: ['run-placement-free'],
    silent: beside,
  },
};

const setIndex =
  (index: string | undefined) =>
  ({ change }: World): void => {
    if (index === undefined) delete specOf(change)['resourceSnapshotIndex'];
    else specOf(change)['resourceSnapshotIndex'] = index;
  };
const counted = (count: string, of = '06-no-hash-explicit'): Pick<Neighbour, 'of' | 'edit'> => ({
  of,
  edit: annotate('web-1-snapshot', { [fleetKeys.resourceHash]: 'h1', [fleetKeys.snapshotCount]: count }),
});
const exists = ['run-snapshot-exists'];

const snapshots: Readonly<Record<string, Neighbour>> = {
  'a snapshot that counts no parts': { ...counted('0'), decision: 'refuse', says: exists },
  'a snapshot that counts in words': { ...counted('one'), decision: 'refuse', says: exists },
  'a snapshot that counts as Go reads it': { ...counted('+1'), decision: 'admit', silent: exists },
  'an incomplete snapshot, and the run names another one': {
    of: '05-group-incomplete-explicit',
    edit: setIndex('0'),
    decision: 'admit',
    silent: exists,
  },
  'an incomplete snapshot, and the run names none: KubeFleet may complete it or make another': {
    of: '05-group-incomplete-explicit',
    edit: setIndex(undefined),
    decision: 'admit',
    says: exists,
  },
  'a snapshot that cannot be read, and the run names another one': {
    of: '07b-latest-without-hash-no-index',
    edit: setIndex('0'),
    decision: 'admit',
    silent: exists,
  },
  'the latest has lost its index': {
    of: '07b-latest-without-hash-no-index',
    edit: (world) => {
      annotate('web-1-snapshot', { [fleetKeys.resourceHash]: 'h1' })(world);
      Object.assign(metadataOf(world, 'web-1-snapshot')['labels'] as Json, { [fleetKeys.resourceIndex]: undefined });
    },
    decision: 'refuse',
    says: exists,
    silent: ['run-latest-snapshot'],
  },
  'the master is gone, and no cluster needs the snapshot any more': {
    of: '47-master-gone-subs-left',
    edit: (world) => {
      allHave('1')(world);
      for (const cluster of [0, 1, 2].flatMap((stage) => clustersOf(world, stage))) {
        cluster['conditions'] = [condition('Succeeded', 'True')];
      }
    },
    decision: 'admit',
    silent: ['run-plan-unchanged'],
  },
  'a run of an index takes no snapshot from under another': {
    of: 'f64',
    edit: setIndex('1'),
    decision: 'admit',
    silent: ['run-prunes-snapshot'],
  },
};

const starts: Readonly<Record<string, Neighbour>> = {
  'too many bindings when a run goes on': {
    of: '43-start-pickn-evicted-repicked',
    edit: (world) => {
      specOf(run(world))['state'] = 'Stop';
    },
    decision: 'retry',
    says: ['run-has-clusters'],
  },
  'too few bindings when a run starts': {
    of: '43-start-pickn-evicted-repicked',
    edit: (world) => {
      remove(world, 'web-c1-0001');
      remove(world, 'web-c2-0001');
    },
    decision: 'retry',
    says: ['run-has-clusters'],
  },
  'another number of clusters is asked for since': {
    of: '43-start-pickn-evicted-repicked',
    edit: annotate('web-0', { [fleetKeys.numberOfClusters]: '4' }),
    decision: 'refuse',
    says: ['run-plan-unchanged'],
  },
  'a pending run that is not set to Run': {
    of: '48-pending-run-strategy-gone',
    edit: (world) => {
      specOf(world.change)['state'] = specOf(run(world))['state'];
      (world.change['metadata'] as Json)['annotations'] = { note: 'changed' };
    },
    decision: 'admit',
    silent: ['run-strategy-exists'],
  },
  'a pending run that was created in state Stop': {
    of: '48-pending-run-strategy-gone',
    edit: (world) => {
      specOf(run(world))['state'] = 'Stop';
    },
    decision: 'refuse',
    says: ['run-strategy-exists'],
  },
  'a policy that asks for no cluster is scheduled, or will be': {
    of: 'pf0',
    edit: (world) => {
      specOf(named(world, 'web', 'Placement'))['policy'] = { placementType: 'PickN', numberOfClusters: 0 };
    },
    decision: 'retry',
    says: ['run-placement-scheduled'],
  },
  'a cluster that is named twice and bound once': {
    of: '04-pickfixed-dup-two-bindings',
    edit: (world) => {
      remove(world, 'web-c1-0002');
    },
    decision: 'refuse',
    says: ['run-has-clusters'],
  },
  'selectors that KubeFleet can never follow, which the placement itself holds': {
    of: '21-stale-invalid-selectors-no-index',
    edit: (world) => {
      const selector = { group: '', version: 'v1', kind: 'Namespace', name: 'kube-system' };
      specOf(named(world, 'web', 'Placement'))['resourceSelectors'] = [selector];
    },
    decision: 'refuse',
    says: ['run-placement-selectors'],
  },
  'a taint on a member that is listed twice': {
    of: 'dup',
    edit: (world) => {
      (world.change['metadata'] as Json)['labels'] = metadataOf(world, 'c2')['labels'];
      specOf(world.change)['taints'] = [{ key: 'a', value: 'b', effect: 'NoSchedule' }];
    },
    decision: 'admit',
    silent: ['member-cluster-in-use'],
  },
};

const all = { ...resumes, ...stops, ...snapshots, ...starts };

describe.each(Object.entries(all))('%s', (_title, { of, edit, decision, says = [], silent = [] }) => {
  test.each(scopes)('$name', (scope) => {
    const world = readWorld(of);
    edit(world);
    const verdict = judge(world, scope);
    expect(verdict).toMatchObject({ decision, errors: [] });
    expect(verdict.rules).toEqual(expect.arrayContaining([...says]));
    expect(verdict.rules.filter((rule) => silent.includes(rule))).toEqual([]);
  });
});

test.each([
  ['main', 'shortest possible duration: 15s'],
  ['v0.3.1', 'shortest possible duration: 1d 15s, and 1 approval'],
])('on KubeFleet %s the wait of a stage without clusters counts or not', async (version, duration) => {
  const config = join(scratchFolder(), 'config.yaml');
  writeFileSync(config, `kubefleet: {version: ${version}}\n`);
  const [change, fleet] = ['change', 'fleet'].map((file) => join(import.meta.dirname, 'es', `${file}.json`));
  const { code, out } = await runCommand(['plan', change ?? '', '--fleet', fleet ?? '', '--config', config]);
  expect(code).toBe(0);
  expect(out).toContain(duration);
});
