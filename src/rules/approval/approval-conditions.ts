import { answerMeant, isSlipOfApproved } from '../../engine/approval-answer.js';
import type { Update } from '../../engine/change.js';
import { setApproved, setState } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { agentNameHint, isHubAgent } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import { sameJson } from '../../fleet/json.js';

const known: readonly string[] = ['Approved', 'ApprovalAccepted'];

/** Of hundreds, the first tell enough. */
const mostTold = 10;

export default defineRule({
  id: 'approval-conditions',
  title: 'People set the condition Approved, and no other',
  severity: 'deny',
  appliesTo: [{ family: 'ApprovalRequest', operations: ['UPDATE'], subresource: 'status' }],
  reads: [],
  judges: 'write',
  why:
    'KubeFleet reads the condition Approved, letter by letter, and passes over all others without a word. With the ' +
    'condition ApprovalAccepted it notes that it has seen an approval; who writes it opens the gate without one.',
  fix: 'Set the condition Approved.',

  *check(change, { policy }) {
    const { object, oldObject, user } = change;
    if (isHubAgent(policy, user)) return;
    const stored = new Map(oldObject.status.conditions.map((condition) => [condition.type, condition]));
    // What was there before may be left or taken away by anybody, so that it can be cleaned up.
    const written = object.status.conditions
      .map((condition, index) => ({ condition, path: ['status', 'conditions', index, 'type'] }))
      .filter(({ condition }) => !sameJson(condition, stored.get(condition.type)));
    const fix = fixFor(change, answerMeant(written.map(({ condition }) => condition)));
    const softly = policy.hubAgent.confirmed ? { fix } : ({ atMost: 'warn', fix: `${agentNameHint} ${fix}` } as const);
    const forged = written.find(({ condition }) => condition.type === 'ApprovalAccepted');
    if (forged !== undefined) {
      yield {
        path: forged.path,
        message: `with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval; user "${user}" may not write it`,
        ...softly,
      };
    }
    const unknown = written.filter(({ condition: { type } }) => !known.includes(type) && !stored.has(type));
    for (const { condition, path } of unknown.slice(0, mostTold)) {
      const hint = isSlipOfApproved(condition.type) ? '; did you mean "Approved"?' : '';
      const message = `KubeFleet knows no condition "${condition.type}" and passes over it${hint}`;
      yield { path, message, ...softly };
    }
  },
});

/** How to approve is told only to those who do. */
function fixFor({ name, namespace, oldObject }: Update<'ApprovalRequest'>, answer: string | undefined): string {
  if (answer === 'True') return fixWith('To approve, set the condition Approved.', setApproved(name, namespace));
  const { parentStageRollout: run } = oldObject.spec;
  const text = 'Leave this condition out: KubeFleet reads Approved alone, and takes no refusal.';
  return run === '' ? text : fixWith(`${text} To halt run "${run}", stop it.`, setState(run, namespace, 'Stop'));
}
