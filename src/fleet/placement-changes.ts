import type { Metadata, OwnerReference, PlacementSpec, RunStatus } from './model.js';
import { isSameApplyStrategy } from './plan-changes.js';

/** One thing about a placement for which the controller aborts a run that is initialized. */
export type PlacementChange =
  | { readonly what: 'type'; readonly now: string }
  /** `isFirst` where there was none before. */
  | { readonly what: 'policy'; readonly isFirst: boolean }
  | { readonly what: 'cluster count'; readonly before: number; readonly now: number }
  | { readonly what: 'apply strategy' };

interface Edit {
  readonly before: PlacementSpec;
  readonly now: PlacementSpec;
}

/** All that the controller would hold against some run after an edit of its placement. */
export function placementChanges(edit: Edit): readonly PlacementChange[] {
  return [...typeChange(edit), ...policyChange(edit), ...countChange(edit), ...applyChange(edit)];
}

function typeChange({ before, now }: Edit): readonly PlacementChange[] {
  const type = now.strategy?.type ?? 'RollingUpdate';
  return before.strategy?.type === 'External' && type !== 'External' ? [{ what: 'type', now: type }] : [];
}

/**
 * A placement without a policy takes all clusters, yet a policy that says so is another one to KubeFleet, which hashes
 * what is stored. No policy can be taken away again: a manifest without one leaves it as it is.
 */
function policyChange({ before, now }: Edit): readonly PlacementChange[] {
  if (now.policy === undefined || now.policy.digest === before.policy?.digest) return [];
  return [{ what: 'policy', isFirst: before.policy === undefined }];
}

function countChange(edit: Edit): readonly PlacementChange[] {
  const [before, now] = [countOf(edit.before), countOf(edit.now)];
  const isHarmless = before === undefined || now === undefined || before === now;
  return isHarmless ? [] : [{ what: 'cluster count', before, now }];
}

/** Only PickN asks for a number of clusters. */
function countOf({ policy }: PlacementSpec): number | undefined {
  return policy?.placementType === 'PickN' ? (policy.numberOfClusters ?? 0) : undefined;
}

function applyChange({ before, now }: Edit): readonly PlacementChange[] {
  const after = now.strategy?.applyStrategy;
  // A placement that is no longer External is told as that alone.
  if (now.strategy === undefined || isSameApplyStrategy(before.strategy?.applyStrategy, after)) return [];
  return [{ what: 'apply strategy' }];
}

/** Whether a change puts back what a run knows, and so does it no harm. */
export function isPutBack(change: PlacementChange, now: PlacementSpec, known: RunStatus): boolean {
  if (change.what === 'cluster count') return change.now === known.policyObservedClusterCount;
  if (change.what !== 'apply strategy' || known.appliedStrategy === undefined) return false;
  return isSameApplyStrategy(known.appliedStrategy, now.strategy?.applyStrategy);
}

/**
 * The owners that a write adds. By every part of a reference: garbage collection looks an owner up by kind and name, and
 * takes one of another uid for gone.
 */
export function addedOwners(before: Metadata, now: Metadata): readonly OwnerReference[] {
  const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference): string =>
    JSON.stringify([apiVersion, kind, name, uid]);
  const known = new Set(before.ownerReferences?.map(keyOf));
  return (now.ownerReferences ?? []).filter((owner) => !known.has(keyOf(owner)));
}
