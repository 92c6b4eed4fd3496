import { setApproved } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { gateOf, isAccepted, isGranted, isPassed, isReached, taskOf, type Gate } from '../../fleet/approval.js';
import type { UpdateRun } from '../../fleet/model.js';
import { isOver } from '../../fleet/run.js';
import { quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'approval-deleted',
  title: 'Deleting an approval request does not end the waiting',
  severity: 'warn',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['DELETE'] }],
  reads: ['UpdateRun'],
  judges: 'write',
  why: 'A run that waits at a gate makes a deleted request again at once, and an approval that was given and not yet accepted is lost with it.',
  fix: 'To open the gate, approve the request; to end the rollout, stop or delete the run.',

  *check({ oldObject, name, namespace }, { facts }) {
    const gate = gateOf(oldObject);
    if (gate === undefined || isAccepted(oldObject) || oldObject.metadata.deletionTimestamp !== undefined) return;
    const run = facts.get('UpdateRun', gate.run);
    if (run === undefined || !waitsAt(run, gate)) return;
    const lost = isGranted(oldObject) ? 'the approval that was given is lost' : 'it waits for an approval as before';
    yield {
      path: [],
      message: `run ${quoted(gate.run)} makes this request again at once, and ${lost}; to end the rollout, set spec.state of the run to Stop, or delete it`,
      fix: fixWith(
        'To open the gate, approve the request; to end the rollout, stop or delete the run.',
        setApproved(name, namespace),
      ),
    };
  },
});

/** A request that a run has not asked for was made by somebody else, and had better go. A stopped run makes none. */
function waitsAt(run: UpdateRun, gate: Gate): boolean {
  const task = taskOf(run, gate);
  return task !== undefined && run.spec.state === 'Run' && !isOver(run) && isReached(task) && !isPassed(task);
}
