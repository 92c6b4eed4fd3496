import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { approvalGatesOf, isGranted } from '../../fleet/approval.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-approval-name-taken',
  title: 'No approval request waits for a run that does not exist yet',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-strategy-exists'],
  reads: ['UpdateStrategy', 'ApprovalRequest'],
  why: 'KubeFleet looks for the approval of a gate by name. One that was left behind or made beforehand opens the gate without anyone approving this rollout, or aborts the run if it was made for something else.',
  fix: 'Delete the approval request before you create the run.',

  *check({ object: run, name, namespace }, { facts }) {
    const strategy = facts.get('UpdateStrategy', run.spec.stagedRolloutStrategyName);
    // With generateName the name is not known before the API server has made it.
    if (strategy === undefined || name === '' || isOversize(strategy.spec)) return;
    for (const gate of approvalGatesOf(name, strategy.spec.stages)) {
      const approval = facts.get('ApprovalRequest', gate.approvalName);
      if (approval === undefined) continue;
      const { parentStageRollout, targetStage } = approval.spec;
      const isAimedHere = parentStageRollout === name && targetStage === gate.stage;
      // One that waits for exactly this gate will be used as it is.
      if (isAimedHere && !isGranted(approval)) continue;
      yield {
        path: ['metadata', 'name'],
        message: isAimedHere
          ? `approval request ${quoted(gate.approvalName)} exists and is approved already: stage ${quoted(gate.stage)} would go ahead without anyone approving this run`
          : `approval request ${quoted(gate.approvalName)} exists and is for stage ${quoted(targetStage)} of run ${quoted(parentStageRollout)}: KubeFleet would abort this run at stage ${quoted(gate.stage)}`,
        fix: fixWith(
          'Delete the approval request, or give the run another name, then apply it again.',
          kubectl('delete', { family: 'ApprovalRequest', name: gate.approvalName, namespace }),
        ),
      };
    }
  },
});
