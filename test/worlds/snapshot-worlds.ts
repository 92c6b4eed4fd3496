import { fleetKeys } from '../../src/fleet/fleet-keys.js';
import { annotate, metadataOf, named, readWorld, remove, type Json, type World } from './world.js';
import type { Row } from './row.js';

const setSpec =
  (fields: Json) =>
  ({ change }: World): void => {
    change['spec'] = { ...(change['spec'] as Json), ...fields };
  };

/** Runs keep what they were created with. */
const keepIndex = (world: World): void => {
  const stored = named(world, 'r1', 'UpdateRun');
  (world.change['spec'] as Json)['resourceSnapshotIndex'] = (stored['spec'] as Json)['resourceSnapshotIndex'];
};

const whole = annotate('web-1-snapshot', { [fleetKeys.snapshotCount]: '1' });
const hashed = annotate('web-1-snapshot', { [fleetKeys.resourceHash]: 'h1' });

const withoutPart = (world: World): void => {
  remove(world, 'web-1-0');
  whole(world);
};

/** What became of snapshots, and of what else the recordings are silent about. */
export const snapshotWorlds: Readonly<Record<string, Row>> = {
  '04-pickfixed-dup-two-bindings': {
    controller: 'initializes the run: a cluster that is named twice is bound twice',
    decision: 'admit',
    rules: ['run-has-clusters'],
    neighbour: 'each cluster is named once and bound once',
    repair: (world) => {
      remove(world, 'web-c1-0002');
      for (const object of [named(world, 'web', 'Placement'), named(world, 'web-0')]) {
        ((object['spec'] as Json)['policy'] as Json)['clusterNames'] = JSON.parse('["c1"]') as Json;
      }
    },
  },
  '05-group-incomplete-explicit': {
    controller: 'never makes the work of a snapshot that has lost parts',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has no other part',
    repair: whole,
  },
  '06-no-hash-explicit': {
    controller: 'fails the run of a snapshot without a hash',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has one',
    repair: hashed,
  },
  '07-master-deleted-subs-left-no-index': {
    controller: 'tries for ever to read the latest snapshot, which has lost its master',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'nothing is left of it',
    repair: (world) => {
      remove(world, 'web-1-0');
    },
  },
  '07b-latest-without-hash-no-index': {
    controller: 'tries for ever to read the latest snapshot, which has no hash',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has one',
    repair: hashed,
  },
  '07c-latest-without-count-no-index': {
    controller: 'tries for ever to read the latest snapshot, which has no count',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has one',
    repair: whole,
  },
  '110-sorting-key-impossible': {
    controller: 'fails every run with a cluster in a stage that sorts by what no label can be',
    decision: 'refuse',
    rules: ['strategy-sorting-key'],
    neighbour: 'it can be one',
    repair: setSpec({ stages: [{ name: 'a', labelSelector: {}, sortingLabelKey: 'order' }] }),
  },
  '111-stage-name-hyphen': {
    controller: 'is not asked: the API refuses a hyphen in the name of a stage',
    decision: 'refuse',
    rules: ['manifest-invalid-value'],
    neighbour: 'there is none',
    repair: setSpec({ stages: [{ name: 'prod1', labelSelector: {} }] }),
  },
  '112-sorting-key-selected-nonnumber': {
    controller: 'fails every run with a cluster in a stage that binds its sorting label to no number',
    decision: 'refuse',
    rules: ['strategy-sorting-key'],
    neighbour: 'it is bound to a number',
    repair: setSpec({ stages: [{ name: 'a', labelSelector: { matchLabels: { env: '1' } }, sortingLabelKey: 'env' }] }),
  },
  '21-stale-invalid-selectors-no-index': {
    controller: 'selects the resources anew, whatever the placement said of its selectors earlier',
    decision: 'admit',
    rules: ['run-placement-selectors'],
    neighbour: 'the placement said nothing',
    repair: (world) => {
      named(world, 'web', 'Placement')['status'] = {};
    },
  },
  '47-master-gone-subs-left': {
    controller: 'asks for the master of the snapshot by its name, and it is gone',
    decision: 'refuse',
    rules: ['run-plan-unchanged'],
    neighbour: 'it is there',
    repair: (world) => {
      const metadata = metadataOf(world, 'web-1-0');
      metadata['name'] = 'web-1-snapshot';
      metadata['annotations'] = { [fleetKeys.resourceHash]: 'h1', [fleetKeys.snapshotCount]: '1' };
    },
  },
  '47b-sub-gone-master-left': {
    controller: 'never makes the work of a snapshot that has lost a part',
    decision: 'refuse',
    rules: ['run-plan-unchanged'],
    neighbour: 'it has no other part',
    repair: whole,
  },
  '55-index-added-over-empty': {
    controller: 'is not asked: the API refuses an index where the hub agent has stored none',
    decision: 'refuse',
    rules: ['run-fixed-fields'],
    neighbour: 'the index stays',
    repair: keepIndex,
  },
  '56b-index-emptied': {
    controller: 'is not asked: the API refuses to take the index away',
    decision: 'refuse',
    rules: ['run-fixed-fields'],
    neighbour: 'the index stays',
    repair: keepIndex,
  },
  dup: {
    controller: 'aborts the run whose cluster leaves its stage, beside one that is listed twice',
    decision: 'admit',
    rules: ['member-cluster-in-use'],
    neighbour: 'the cluster keeps its labels',
    repair: (world) => {
      (world.change['metadata'] as Json)['labels'] = metadataOf(world, 'c2')['labels'];
    },
  },
  es: {
    controller: 'skips a stage without clusters, and its wait with it; up to v0.3.1 it waits',
    decision: 'admit',
    rules: ['run-empty-stage'],
    neighbour: 'every stage has clusters',
    repair: (world) => {
      (named(world, 'rings')['spec'] as Json)['stages'] = [{ name: 'all', labelSelector: {} }];
    },
  },
  'f31-cluster-part_missing-an_unrelated_override': {
    controller: 'fails the run of a snapshot that has lost a part',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has no other part',
    repair: whole,
  },
  'f31-team-complete-an_unrelated_override': {
    controller: 'looks for the parts of the snapshot in cluster scope, because there is an override, and fails the run',
    decision: 'refuse',
    rules: ['run-snapshot-parts'],
    neighbour: 'the snapshot is in one part',
    repair: withoutPart,
    only: 'namespaced',
  },
  'f31-team-complete-no_override': {
    controller: 'initializes the run, but would not if there were an override',
    decision: 'admit',
    rules: ['run-snapshot-parts'],
    neighbour: 'the snapshot is in one part',
    repair: withoutPart,
    only: 'namespaced',
  },
  'f31-team-part_missing-no_override': {
    controller: 'never makes the work of a snapshot that has lost a part',
    decision: 'refuse',
    rules: ['run-snapshot-exists'],
    neighbour: 'it has no other part',
    repair: whole,
  },
  f64: {
    controller: 'removes the snapshot that an initialized run still has to roll out',
    decision: 'admit',
    rules: ['run-prunes-snapshot'],
    neighbour: 'the placement keeps more snapshots',
    repair: (world) => {
      (named(world, 'web', 'Placement')['spec'] as Json)['revisionHistoryLimit'] = 2;
    },
  },
  na: {
    controller: 'does not ask what the placement may report of its namespaces',
    decision: 'admit',
    rules: ['run-placement-selectors'],
    neighbour: 'the placement said nothing of its selectors, and is scheduled as it is',
    repair: (world) => {
      named(world, 'web', 'Placement')['status'] = {};
      metadataOf(world, 'web', 'Placement')['generation'] = 1;
    },
  },
  ovs: {
    controller: 'rolls it out as long as no cluster is in two stages; the guard is stricter',
    decision: 'refuse',
    rules: ['strategy-stages-disjoint'],
    neighbour: 'no cluster ever can be',
    repair: setSpec({
      stages: [
        { name: 'a', labelSelector: { matchLabels: { env: 'staging' } } },
        { name: 'b', labelSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['staging'] }] } },
      ] as unknown as Json[],
    }),
  },
  pf0: {
    controller: 'refuses for ever: the scheduler passes over a list without a name',
    decision: 'refuse',
    rules: ['run-placement-scheduled'],
    neighbour: 'the policy takes all clusters, and they are bound',
    repair: ({ fleet }) => {
      fleet.splice(0, fleet.length, ...readWorld('21-stale-invalid-selectors-no-index').fleet);
    },
  },
};
