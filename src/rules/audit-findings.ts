import { fixWith } from '../engine/message.js';
import type { StoredRule } from '../engine/rule.js';
import type { Facts } from '../fleet/facts.js';
import { conditionOf, type ApprovalRequest, type UpdateRun } from '../fleet/model.js';
import { isOver, isTakenUp, longestUntilTakenUp } from '../fleet/run.js';
import { plain, quoted } from '../fleet/quoted.js';
import { kubectl, setApproved } from './wording/commands.js';

const runNotTakenUp: StoredRule<'UpdateRun'> = {
  id: 'audit-run-not-taken-up',
  title: 'Every stored run was taken up by the hub agent',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: [] }],
  why: 'Where the hub agent is down, or was started without its controllers for staged runs, a run is stored and nothing happens, without any status.',
  fix: 'Check that the hub agent runs and has enableStagedUpdateRunAPIs set.',

  *check(run, { now }) {
    const created = Date.parse(run.metadata.creationTimestamp ?? '');
    if (isTakenUp(run) || !(now - created > longestUntilTakenUp)) return;
    yield {
      path: [],
      message: `nothing has taken up this run, created at ${plain(run.metadata.creationTimestamp ?? '')}`,
    };
  },
};

const approvalLeftover: StoredRule<'ApprovalRequest'> = {
  id: 'audit-approval-leftover',
  title: 'Every stored approval belongs to a run that is there',
  severity: 'warn',
  appliesTo: [{ family: 'ApprovalRequest', operations: [] }],
  why: 'KubeFleet deletes the approvals of a run with the run; one that stayed stands in the way of the next run of that name, or opens its gate.',
  fix: 'Delete the approval.',

  *check(approval, { facts }) {
    if (runOf(approval, facts) !== undefined) return;
    const { name, namespace } = approval.metadata;
    yield {
      path: ['spec', 'parentStageRollout'],
      message: `there is no run ${quoted(approval.spec.parentStageRollout)}; a new run of that name would find this approval in its way`,
      fix: fixWith('Delete it.', kubectl('delete', { family: 'ApprovalRequest', name, namespace })),
    };
  },
};

const approvalNotHeard: StoredRule<'ApprovalRequest'> = {
  id: 'audit-approval-not-heard',
  title: 'Every stored approval is one that KubeFleet accepts',
  severity: 'warn',
  appliesTo: [{ family: 'ApprovalRequest', operations: [] }],
  why: 'An approval counts only if it names the generation of its object; where it does not, the run goes on waiting, and nothing says so.',
  fix: 'Approve it again.',

  *check(approval, { facts }) {
    const { name, namespace, generation = 0 } = approval.metadata;
    // KubeFleet updaterun/execution.go.
    const approved = conditionOf(approval.status.conditions, 'Approved');
    const accepted = conditionOf(approval.status.conditions, 'ApprovalAccepted');
    const run = runOf(approval, facts);
    if (approved?.status !== 'True' || accepted?.status === 'True' || run === undefined || isOver(run)) return;
    const { observedGeneration } = approved;
    if (observedGeneration === generation) return;
    const given =
      observedGeneration === undefined ? 'no observedGeneration' : `observedGeneration ${observedGeneration}`;
    yield {
      path: ['status', 'conditions'],
      message: `is approved, but with ${given} where ${generation} is asked for, so that run ${quoted(run.metadata.name)} goes on waiting`,
      fix: fixWith('Approve it again.', setApproved(name, namespace)),
    };
  },
};

function runOf(approval: ApprovalRequest, facts: Facts): UpdateRun | undefined {
  return facts.get('UpdateRun', approval.spec.parentStageRollout);
}

/** What `audit` tells beside the rules: no write could be refused for it. */
export const runRules = [runNotTakenUp];
export const approvalRules = [approvalLeftover, approvalNotHeard];
