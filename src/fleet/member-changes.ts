import { fleetKeys, type MemberCluster, type PolicySnapshot, type UpdateRun } from './model.js';
import { picks, type Picking } from './picking.js';
import { clusterChanges, type PlanChange } from './plan-changes.js';
import { planStages } from './plan.js';
import { matcherOf } from './selector.js';

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
  /** All member clusters as they would be after the change. */
  readonly members: ReadonlyMap<string, MemberCluster>;
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
  const { change, run, snapshot } = input;
  const isThere = isPicked(change.name, input);
  const joins = isThere ? 'no' : joining(input);
  const isTouched = isThere ? isNoticed(input) : joins !== 'no';
  if (!isTouched || isOfOlderPolicy(run, snapshot)) return none;
  const had = pickedBy(run, snapshot);
  const leaves = change.after === undefined;
  const has = leaves ? had.filter((name) => name !== change.name) : [...new Set([...had, change.name])];
  const before = changesOf(input, { scheduled: had, member: change.before, removed: [] });
  if (before.length > 0) return none;
  const removed = leaves ? [change.name] : [];
  return {
    changes: changesOf(input, { scheduled: has, member: change.after, removed }),
    isCertain: joins !== 'perhaps',
  };
}

/** Asked for every run of a hub, of which most do not have the cluster: so no list is made for it. */
function isPicked(name: string, { run, snapshot }: MemberChangeInput): boolean {
  if (snapshot === undefined) return pickedBy(run, snapshot).includes(name);
  return snapshot.status.targetClusters.some(({ clusterName, selected }) => selected && clusterName === name);
}

function pickedBy({ status }: UpdateRun, snapshot: PolicySnapshot | undefined): readonly string[] {
  if (snapshot === undefined) {
    return (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName));
  }
  return snapshot.status.targetClusters.filter(({ selected }) => selected).map(({ clusterName }) => clusterName);
}

/**
 * A cluster that would have been taken before, and was not, is kept out by something that the change does not touch;
 * one that would perhaps have been taken, by its properties.
 */
function joining({ change: { before, after }, run, snapshot }: MemberChangeInput): Picking {
  if (snapshot === undefined || after === undefined) return 'no';
  const { policy } = snapshot.spec;
  const then = before === undefined ? 'no' : picks(policy, before);
  const now = picks(policy, after);
  const picking = then === 'yes' || then === now ? 'no' : now;
  // A namespaced placement takes a cluster only when its namespace is there (KubeFleet scheduler, plugin namespaceaffinity).
  return picking === 'yes' && run.metadata.namespace !== undefined ? 'perhaps' : picking;
}

/** Whether a stage can tell the difference; most labels mean nothing to a rollout. */
function isNoticed({ change: { before, after }, run }: MemberChangeInput): boolean {
  if (before === undefined || after === undefined) return true;
  const [then, now] = [before.metadata.labels, after.metadata.labels];
  const stages = run.status.stagedUpdateStrategySnapshot?.stages ?? [];
  return stages.some(({ labelSelector, sortingLabelKey: key }) => {
    const selects = matcherOf(labelSelector);
    return selects(then) !== selects(now) || (key !== undefined && then[key] !== now[key]);
  });
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
  const others = scheduled.filter((name) => name !== change.name).flatMap((name) => all.get(name) ?? []);
  const members = [...others, ...(member === undefined ? [] : [member])];
  const plan = planStages({ stages, scheduled, toDelete: removed, members });
  return clusterChanges({ run, plan, bindings: { scheduled, toDelete: removed, stale: [] } });
}
