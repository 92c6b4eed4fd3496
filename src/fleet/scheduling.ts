import { fleetKeys } from './fleet-keys.js';
import { conditionOf, type Binding, type Condition, type Placement, type PolicySnapshot } from './model.js';
import { selectionProblems } from './resource-selection.js';

/** Why a placement's scheduling will not do, and will not heal by waiting. */
export type SchedulingProblem =
  'bad selectors' | 'no names' | 'several latest' | 'no index' | 'no count' | 'unfulfilled';

/** What the scheduler has made of a placement (KubeFleet updaterun/initialization.go determinePolicySnapshot). */
export type Scheduling =
  | {
      readonly is: 'scheduled';
      readonly snapshot: PolicySnapshot;
      readonly index: string;
      readonly clusterCount?: number;
    }
  | { readonly is: 'settling'; readonly what: string }
  | { readonly is: 'broken'; readonly problem: SchedulingProblem; readonly snapshots: readonly PolicySnapshot[] };

/** Judges the policy snapshots of a placement; the latest of them carries a label that says so. */
export function schedulingOf(placement: Placement, snapshots: readonly PolicySnapshot[]): Scheduling {
  const scheduling = schedulingNow(placement, snapshots);
  return scheduling.is === 'settling' && namesNone(placement)
    ? { is: 'broken', problem: 'no names', snapshots: [] }
    : scheduling;
}

/** The scheduler passes over a list without a name and never says so. */
function namesNone({ spec: { policy } }: Placement): boolean {
  return policy?.placementType === 'PickFixed' && policy.clusterNames.length === 0;
}

function schedulingNow(placement: Placement, snapshots: readonly PolicySnapshot[]): Scheduling {
  const latest = snapshots.filter((snapshot) => snapshot.metadata.labels[fleetKeys.isLatest] === 'true');
  const [snapshot, another] = latest;
  if (snapshot === undefined) {
    const isHeldUp = selectionProblems(placement).length > 0 || badSelectorsOf(placement) !== undefined;
    if (isHeldUp) return { is: 'broken', problem: 'bad selectors', snapshots: [] };
    return { is: 'settling', what: 'the scheduler has not taken it up yet' };
  }
  if (another !== undefined) return { is: 'broken', problem: 'several latest', snapshots: latest };
  return schedulingBy(snapshot, placement);
}

function schedulingBy(snapshot: PolicySnapshot, placement: Placement): Scheduling {
  const problem = (problem: SchedulingProblem): Scheduling => ({ is: 'broken', problem, snapshots: [snapshot] });
  const index = snapshot.metadata.labels[fleetKeys.policyIndex] ?? '';
  if (index === '') return problem('no index');
  const clusterCount = clusterCountOf(snapshot);
  if (clusterCount === 'missing') return problem('no count');
  const lag = lagOf(snapshot, placement);
  if (lag !== undefined) return { is: 'settling', what: lag };
  if (conditionOf(snapshot.status.conditions, 'Scheduled')?.status !== 'True') return problem('unfulfilled');
  return { is: 'scheduled', snapshot, index, ...(clusterCount !== undefined && { clusterCount }) };
}

/** How many clusters the policy asks for; undefined where it takes all that fit. */
function clusterCountOf(snapshot: PolicySnapshot): number | undefined | 'missing' {
  const policy = snapshot.spec.policy;
  if (policy?.placementType === 'PickFixed') return policy.clusterNames.length;
  if (policy?.placementType !== 'PickN') return undefined;
  const text = snapshot.metadata.annotations[fleetKeys.numberOfClusters] ?? '';
  return /^\+?\d+$/.test(text) ? Number(text) : 'missing';
}

/** What the scheduler still has to do before its answer is about the placement as it is now. */
function lagOf(snapshot: PolicySnapshot, placement: Placement): string | undefined {
  const scheduled = conditionOf(snapshot.status.conditions, 'Scheduled');
  const generation = snapshot.metadata.generation ?? 0;
  if (scheduled === undefined) return 'the scheduler has not picked its clusters yet';
  if ((scheduled.observedGeneration ?? 0) !== generation) return 'the scheduler has not seen its newest policy yet';
  return isBehind(snapshot, placement) ? 'the scheduler has not seen its last change yet' : undefined;
}

function isBehind(snapshot: PolicySnapshot, placement: Placement): boolean {
  // With bad resource selectors KubeFleet leaves the policy snapshot as it is, and runs go by it.
  if (badSelectorsOf(placement) !== undefined) return false;
  const wanted = placement.metadata.generation ?? 0;
  const annotated = Number(snapshot.metadata.annotations[fleetKeys.placementGeneration] ?? wanted);
  const observed = snapshot.status.observedCRPGeneration ?? wanted;
  return annotated < wanted || observed < wanted;
}

/**
 * What KubeFleet says of resource selectors that it cannot follow, about the placement as it is now. It says so in the
 * condition about scheduling, and goes no further (placement/controller.go handleUpdate). It looks again only after half
 * an hour, while a run selects the resources anew; and some of it does not concern runs at all.
 */
export function badSelectorsOf({ kind, metadata, status }: Placement): Condition | undefined {
  const scheduled = conditionOf(status.conditions, `${kind}Scheduled`);
  if (scheduled?.status !== 'False' || scheduled.reason !== 'InvalidResourceSelectors') return undefined;
  return scheduled.observedGeneration === metadata.generation ? scheduled : undefined;
}

/** The bindings of a placement by what a run does with them (updaterun/initialization.go collectScheduledClusters). */
export interface Bindings {
  /** Clusters that a run updates, sorted. */
  readonly scheduled: readonly string[];
  /** Clusters that a run takes the resources from, sorted. */
  readonly toDelete: readonly string[];
  /** Clusters still bound by an older policy, sorted: the controller waits until there are none. */
  readonly stale: readonly string[];
}

export function sortBindings(bindings: readonly Binding[], snapshot: PolicySnapshot): Bindings {
  const scheduled: string[] = [];
  const toDelete: string[] = [];
  const stale: string[] = [];
  for (const { spec } of bindings) {
    if (spec.state === 'Unscheduled') toDelete.push(spec.targetCluster);
    else if (spec.schedulingPolicySnapshotName === snapshot.metadata.name) scheduled.push(spec.targetCluster);
    else stale.push(spec.targetCluster);
  }
  return { scheduled: scheduled.sort(), toDelete: toDelete.sort(), stale: stale.sort() };
}
