import { troubleInOneLine } from '../diagnosis/in-one-line.js';
import { moments, type Change } from '../engine/change.js';
import type { World } from '../engine/evaluate.js';
import { overlay } from '../engine/overlay.js';
import { decisionOf, type Verdict } from '../engine/verdict.js';
import { Facts, UnknownFact } from '../fleet/facts.js';
import { isApproved } from '../fleet/approval.js';
import type { UpdateRun } from '../fleet/model.js';

/**
 * Adds what is the matter with the run that a write touches. Nothing is read for it, and one that fails is noted and left
 * out, for it is no part of the judgement.
 */
export function withDiagnosis(
  verdict: Verdict,
  change: Change,
  world: Pick<World, 'fleet' | 'policy' | 'now'>,
): Verdict {
  if (!touchesRun(change) || decisionOf(verdict) === 'retry') return verdict;
  try {
    const fleet = overlay(world.fleet, change);
    const facts = new Facts(fleet, change.namespace);
    const run = runTouchedBy(change, facts);
    const diagnosis = run && troubleInOneLine({ ...world, run, fleet, facts });
    return diagnosis === undefined ? verdict : { ...verdict, diagnosis };
  } catch (error) {
    if (error instanceof UnknownFact) return verdict;
    return { ...verdict, failures: [...verdict.failures, { rule: 'diagnosis', error }] };
  }
}

/** A run that is started, stopped or deleted, or a request of it that is approved. */
function touchesRun(change: Change): boolean {
  if (change.family === 'UpdateRun')
    return (
      change.operation === 'DELETE' || moments['state becomes Run'](change) || moments['state becomes Stop'](change)
    );
  return (
    change.family === 'ApprovalRequest' &&
    change.operation === 'UPDATE' &&
    change.subresource === 'status' &&
    isApproved(change.object) &&
    !isApproved(change.oldObject)
  );
}

/** As it was before the write. */
function runTouchedBy(change: Change, facts: Facts): UpdateRun | undefined {
  if (change.family === 'UpdateRun') return change.operation === 'CREATE' ? undefined : change.oldObject;
  if (change.family !== 'ApprovalRequest' || change.operation !== 'UPDATE') return undefined;
  return facts.get('UpdateRun', change.object.spec.parentStageRollout);
}
