import { UnknownFact, type Facts } from './facts.js';
import { memberEffect, noticing, type MemberChange, type MemberEffect } from './member-changes.js';
import { fleetKeys, type PolicySnapshot, type StrategySpec, type UpdateRun } from './model.js';
import { isActive, isInitialized, isOver } from './run.js';
import { requirementsOf } from './selector.js';

/** A run that would not survive a change of a member cluster. */
export interface LostRun {
  readonly run: UpdateRun;
  readonly effect: MemberEffect;
}

/**
 * Those of some runs that would not survive, the ones under way first. The facts are those after the change. A plan is
 * made only as far as somebody asks on: a cluster that joins may end a thousand runs, and nobody reads of them all.
 */
export function* lostRuns(change: MemberChange, runs: readonly UpdateRun[], facts: Facts): Generator<LostRun> {
  const open = runs.filter((run) => isInitialized(run) && !isOver(run));
  if (open.length === 0) return;
  const members = new Map(facts.list('MemberCluster').map((member) => [member.metadata.name, member]));
  const picks = picksFor(change.name, facts);
  const isNoticed = noticing(change);
  let effort = mostEffort;
  for (const run of [...open.filter(isActive), ...open.filter((each) => !isActive(each))]) {
    if (effort < 0) throw new UnknownFact('UpdateRun', 'the plans of so many large runs');
    const pick = picks(run);
    const effect = memberEffect({ change, run, ...pick, members, isNoticed });
    if (effect.isPlanned) effort -= effortFor(run, pick.snapshot);
    if (effect.changes.length > 0) yield { run, effect };
  }
}

/** What a placement's scheduler has made of a cluster. */
interface Picked {
  /** The latest policy snapshot of the placement. */
  readonly snapshot: PolicySnapshot | undefined;
  readonly isPicked: boolean;
}

/** Looked for once a placement: it can have thousands of runs, and thousands of clusters. */
function picksFor(cluster: string, facts: Facts): (run: UpdateRun) => Picked {
  const known = new Map<string, Picked>();
  return ({ metadata: { namespace }, spec: { placementName: placement } }) => {
    const key = `${namespace ?? ''}/${placement}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const snapshots = facts.in(namespace).list('PolicySnapshot', { placement });
    const snapshot = snapshots.find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    const targets = snapshot?.status.targetClusters ?? [];
    const isPicked = targets.some(({ clusterName, selected }) => selected && clusterName === cluster);
    known.set(key, { snapshot, isPicked });
    return { snapshot, isPicked };
  };
}

/**
 * In clusters that are held against a requirement, and values of these. Hundreds of runs that people write come to no
 * more; of those that are made to take long, two.
 */
const mostEffort = 150_000;

function effortFor({ status }: UpdateRun, snapshot: PolicySnapshot | undefined): number {
  const { requirements, values } = sizeOf(status.stagedUpdateStrategySnapshot);
  const clusters = (status.stagesStatus ?? []).reduce((sum, stage) => sum + stage.clusters.length, 0);
  return Math.max(clusters, snapshot?.status.targetClusters.length ?? 0) * requirements + values;
}

function sizeOf(strategy: StrategySpec | undefined): { readonly requirements: number; readonly values: number } {
  const selectors = (strategy?.stages ?? []).flatMap(({ labelSelector }) => labelSelector ?? []);
  const requirements = selectors.flatMap(requirementsOf);
  return {
    requirements: requirements.length,
    values: requirements.reduce((sum, requirement) => sum + requirement.values.length, 0),
  };
}

/** The first of them. */
export function firstOf<T>(most: number, all: Iterable<T>): readonly T[] {
  const first: T[] = [];
  for (const one of all) {
    first.push(one);
    if (first.length === most) break;
  }
  return first;
}
