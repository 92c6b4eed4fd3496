import type { Update } from '../../engine/change.js';
import { kubectl, setState } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { gateOf, isAccepted } from '../../fleet/approval.js';
import type { Facts } from '../../fleet/facts.js';
import { sameJson } from '../../fleet/json.js';
import { conditionOf, type Condition } from '../../fleet/model.js';
import { isOver } from '../../fleet/run.js';
import { quoted } from '../../fleet/quoted.js';

type StatusWrite = Update<'ApprovalRequest'>;
type Text = Omit<Violation, 'path'>;

export default defineRule({
  id: 'approval-has-effect',
  title: 'An approval does what its writer expects of it',
  severity: 'warn',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['UPDATE'], subresource: 'status' }],
  after: ['approval-target-alive'],
  reads: ['UpdateRun'],
  judges: 'write',
  why:
    'KubeFleet knows no refusal: a run whose approval is False goes on waiting, and one that was accepted goes on. A ' +
    'stopped run keeps an approval until it is started again. A status that is sent without --subresource=status is ' +
    'dropped without a word.',
  fix: 'To halt a rollout, stop its run.',

  *check(change, { facts }) {
    const path = ['status', 'conditions'];
    const approved = conditionOf(change.object.status.conditions, 'Approved');
    const before = conditionOf(change.oldObject.status.conditions, 'Approved');
    if (sameJson(approved, before)) return;
    const { parentStageRollout: name } = change.oldObject.spec;
    if (approved?.status !== 'True') {
      const effect = refusalEffect(change, approved);
      if (effect !== undefined && !isKnownNotToWait(change, facts)) yield { path, ...effect };
      return;
    }
    if (gateOf(change.oldObject) === undefined) yield { path, ...nobodyLooks(change) };
    const run = name === '' ? undefined : facts.get('UpdateRun', name);
    if (run?.spec.state !== 'Stop') return;
    yield {
      path,
      message: `run ${quoted(name)} is stopped: the approval is kept, and takes effect when spec.state of the run is Run again`,
      fix: fixWith('Start the run when it is to go on.', setState(name, change.namespace, 'Run')),
    };
  },
});

/** A run that is over or stopped neither waits nor has to be halted, so that there is nothing to say. */
function isKnownNotToWait({ oldObject }: StatusWrite, facts: Facts): boolean {
  const { parentStageRollout: name } = oldObject.spec;
  const run = facts.some('UpdateRun').find(({ metadata }) => metadata.name === name);
  return name === '' || (run !== undefined && (isOver(run) || run.spec.state !== 'Run'));
}

/** What saying no comes to, or taking a yes away; undefined where that is what it seems to be. */
function refusalEffect(change: StatusWrite, approved: Condition | undefined): Text | undefined {
  const { oldObject, namespace } = change;
  const { parentStageRollout: name } = oldObject.spec;
  const isLate = isAccepted(oldObject);
  if (approved === undefined && !isLate) return undefined;
  const effect = isLate
    ? 'the approval was accepted already and cannot be taken back'
    : `Approved ${quoted(approved?.status ?? '')} is the same to KubeFleet as no answer, and the run goes on waiting`;
  return {
    message: `${effect}; to halt run ${quoted(name)}, set its spec.state to Stop, or delete it`,
    fix: fixWith('Stop the run.', setState(name, namespace, 'Stop')),
  };
}

function nobodyLooks({ name, namespace }: StatusWrite): Text {
  return {
    message: `KubeFleet looks for no request of the name ${quoted(name)} with this target, so that its approval opens no gate`,
    fix: fixWith(
      'Approve a request that KubeFleet has made.',
      kubectl('get', { family: 'ApprovalRequest', namespace }),
    ),
  };
}
