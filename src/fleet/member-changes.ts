import {
  fleetKeys,
  type MemberCluster,
  type PlacementPolicy,
  type PolicySnapshot,
  type StrategySpec,
  type UpdateRun,
} from './model.js';
import { picks, type Likelihood } from './policy-picks.js';
import { clusterChanges, type PlanChange } from './plan-changes.js';
import { planStages } from './plan.js';
import { isUpdated } from './run.js';
import { matches } from './selector.js';
import { isOversize } from './strategy-size.js';

/** A member cluster that joins, changes or leaves. */
export interface MemberChange {
  readonly name: string;
  readonly before: MemberCluster | undefined;
  readonly after: MemberCluster | undefined;
}

export interface MemberChangeInput {
  readonly change: MemberChange;
  readonly run: UpdateRun;
  /** The latest policy snapshot of the run's placement; without one, the clusters of the run itself count as picked. */
  readonly snapshot: PolicySnapshot | undefined;
  /** Whether that snapshot has picked the cluster. */
  readonly isPicked: boolean;
  /** All member clusters as they would be after the change. */
  readonly members: ReadonlyMap<string, MemberCluster>;
  /** Whether a stage of a strategy can tell the difference. */
  readonly isNoticed: (strategy: StrategySpec) => boolean;
}

/** What a change of a member cluster does to an initialized run, and whether that is certain. */
export interface MemberEffect {
  readonly changes: readonly PlanChange[];
  readonly isCertain: boolean;
  /** Whether plans were made to find out. */
  readonly isPlanned: boolean;
}

const noStages: StrategySpec = { stages: [] };
const none: MemberEffect = { changes: [], isCertain: true, isPlanned: false };

/**
 * The plan of a run before and after a change of a member cluster, by what is known without its bindings. A run that has
 * been lost before is not lost by this change.
 */
export function memberEffect(input: MemberChangeInput): MemberEffect {
  const { run, snapshot } = input;
  const strategy = run.status.stagedUpdateStrategySnapshot;
  if (strategy !== undefined && isOversize(strategy)) return none;
  if (isOfOlderPolicy(run, snapshot)) return none;
  const isThere = hasCluster(input);
  const joins = isThere ? 'no' : joining(input);
  if (!isThere && joins === 'no') return comingBack(input);
  if (isThere && !input.isNoticed(strategy ?? noStages)) return none;
  return planEffect(input, joins !== 'perhaps');
}

function hasCluster({ change, run, snapshot, isPicked }: MemberChangeInput): boolean {
  return snapshot === undefined ? pickedBy(run, snapshot).includes(change.name) : isPicked;
}

function planEffect(input: MemberChangeInput, isCertain: boolean): MemberEffect {
  const { change, run, snapshot } = input;
  const had = pickedBy(run, snapshot);
  const leaves = change.after === undefined;
  const has = leaves ? had.filter((name) => name !== change.name) : [...new Set([...had, change.name])];
  const before = changesOf(input, { scheduled: had, member: change.before, removed: [] });
  if (before.length > 0) return { ...none, isPlanned: true };
  const removed = leaves ? [change.name] : [];
  return {
    changes: changesOf(input, { scheduled: has, member: change.after, removed }),
    isCertain,
    isPlanned: true,
  };
}

/**
 * A run takes its resources from the clusters that its placement has lost, and is aborted if one of them is bound again
 * (updaterun/execution.go). A policy that names clusters or counts them takes it back where it is short of one.
 */
function comingBack({ change: { name, before, after }, run, snapshot }: MemberChangeInput): MemberEffect {
  if (before !== undefined || after === undefined) return none;
  const leaving = run.status.deletionStageStatus?.clusters ?? [];
  if (!leaving.some((cluster) => cluster.clusterName === name && !isUpdated(cluster))) return none;
  return mayTakeBack(name, snapshot?.spec.policy)
    ? { changes: [{ what: 'comes back', cluster: name }], isCertain: false, isPlanned: false }
    : none;
}

function mayTakeBack(name: string, policy: PlacementPolicy | undefined): boolean {
  return policy?.placementType === 'PickN' || policy?.clusterNames.includes(name) === true;
}

function pickedBy({ status }: UpdateRun, snapshot: PolicySnapshot | undefined): readonly string[] {
  if (snapshot === undefined) {
    return (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName));
  }
  const { targetClusters } = snapshot.status;
  // A policy may name a cluster twice, and then it is listed twice.
  return [...new Set(targetClusters.filter(({ selected }) => selected).map(({ clusterName }) => clusterName))];
}

/**
 * A cluster that would have been taken before, and was not, is kept out by something that the change does not touch;
 * one that would perhaps have been taken, by its properties.
 */
function joining({ change: { before, after }, run, snapshot }: MemberChangeInput): Likelihood {
  if (snapshot === undefined || after === undefined) return 'no';
  const { policy } = snapshot.spec;
  const then = before === undefined ? 'no' : picks(policy, before);
  const now = picks(policy, after);
  const picking = then === 'yes' || then === now ? 'no' : now;
  // A namespaced placement takes a cluster only when its namespace is there (KubeFleet scheduler, plugin namespaceaffinity).
  return picking === 'yes' && run.metadata.namespace !== undefined ? 'perhaps' : picking;
}

/** Whether a strategy has a stage that can tell the difference; most labels mean nothing to a rollout. */
export function noticing({ before, after }: MemberChange): (strategy: StrategySpec) => boolean {
  if (before === undefined || after === undefined) return () => true;
  const [then, now] = [before.metadata.labels, after.metadata.labels];
  const known = new Map<StrategySpec, boolean>();
  return (strategy) => {
    const isKnown = known.get(strategy);
    if (isKnown !== undefined) return isKnown;
    const isNoticed = strategy.stages.some(
      ({ labelSelector, sortingLabelKey: key }) =>
        matches(labelSelector, then) !== matches(labelSelector, now) || (key !== undefined && then[key] !== now[key]),
    );
    known.set(strategy, isNoticed);
    return isNoticed;
  };
}

/** Such a run is lost by the edit of its placement. */
function isOfOlderPolicy({ status }: UpdateRun, snapshot: PolicySnapshot | undefined): boolean {
  const { policySnapshotIndexUsed: used } = status;
  return used !== undefined && snapshot !== undefined && snapshot.metadata.labels[fleetKeys.policyIndex] !== used;
}

interface Situation {
  readonly scheduled: readonly string[];
  /** The cluster of the change as it is in this situation. */
  readonly member: MemberCluster | undefined;
  readonly removed: readonly string[];
}

function changesOf(
  { change, run, members: all }: MemberChangeInput,
  { scheduled, member, removed }: Situation,
): readonly PlanChange[] {
  const stages = run.status.stagedUpdateStrategySnapshot?.stages ?? [];
  const memberOf = (name: string): MemberCluster | undefined => (name === change.name ? member : all.get(name));
  const plan = planStages({ stages, scheduled, toDelete: removed, memberOf });
  return clusterChanges({ run, plan, bindings: { scheduled, toDelete: removed, stale: [] } });
}
