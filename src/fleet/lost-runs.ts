import { UnknownFact, type Facts } from './facts.js';
import { memberEffect, noticing, pickedBy, type MemberEffect, type Picked } from './member-changes.js';
import { memberIn } from './members-by-name.js';
import type { UpdateRun } from './model.js';
import { Effort, PlansOfChange, type MemberChange } from './plans-of-change.js';
import { isInitialized, openRuns } from './run.js';

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
  const open = openRuns(runs).filter(isInitialized);
  if (open.length === 0) return;
  const effort = new Effort();
  const plans = new PlansOfChange(change, memberIn(facts.list('MemberCluster')), effort);
  const picked = pickedFor({ change, effort }, facts);
  const isNoticed = noticing(change, effort);
  for (const run of open) {
    if (effort.spent > mostEffort) throw new UnknownFact('UpdateRun', 'the plans of so many large runs');
    const effect = memberEffect({ change, run, ...picked(run), isNoticed, plans });
    if (effect.changes.length > 0) yield { run, effect };
  }
}

/** Hundreds of runs that people write come to no more; of those that are made to take long, a few. */
const mostEffort = 75_000;

/** Looked for once a placement: it can have thousands of runs, and thousands of clusters. */
function pickedFor(change: Parameters<typeof pickedBy>[1], facts: Facts): (run: UpdateRun) => Picked {
  const known = new Map<string, Picked>();
  return ({ metadata: { namespace }, spec: { placementName: placement } }) => {
    const key = `${namespace ?? ''}/${placement}`;
    const picked = known.get(key) ?? pickedBy(facts.in(namespace).list('PolicySnapshot', { placement }), change);
    known.set(key, picked);
    return picked;
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
