import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { areClustersAsPlanned, clusterChanges, planChanges, type PlanChange } from '../../src/fleet/plan-changes.js';
import { memberIn } from '../../src/fleet/members-by-name.js';
import { planStages } from '../../src/fleet/plan.js';
import { schedulingOf, sortBindings } from '../../src/fleet/scheduling.js';
import { SnapshotGroups } from '../../src/fleet/snapshot-group.js';
import { arbitraryFleet, arbitraryLabels, type ArbitraryFleet } from '../support/arbitrary-fleet.js';
import { binding, cluster, condition, placement, policySnapshot, resourceSnapshot, run } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;
const [scope] = scopes as readonly [(typeof scopes)[number]];
const shop = objectIn(scope, placement());
const snapshot = objectIn(scope, policySnapshot());

function planOf({ members, bindings, strategy }: ArbitraryFleet): ReturnType<typeof planStages> {
  return planStages({
    stages: objectIn(scope, strategy).spec.stages,
    ...sorted(bindings),
    memberOf: memberIn(members.map((draft) => objectIn(scope, draft))),
  });
}

function sorted(bindings: ArbitraryFleet['bindings']): ReturnType<typeof sortBindings> {
  return sortBindings(
    bindings.map((draft) => objectIn(scope, draft)),
    snapshot,
  );
}

/** The status that the controller would write for a fleet. */
function statusFor(fleet: ArbitraryFleet): Json {
  const plan = planOf(fleet);
  const entry = (stageName: string, clusters: readonly string[]): Json => ({
    stageName,
    clusters: clusters.map((clusterName) => ({ clusterName })),
  });
  return {
    policySnapshotIndexUsed: '0',
    policyObservedClusterCount: sorted(fleet.bindings).scheduled.length,
    resourceSnapshotIndexUsed: '0',
    stagedUpdateStrategySnapshot: { stages: fleet.stages },
    stagesStatus: plan.stages.map(({ stage, clusters }) => entry(stage.name, clusters)),
    deletionStageStatus: entry('kubernetes-fleet.io/deleteStage', plan.deletion),
    conditions: [condition('Initialized', 'True')],
  };
}

function changesIn(fleet: ArbitraryFleet, status: Json, snapshots = [resourceSnapshot(0)]): readonly PlanChange[] {
  const scheduling = schedulingOf(shop, [snapshot]);
  if (scheduling.is !== 'scheduled') throw new Error('not scheduled');
  return planChanges({
    run: objectIn(scope, run('release', { status })),
    placement: shop,
    scheduling,
    bindings: sorted(fleet.bindings),
    plan: planOf(fleet),
    snapshots: new SnapshotGroups(
      'shop',
      snapshots.map((draft) => objectIn(scope, draft)),
    ),
  });
}

/** Fleets that the controller would have initialized a run for. */
const soundFleet = arbitraryFleet.filter((fleet) => {
  const { inNoStage, inSeveralStages, unsortable } = planOf(fleet);
  return fleet.bindings.length > 0 && inNoStage.length + inSeveralStages.length + unsortable.length === 0;
});

describe('since a run was initialized', () => {
  test('nothing has changed in a fleet that is as it was, in whatever order it is told', () => {
    fc.assert(
      fc.property(soundFleet, (fleet) => {
        const turned = { ...fleet, members: fleet.members.toReversed(), bindings: fleet.bindings.toReversed() };
        expect(changesIn(turned, statusFor(fleet))).toEqual([]);
      }),
    );
  });

  test('a cluster that the placement has not picked changes nothing', () => {
    fc.assert(
      fc.property(soundFleet, arbitraryLabels, (fleet, labels) => {
        const grown = { ...fleet, members: [...fleet.members, cluster('another', labels)] };
        expect(changesIn(grown, statusFor(fleet))).toEqual([]);
      }),
    );
  });

  test('a cluster that the placement has picked meanwhile is always told, and once', () => {
    fc.assert(
      fc.property(soundFleet, arbitraryLabels, (fleet, labels) => {
        const grown = {
          ...fleet,
          members: [...fleet.members, cluster('another', labels)],
          bindings: [...fleet.bindings, binding('another')],
        };
        const told = changesIn(grown, statusFor(fleet)).filter(
          ({ what }) => what !== 'sorting label' && what !== 'cluster count',
        );
        expect(told).toHaveLength(1);
        expect(JSON.stringify(told)).toContain('"another"');
      }),
    );
  });

  test('a cluster that the placement has dropped meanwhile is always told, and once', () => {
    fc.assert(
      fc.property(soundFleet, (fleet) => {
        const [name] = sorted(fleet.bindings).scheduled;
        if (name === undefined) return;
        const bindings = fleet.bindings.map((each) =>
          each.json['metadata'] === undefined || !JSON.stringify(each.json).includes(`"${name}"`)
            ? each
            : binding(name, { state: 'Unscheduled' }),
        );
        expect(changesIn({ ...fleet, bindings }, statusFor(fleet))).toEqual([{ what: 'removal', clusters: [name] }]);
      }),
    );
  });

  test('whether clusters are as planned is told alike, quickly and at length', () => {
    fc.assert(
      fc.property(soundFleet, arbitraryFleet, fc.nat({ max: 3 }), (before, now, kind) => {
        const fleets = [before, { ...before, members: now.members }, { ...now, stages: before.stages }, now];
        const fleet = fleets[kind] ?? before;
        const initialized = objectIn(scope, run('release', { status: statusFor(before) }));
        const plan = planOf(fleet);
        const changes = clusterChanges({
          run: initialized,
          plan,
          bindings: { scheduled: [], toDelete: [], stale: [] },
        });
        expect(areClustersAsPlanned(initialized, plan)).toBe(changes.length === 0);
      }),
    );
  });

  test('a snapshot that is gone is told, whatever else there is', () => {
    fc.assert(
      fc.property(soundFleet, (fleet) => {
        // A run that only takes resources away needs none.
        const isNeeded = planOf(fleet).stages.some(({ clusters }) => clusters.length > 0);
        expect(changesIn(fleet, statusFor(fleet), [resourceSnapshot(1)])).toEqual(
          isNeeded ? [{ what: 'snapshot', index: '0', problem: { is: 'missing' } }] : [],
        );
      }),
    );
  });
});
