import type { UpdateRun } from '../fleet/model.js';
import { areCompatible, isActive, isOver } from '../fleet/run.js';
import type { Claim, HolderRun } from './protocol.js';

/**
 * A claim beside its run as it is stored. KubeFleet's schema lets a snapshot index be removed and then set anew: a run that
 * is not as it was claimed does the same as no other.
 */
export function asStored(claim: Claim, run: UpdateRun | undefined): Claim {
  if (run === undefined || areCompatible(claim.rollout, run.spec)) return claim;
  const { stagedRolloutStrategyName } = claim.rollout;
  return { ...claim, rollout: { stagedRolloutStrategyName } };
}

/** What the run behind a claim on this placement is doing. */
export function holderRun(run: UpdateRun | undefined, placement: string): HolderRun {
  if (run === undefined) return 'absent';
  if (isOver(run) || run.spec.placementName !== placement) return 'over';
  return isActive(run) ? 'active' : 'idle';
}
