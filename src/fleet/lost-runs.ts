import type { Facts } from './facts.js';
import { memberEffect, type MemberChange, type MemberEffect } from './member-changes.js';
import { fleetKeys, type UpdateRun } from './model.js';
import { isActive, isInitialized, isOver } from './run.js';

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
  for (const run of [...open.filter(isActive), ...open.filter((each) => !isActive(each))]) {
    const { placementName: placement } = run.spec;
    const snapshots = facts.in(run.metadata.namespace).list('PolicySnapshot', { placement });
    const snapshot = snapshots.find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    const effect = memberEffect({ change, run, snapshot, members });
    if (effect.changes.length > 0) yield { run, effect };
  }
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
