import type { MemberCluster, PolicySnapshot, UpdateRun } from './model.js';
import { picks, type Picking } from './picking.js';
import { clusterChanges, type PlanChange } from './plan-changes.js';
import { planStages } from './plan.js';

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
  const had = pickedBy(run, snapshot);
  const joins = had.includes(change.name) ? 'no' : joining(change, snapshot);
  if (joins === 'no' && !had.includes(change.name)) return none;
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

function pickedBy({ status }: UpdateRun, snapshot: PolicySnapshot | undefined): readonly string[] {
  if (snapshot === undefined) {
    return (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName));
  }
  return snapshot.status.targetClusters.filter(({ selected }) => selected).map(({ clusterName }) => clusterName);
}

/** A cluster that would have been taken before, and was not, is kept out by something that the change does not touch. */
function joining({ before, after }: MemberChange, snapshot: PolicySnapshot | undefined): Picking {
  if (snapshot === undefined || after === undefined) return 'no';
  const { policy } = snapshot.spec;
  return before !== undefined && picks(policy, before) !== 'no' ? 'no' : picks(policy, after);
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
  const foreseen = run.status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName) ?? [];
  const toDelete = [...new Set([...foreseen, ...removed])];
  const plan = planStages({ stages, scheduled, toDelete, members });
  return clusterChanges({ run, plan, bindings: { scheduled, toDelete, stale: [] } });
}
