import type { Creation } from '../../engine/change.js';
import { celText } from '../../engine/cel.js';
import { kubectl, setApproved } from '../wording/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { agentNameHint, isHubAgent } from '../../engine/policy.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { approvalGatesOf, gateName, gateNamed, gateOf, type Gate } from '../../fleet/approval.js';
import type { Facts } from '../../fleet/facts.js';
import { quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'approval-created-by-controller',
  title: 'Approval requests are made by KubeFleet alone',
  severity: 'deny',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['CREATE'] }],
  reads: [],
  mentions: ['UpdateRun'],
  judges: 'write',
  why:
    'KubeFleet makes the request for a gate when a run gets there, and looks for it by name. One that somebody made ' +
    'beforehand can open the gate before its time, and one for another run or stage aborts the run. Under any other ' +
    'name KubeFleet never reads it.',
  fix: 'Let KubeFleet make the request, and approve it when it is there.',

  floor: {
    kind: 'gate',
    validations: [
      {
        expression: `!object.metadata.name.matches(${celText(gateName.source)})`,
        message:
          'KubeFleet makes the requests for its gates itself, and one made by hand can open a gate too early. Let KubeFleet make it, and approve it when it is there.',
      },
    ],
  },

  *check(change, { facts, policy }) {
    if (isHubAgent(policy, change.user)) return;
    const gate = gateNamed(change.name);
    if (gate === undefined) {
      yield withoutEffect(change, facts);
      return;
    }
    const fix = fixWith(
      'Let KubeFleet make the request. When it is there, approve it.',
      setApproved(gate.approvalName, change.namespace),
    );
    yield {
      path: ['metadata', 'name'],
      message: harmOf(change, gate),
      fix,
      // Under another name than configured the hub agent itself would be refused, and no gate would ever open.
      ...(policy.hubAgent.confirmed ? {} : ({ atMost: 'warn', fix: `${agentNameHint} Else: ${fix}` } as const)),
    };
  },
});

function harmOf({ object, name }: Creation<'ApprovalRequest'>, { run, stage }: Gate): string {
  // The name in the request counts; that in the object may be left out.
  if (gateOf({ ...object, metadata: { ...object.metadata, name } }) !== undefined) {
    return `KubeFleet makes this request itself when run ${quoted(run)} gets to stage ${quoted(stage)}; one made by hand can open that gate too early`;
  }
  const { parentStageRollout, targetStage } = object.spec;
  return `run ${quoted(run)} would find this request at stage ${quoted(stage)} and be aborted, because it is for stage ${quoted(targetStage)} of run ${quoted(parentStageRollout)}`;
}

/** A request that no run will ever look for; harmless, but whoever made it waits for something to happen. */
function withoutEffect({ object, name, namespace }: Creation<'ApprovalRequest'>, facts: Facts): Violation {
  const { parentStageRollout, targetStage } = object.spec;
  const run = facts.some('UpdateRun').find(({ metadata }) => metadata.name === parentStageRollout);
  const right = approvalGatesOf(parentStageRollout, run?.status.stagedUpdateStrategySnapshot?.stages ?? [])
    .filter(({ stage }) => stage === targetStage)
    .map(({ approvalName }) => approvalName);
  const instead = right.length === 0 ? '' : `; this stage is opened by ${quoteList(right)}`;
  return {
    path: ['metadata', 'name'],
    message: `KubeFleet looks for no request of the name ${quoted(name)}, so that it opens no gate${instead}`,
    fix: fixWith(
      'Leave this request out, and approve one that KubeFleet has made.',
      kubectl('get', { family: 'ApprovalRequest', namespace }),
    ),
    atMost: 'warn',
  };
}
