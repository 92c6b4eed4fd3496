import { fixWith } from '../engine/message.js';
import { approvalGatesOf, isApproved } from '../fleet/approval.js';
import { conditionOf, type ApprovalRequest, type UpdateRun } from '../fleet/model.js';
import { plain, quoted, quotedSentence } from '../fleet/quoted.js';
import { kubectl, otherwise, setState } from '../rules/wording/commands.js';
import { ageText, longestBackOff } from './ages.js';
import type { Evidence } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { sinceOf, type Gate, type Waiting } from './open-task.js';
import { look, type Scene } from './scene.js';
import { approve, describeRunCommand } from './ways-out.js';

export function approvalWait(gate: Gate, scene: Scene): Waiting {
  const { stage, moment, task } = gate;
  const name = task.approvalRequestName ?? nameOfRequest(gate, scene.run);
  const seen = look(() => scene.facts.get('ApprovalRequest', name));
  const where = `${moment} stage ${quoted(stage.stageName)}`;
  const common = { where, name, since: sinceOf(gate), scene };
  if (seen.is === 'unseen') return { ...unanswered(common), unseen: seen.what };
  if (seen.value === undefined) return missing(common);
  return answered(common, seen.value);
}

function nameOfRequest({ stage, moment }: Gate, { metadata }: UpdateRun): string {
  const task = [{ type: 'Approval' }];
  const named = { name: stage.stageName, beforeStageTasks: task, afterStageTasks: task };
  return approvalGatesOf(metadata.name, [named]).find((gate) => gate.moment === moment)?.approvalName ?? '';
}

interface Asked {
  readonly where: string;
  readonly name: string;
  readonly since: string | undefined;
  readonly scene: Scene;
}

function answered(asked: Asked, request: ApprovalRequest): Waiting {
  const approved = conditionOf(request.status.conditions, 'Approved');
  if (approved === undefined) return unanswered(asked, request);
  if (approved.status !== 'True') return rejected(asked, request);
  return isApproved(request) ? justGiven(asked, request) : unheard(asked, request);
}

/** Nobody has said anything: as planned. */
function unanswered({ where, name, since, scene }: Asked, request?: ApprovalRequest): Waiting {
  const { run, now } = scene;
  const { namespace } = run.metadata;
  const age = ageText(since, now);
  return {
    state: 'waiting for an approval',
    health: 'waiting',
    cause: {
      what: `nobody has approved ${quoted(name)}, the gate ${where}${age === undefined ? '' : `; it has been open for ${age}`}`,
      evidence:
        request === undefined
          ? [taskEvidence(run, name)]
          : [evidenceOf(request, 'status.conditions[Approved]', 'not there')],
      fix: fixWith(
        'Approve it, if the rollout is to go on; or stop the run.',
        ...(request === undefined ? [] : [approve(request, now)]),
        otherwise(setState(run.metadata.name, namespace, 'Stop')),
      ),
    },
  };
}

function taskEvidence(run: UpdateRun, name: string): Evidence {
  return evidenceOf(run, 'status.stagesStatus', `waits for ${quoted(name)}`);
}

/** KubeFleet makes a request that is gone anew, within a minute. */
function missing({ where, name, scene }: Asked): Waiting {
  const { run } = scene;
  const { namespace } = run.metadata;
  return {
    state: 'waiting for an approval',
    health: 'waiting',
    cause: {
      what: `the approval request ${quoted(name)}, the gate ${where}, is not there; if it was deleted, KubeFleet makes it anew within a minute, without the approval`,
      evidence: [taskEvidence(run, name)],
      fix: fixWith(
        'Wait for the request, then approve it.',
        kubectl('get', { family: 'ApprovalRequest', name, namespace }),
      ),
    },
    unseen: `the approval request ${quoted(name)}`,
  };
}

/** KubeFleet has no rejection: whoever means no must stop the run. */
function rejected({ where, name, scene }: Asked, request: ApprovalRequest): Waiting {
  const { run } = scene;
  const { namespace } = run.metadata;
  const condition = conditionOf(request.status.conditions, 'Approved');
  const reason = condition?.message ?? condition?.reason ?? '';
  return {
    state: 'waiting for an approval',
    health: 'wrong',
    cause: {
      what: `${quoted(name)}, the gate ${where}, was answered with Approved=${plain(condition?.status ?? '')}${reason === '' ? '' : ` (${quotedSentence(reason)})`}; KubeFleet takes that for no answer, and waits on`,
      evidence: condition === undefined ? [] : [conditionEvidence(request, condition)],
      fix: fixWith(
        'Stop the run, or delete it, if the answer is no; approve it if the answer is yes by now.',
        setState(run.metadata.name, namespace, 'Stop'),
        otherwise(kubectl('delete', { family: 'UpdateRun', name: run.metadata.name, namespace })),
        otherwise(approve(request, scene.now)),
      ),
    },
  };
}

/** Approved, and KubeFleet does not hear it (updaterun/execution.go handleStageApprovalTask). */
function unheard({ where, name, scene }: Asked, request: ApprovalRequest): Waiting {
  const condition = conditionOf(request.status.conditions, 'Approved');
  const wanted = String(request.metadata.generation ?? 1);
  const given =
    condition?.observedGeneration === undefined
      ? 'no observedGeneration'
      : `observedGeneration ${String(condition.observedGeneration)}`;
  return {
    state: 'waiting for an approval',
    health: 'wrong',
    cause: {
      what: `${quoted(name)}, the gate ${where}, is approved, but with ${given}, and KubeFleet hears only ${wanted}: the generation of the request`,
      evidence: [
        evidenceOf(
          request,
          'status.conditions[Approved].observedGeneration',
          condition?.observedGeneration === undefined ? 'not there' : String(condition.observedGeneration),
        ),
        evidenceOf(request, 'metadata.generation', wanted),
      ],
      fix: fixWith('Approve it again.', approve(request, scene.now)),
    },
  };
}

function justGiven({ where, name, scene }: Asked, request: ApprovalRequest): Waiting {
  const condition = conditionOf(request.status.conditions, 'Approved');
  const age = ageText(condition?.lastTransitionTime, scene.now);
  const isLate = Date.parse(condition?.lastTransitionTime ?? '') + longestBackOff < scene.now;
  return {
    state: 'waiting for an approval',
    health: isLate ? 'wrong' : 'waiting',
    cause: {
      what: `${quoted(name)}, the gate ${where}, was approved${age === undefined ? '' : ` ${age} ago`}; ${isLate ? 'KubeFleet has not gone on since, so its hub agent may be down' : 'KubeFleet goes on within a minute'}`,
      evidence: condition === undefined ? [] : [conditionEvidence(request, condition)],
      fix: isLate ? fixWith('See that the hub agent runs.', describeRunCommand(scene.run)) : '',
    },
  };
}
