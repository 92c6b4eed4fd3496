import { answerMeant, isSlipOfApproved } from '../wording/approval-answer.js';
import { acceptsUnapproved, listAt } from '../../engine/cel.js';
import type { Update } from '../../engine/change.js';
import { setApproved, setState } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { agentNameHint, isHubAgent } from '../../engine/policy.js';
import { defineRule } from '../../engine/rule.js';
import { isApproved } from '../../fleet/approval.js';
import { sameJson } from '../../fleet/json.js';
import { quoted } from '../../fleet/quoted.js';

const known: readonly string[] = ['Approved', 'ApprovalAccepted'];

/** Of hundreds, the first tell enough. */
const mostTold = 10;

/**
 * Conditions written times conditions stored: the API server compares each with each, and fails where that costs it too
 * much. KubeFleet writes two.
 */
const mostComparisons = 10_000;

const isCondition = (each: string): string => `type(${each}) == map && has(${each}.type)`;

/** Of the conditions that are written `c`, but not of those that are stored just so. */
const everyCondition = (test: string): string =>
  `size(variables.conditions) * size(variables.stored) <= ${String(mostComparisons)} && ` +
  `variables.conditions.all(c, variables.stored.exists(o, o == c) || (${isCondition('c')} && ${test}))`;

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

  floor: {
    kind: 'gate',
    variables: [
      { name: 'conditions', expression: listAt('object', ['status', 'conditions']) },
      { name: 'stored', expression: listAt('oldObject', ['status', 'conditions']) },
    ],
    validations: [
      {
        expression: `!${acceptsUnapproved}`,
        forEveryone: true,
        message:
          'ApprovalAccepted is set, but no approval of this generation is stored. Set the condition Approved, and let KubeFleet accept it.',
      },
      {
        expression: everyCondition("c.type != 'ApprovalAccepted'"),
        message:
          'with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval. Set the condition Approved.',
      },
      {
        expression: everyCondition(
          "(c.type in ['Approved', 'ApprovalAccepted'] || " +
            `variables.stored.exists(o, ${isCondition('o')} && o.type == c.type))`,
        ),
        message: 'KubeFleet reads the condition Approved, and passes over all others. Set the condition Approved.',
      },
    ],
  },

  *check(change, { policy }) {
    const { object, oldObject, user } = change;
    const stored = new Map(oldObject.status.conditions.map((condition) => [condition.type, condition]));
    // What was there before may be left or taken away by anybody, so that it can be cleaned up.
    const written = object.status.conditions
      .map((condition, index) => ({ condition, path: ['status', 'conditions', index, 'type'] }))
      .filter(({ condition }) => !sameJson(condition, stored.get(condition.type)));
    const fix = fixFor(change, answerMeant(written.map(({ condition }) => condition)));
    const softly = policy.hubAgent.confirmed ? { fix } : ({ atMost: 'warn', fix: `${agentNameHint} ${fix}` } as const);
    // Under no name does the hub agent accept what is not approved.
    const isUnapproved = !isApproved(oldObject);
    const isAgent = isHubAgent(policy, user);
    const forged = written.find(({ condition }) => condition.type === 'ApprovalAccepted');
    if (forged !== undefined && (isUnapproved || !isAgent)) {
      yield {
        path: forged.path,
        message: `with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval; user ${quoted(user)} may not write it`,
        ...(isUnapproved ? { fix } : softly),
      };
    }
    if (isAgent) return;
    if (object.status.conditions.length * oldObject.status.conditions.length > mostComparisons) {
      const message = `there are ${String(object.status.conditions.length)} conditions, where KubeFleet reads one`;
      const alone = 'Write the condition Approved alone, by a merge patch, which takes away all others.';
      yield { path: ['status', 'conditions'], message, ...softly, fix: alone };
    }
    const unknown = written.filter(({ condition: { type } }) => !known.includes(type) && !stored.has(type));
    for (const { condition, path } of unknown.slice(0, mostTold)) {
      const hint = isSlipOfApproved(condition.type) ? '; did you mean "Approved"?' : '';
      const message = `KubeFleet knows no condition ${quoted(condition.type)} and passes over it${hint}`;
      yield { path, message, ...softly };
    }
  },
});

/** How to approve is told only to those who do. */
function fixFor({ name, namespace, oldObject }: Update<'ApprovalRequest'>, answer: string | undefined): string {
  if (answer === 'True') return fixWith('To approve, set the condition Approved.', setApproved(name, namespace));
  const { parentStageRollout: run } = oldObject.spec;
  const text = 'Leave this condition out: KubeFleet reads Approved alone, and takes no refusal.';
  return run === '' ? text : fixWith(`${text} To halt run ${quoted(run)}, stop it.`, setState(run, namespace, 'Stop'));
}
