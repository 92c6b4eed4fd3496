import type { Update } from '../../engine/change.js';
import { kubectl } from '../wording/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule, type Context, type Violation } from '../../engine/rule.js';
import { describeRun } from '../wording/run.js';
import { gateOf, isReached, taskOf, type Gate } from '../../fleet/approval.js';
import { sameJson } from '../../fleet/json.js';
import { conditionOf, type UpdateRun } from '../../fleet/model.js';
import { isOver, phaseOf } from '../../fleet/run.js';
import { quoted } from '../../fleet/quoted.js';

type Grant = Update<'ApprovalRequest'>;
type Text = Omit<Violation, 'path'>;

/** KubeFleet makes a request first and notes it in the status of the run at the end of the same round. */
const notedWithinMilliseconds = 60_000;

export default defineRule({
  id: 'approval-target-alive',
  title: 'An approval is for a gate that a run waits at',
  severity: 'deny',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['UPDATE'], subresource: 'status' }],
  reads: ['UpdateRun'],
  judges: 'write',
  why:
    'Nobody looks at the approval of a run that is over, so that it seems given and changes nothing. An approval that ' +
    'is given before the run gets to its gate lets the run through without anyone having looked at the stage.',
  fix: 'Approve the request of a run that waits for it.',

  *check(change, context) {
    const approved = conditionOf(change.object.status.conditions, 'Approved');
    const before = conditionOf(change.oldObject.status.conditions, 'Approved');
    if (approved?.status !== 'True' || sameJson(approved, before)) return;
    const text = problemOf(change, context);
    if (text !== undefined) yield { path: ['status', 'conditions'], ...text };
  },
});

function problemOf(change: Grant, context: Context): Text | undefined {
  const { parentStageRollout: name } = change.oldObject.spec;
  const run = name === '' ? undefined : context.facts.get('UpdateRun', name);
  if (run === undefined)
    return { message: `run ${quoted(name)} does not exist: ${opensNothing}`, fix: cleanUp(change) };
  if (isOver(run)) return { message: `run ${quoted(name)} ${endOf(run)}: ${opensNothing}`, fix: cleanUp(change) };
  const gate = gateOf(change.oldObject);
  return gate && gateProblem(run, gate, { change, now: context.now });
}

const opensNothing = 'this approval would open nothing';

function endOf(run: UpdateRun): string {
  const phase = phaseOf(run);
  return phase === 'deleting' ? 'is being deleted' : `has ${phase}`;
}

function cleanUp({ name, namespace }: Grant): string {
  return fixWith(
    'Delete this request, and approve the one of a run that waits for it.',
    kubectl('delete', { family: 'ApprovalRequest', name, namespace }),
    kubectl('get', { family: 'ApprovalRequest', namespace }),
  );
}

interface Moment {
  readonly change: Grant;
  readonly now: number;
}

function gateProblem(run: UpdateRun, gate: Gate, moment: Moment): Text | undefined {
  const { name } = run.metadata;
  const stages = run.status.stagesStatus?.map(({ stageName }) => stageName);
  if (stages === undefined) return notAsked(run, moment);
  if (!stages.includes(gate.stage)) {
    const message = `run ${quoted(name)} has no stage ${quoted(gate.stage)}, only ${quoteList(stages)}`;
    return { message, fix: cleanUp(moment.change) };
  }
  const task = taskOf(run, gate);
  if (task === undefined) {
    const message = `run ${quoted(name)} waits for no approval ${gate.moment} stage ${quoted(gate.stage)}`;
    return { message, fix: cleanUp(moment.change) };
  }
  return isReached(task) ? undefined : notAsked(run, moment);
}

function notAsked(run: UpdateRun, { change, now }: Moment): Text {
  const { name, namespace, oldObject } = change;
  const message = `run ${quoted(run.metadata.name)} is ${describeRun(run)} and has not asked for this approval yet`;
  const created = Date.parse(oldObject.metadata.creationTimestamp ?? '');
  if (now - created < notedWithinMilliseconds) {
    return { message, fix: 'Send the same again in a few seconds.', settling: `gate ${namespace ?? ''}/${name}` };
  }
  return {
    message,
    fix: fixWith(
      'KubeFleet has not asked for this request: delete it, and approve the one that comes when the run gets there.',
      kubectl('delete', { family: 'ApprovalRequest', name, namespace }),
    ),
  };
}
