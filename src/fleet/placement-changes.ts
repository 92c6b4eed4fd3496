import type { PlacementSpec, RunStatus } from './model.js';
import { isSameApplyStrategy } from './plan-changes.js';

/** One thing about a placement for which the controller aborts a run that is initialized. */
export type PlacementChange =
  | { readonly what: 'type'; readonly now: string }
  /** `isFirst` where there was none before. */
  | { readonly what: 'policy'; readonly isFirst: boolean }
  | { readonly what: 'cluster count'; readonly before: number; readonly now: number }
  | { readonly what: 'apply strategy' };

/** An edit of a placement, and what a run knows of it; an edit that puts back what the run knows does it no harm. */
interface Edit {
  readonly before: PlacementSpec;
  readonly now: PlacementSpec;
  readonly known: Pick<RunStatus, 'appliedStrategy' | 'policyObservedClusterCount'>;
}

/** All that the controller would hold against a run after an edit of its placement. */
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
  if (isHarmless || now === edit.known.policyObservedClusterCount) return [];
  return [{ what: 'cluster count', before, now }];
}

/** Only PickN asks for a number of clusters. */
function countOf({ policy }: PlacementSpec): number | undefined {
  return policy?.placementType === 'PickN' ? (policy.numberOfClusters ?? 0) : undefined;
}

function applyChange({ before, now, known }: Edit): readonly PlacementChange[] {
  const after = now.strategy?.applyStrategy;
  // A placement that is no longer External is told as that alone.
  if (now.strategy === undefined || isSameApplyStrategy(before.strategy?.applyStrategy, after)) return [];
  const isRestored = known.appliedStrategy !== undefined && isSameApplyStrategy(known.appliedStrategy, after);
  return isRestored ? [] : [{ what: 'apply strategy' }];
}
