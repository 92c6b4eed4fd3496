import { fleetKeys } from './fleet-keys.js';
import type { PlacementPolicy, PolicySnapshot, StrategySpec, UpdateRun } from './model.js';
import { picks, type Likelihood } from './policy-picks.js';
import type { PlanChange } from './plan-changes.js';
import {
  clusterCount,
  sizeOf,
  strategyOf,
  type Effort,
  type MemberChange,
  type PlansOfChange,
} from './plans-of-change.js';
import { isUpdated } from './run.js';
import { matches } from './selector.js';
import { isOversize } from './strategy-size.js';

/** What a placement's scheduler has made of its clusters, for all of its runs alike. */
export interface Picked {
  /** The latest policy snapshot of the placement; without one, the clusters of the run itself count as picked. */
  readonly snapshot: PolicySnapshot | undefined;
  /** Whether that snapshot has picked the cluster of the change. */
  readonly isPicked: boolean;
  /** The clusters that the snapshot has picked, each once. */
  readonly clusters: () => readonly string[];
  /** Whether the cluster of the change would be picked by it, where it is not. */
  readonly joins: Likelihood;
}

export interface MemberChangeInput extends Picked {
  readonly change: MemberChange;
  readonly run: UpdateRun;
  /** Whether a stage of a strategy can tell the difference. */
  readonly isNoticed: (strategy: StrategySpec) => boolean;
  readonly plans: PlansOfChange;
}

/** What a change of a member cluster does to an initialized run, and whether that is certain. */
export interface MemberEffect {
  readonly changes: readonly PlanChange[];
  readonly isCertain: boolean;
}

const none: MemberEffect = { changes: [], isCertain: true };

/**
 * The plan of a run before and after a change of a member cluster, by what is known without its bindings. A run that has
 * been lost before is not lost by this change.
 */
export function memberEffect(input: MemberChangeInput): MemberEffect {
  const { run, snapshot } = input;
  // What is quick to tell comes first: there are thousands of runs.
  if (isOfOlderPolicy(run, snapshot)) return none;
  const isThere = hasCluster(input);
  if (!isThere && input.joins === 'no') return comingBack(input);
  const had = snapshot === undefined ? [...new Set(clustersOf(run))] : input.clusters();
  if (isCountedOtherwise(run, had)) return none;
  const strategy = strategyOf(run);
  if (isOversize(strategy) || (isThere && !input.isNoticed(strategy))) return none;
  return { changes: changesOf(input, had), isCertain: isThere || input.joins === 'yes' };
}

function changesOf({ run, plans }: MemberChangeInput, had: readonly string[]): readonly PlanChange[] {
  return plans.heldBefore(run, had) ? plans.changesAfter(run, had) : [];
}

function hasCluster({ change, run, snapshot, isPicked }: MemberChangeInput): boolean {
  return snapshot === undefined ? clustersOf(run).includes(change.name) : isPicked;
}

/** Each cluster is in one stage where a plan still holds: to count them shows of most lost runs that they are lost. */
function isCountedOtherwise({ status: { stagesStatus } }: UpdateRun, clusters: readonly string[]): boolean {
  return stagesStatus !== undefined && clusterCount(stagesStatus) !== clusters.length;
}

/**
 * A run takes its resources from the clusters that its placement has lost, and is aborted if one of them is bound again
 * (updaterun/execution.go). A policy that names clusters or counts them takes it back where it is short of one.
 */
function comingBack({ change: { name, before, after }, run, snapshot }: MemberChangeInput): MemberEffect {
  if (before !== undefined || after === undefined) return none;
  if (isOversize(strategyOf(run))) return none;
  const leaving = run.status.deletionStageStatus?.clusters ?? [];
  if (!leaving.some((cluster) => cluster.clusterName === name && !isUpdated(cluster))) return none;
  return mayTakeBack(name, snapshot?.spec.policy)
    ? { changes: [{ what: 'comes back', cluster: name }], isCertain: false }
    : none;
}

function mayTakeBack(name: string, policy: PlacementPolicy | undefined): boolean {
  return policy?.placementType === 'PickN' || policy?.clusterNames.includes(name) === true;
}

function clustersOf({ status }: UpdateRun): readonly string[] {
  return (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName));
}

/**
 * Whether the change makes a placement take the cluster. One that would have been taken before, and was not, is kept out
 * by something that the change does not touch; one that would perhaps have been taken, by its properties.
 */
function joining({ before, after }: MemberChange, snapshot: PolicySnapshot | undefined): Likelihood {
  if (snapshot === undefined || after === undefined) return 'no';
  const { policy } = snapshot.spec;
  const then = before === undefined ? 'no' : picks(policy, before);
  const now = picks(policy, after);
  const picking = then === 'yes' || then === now ? 'no' : now;
  // A namespaced placement takes a cluster only when its namespace is there (KubeFleet scheduler, plugin namespaceaffinity).
  return picking === 'yes' && snapshot.metadata.namespace !== undefined ? 'perhaps' : picking;
}

/** What the latest of the policy snapshots of a placement makes of its clusters. */
export function pickedBy(
  snapshots: readonly PolicySnapshot[],
  { change, effort }: Readonly<Record<'change', MemberChange> & Record<'effort', Effort>>,
): Picked {
  const snapshot = snapshots.find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
  const targets = snapshot?.status.targetClusters ?? [];
  const isPicked = targets.some(({ clusterName, selected }) => selected && clusterName === change.name);
  let known: readonly string[] | undefined;
  const clusters = (): readonly string[] => {
    if (known !== undefined) return known;
    effort.spent += targets.length / 4;
    // A policy may name a cluster twice, and then it is listed twice.
    known = [...new Set(targets.filter(({ selected }) => selected).map(({ clusterName }) => clusterName))];
    return known;
  };
  return { snapshot, clusters, isPicked, joins: isPicked ? 'no' : joining(change, snapshot) };
}

/** Whether a strategy has a stage that can tell the difference; most labels mean nothing to a rollout. */
export function noticing({ before, after }: MemberChange, effort: Effort): (strategy: StrategySpec) => boolean {
  if (before === undefined || after === undefined) return () => true;
  const [then, now] = [before.metadata.labels, after.metadata.labels];
  const known = new Map<StrategySpec, boolean>();
  return (strategy) => {
    const isKnown = known.get(strategy);
    if (isKnown !== undefined) return isKnown;
    const { requirements, values } = sizeOf(strategy);
    effort.spent += (requirements + values / 4) / 4;
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
