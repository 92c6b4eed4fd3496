import { fixWith } from '../engine/message.js';
import { approvalGatesOf, isAccepted, isApproved } from '../fleet/approval.js';
import { conditionOf, type ApprovalRequest, type Condition, type UpdateRun } from '../fleet/model.js';
import { plain, quoted, quotedSentence } from '../fleet/quoted.js';
import { kubectl, otherwise, setState } from '../rules/wording/commands.js';
import { ageText, longestBackOff } from './ages.js';
import type { Evidence } from './diagnosis.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { sinceOf, type Gate, type Waiting } from './open-task.js';
import { look, type Scene } from './scene.js';
import { approve, seeHubAgent } from './ways-out.js';

export function approvalWait(gate: Gate, scene: Scene): Waiting {
  const { stage, moment, task } = gate;
  const name = task.approvalRequestName ?? nameOfRequest(gate, scene.run);
  const seen = look(() => scene.facts.get('ApprovalRequest', name));
  const where = `${moment} stage ${quoted(stage.stageName)}`;
  const common = { gate, where, name, since: sinceOf(gate), scene };
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
  readonly gate: Gate;
  readonly where: string;
  readonly name: string;
  readonly since: string | undefined;
  readonly scene: Scene;
}

function answered(asked: Asked, request: ApprovalRequest): Waiting {
  const { conditions } = request.status;
  const { gate, scene } = asked;
  const isForIt =
    request.spec.parentStageRollout === scene.run.metadata.name && request.spec.targetStage === gate.stage.stageName;
  if (!isForIt) return astray(asked, request);
  const approved = conditionOf(conditions, 'Approved');
  if (isAccepted(request)) return justGiven(asked, request);
  if (approved === undefined) return misnamed(asked, request) ?? unanswered(asked, request);
  if (approved.status !== 'True') return rejected(asked, request);
  return isApproved(request) ? justGiven(asked, request) : unheard(asked, request);
}

/** A request of that name that somebody else has made ends the run (updaterun/execution.go handleStageApprovalTask). */
function astray({ name, where, scene }: Asked, request: ApprovalRequest): Waiting {
  const { parentStageRollout, targetStage } = request.spec;
  const of = `stage ${quoted(targetStage)} of run ${quoted(parentStageRollout)}`;
  return {
    state: 'waiting for an approval',
    health: 'wrong',
    cause: {
      what: `KubeFleet will give the run up when it next looks: ${quoted(name)}, the gate ${where}, was made for ${of}`,
      evidence: [
        evidenceOf(request, 'spec.parentStageRollout', quoted(parentStageRollout)),
        evidenceOf(request, 'spec.targetStage', quoted(targetStage)),
      ],
      fix: fixWith(
        'Delete the request; KubeFleet makes one for this run and stage.',
        kubectl('delete', { family: 'ApprovalRequest', name, namespace: scene.run.metadata.namespace }),
      ),
    },
  };
}

/** `approved` is a condition like any other: nobody reads it. */
function misnamed({ name, where, scene }: Asked, request: ApprovalRequest): Waiting | undefined {
  const other = request.status.conditions.find(({ type }) => type !== 'Approved' && type !== 'ApprovalAccepted');
  if (other === undefined) return undefined;
  return {
    state: 'waiting for an approval',
    health: 'wrong',
    cause: {
      what: `${quoted(name)}, the gate ${where}, was answered with condition ${plain(other.type)}; KubeFleet reads only Approved, and waits on`,
      evidence: [conditionEvidence(request, other)],
      fix: fixWith('Approve it, if that was meant.', approve(request, scene.now)),
    },
  };
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
    isAnswered: true,
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
  const { conditions } = request.status;
  // What KubeFleet has accepted stays approved, whatever is written to the other condition.
  const type = isApproved(request) ? 'Approved' : 'ApprovalAccepted';
  const condition = conditionOf(conditions, type) ?? { type, status: '' };
  const age = ageText(condition.lastTransitionTime, scene.now);
  const what = `${quoted(name)}, the gate ${where}, was approved${age === undefined ? '' : ` ${age} ago`}`;
  const { isLate, then } = whatFollows(condition, scene);
  return {
    state: 'waiting for an approval',
    health: isLate ? 'wrong' : 'waiting',
    isAnswered: true,
    cause: {
      what: `${what}; ${then}`,
      evidence: [conditionEvidence(request, condition)],
      fix: isLate ? seeHubAgent() : '',
    },
  };
}

function whatFollows({ lastTransitionTime = '' }: Condition, { run, now }: Scene): { isLate: boolean; then: string } {
  if (run.spec.state === 'Stop') return { isLate: false, then: 'that counts when the run is resumed' };
  const isLate = Date.parse(lastTransitionTime) + longestBackOff < now;
  return {
    isLate,
    then: isLate
      ? 'KubeFleet has not gone on since, so its hub agent may be down'
      : 'KubeFleet goes on within a minute',
  };
}
