import { setApproved } from '../engine/commands.js';
import { warningText } from '../engine/message.js';
import { fieldOf, sameJson } from '../fleet/json.js';

/** A write to the approval request itself, not to its status subresource. */
export interface MainResourceWrite {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Longer lines may be cut on their way, and half a command is worse than none. */
const longestWarning = 256;

/**
 * The API server drops a status that is sent to the main resource, without a word. Only the mutating phase still sees
 * what the writer meant; here the writer is told what works.
 */
export function approvalHint({ object, oldObject, name, namespace }: MainResourceWrite): readonly string[] {
  const meant = fieldOf(object, 'status');
  const stored = fieldOf(oldObject, 'status');
  if (meant === undefined || sameJson(meant, stored)) return [];
  const answer = answerMeant(meant, stored);
  const command = answer === undefined ? '' : `Use: ${setApproved(name, namespace, answer)}`;
  return [
    warningText(
      '[approval-has-effect] status is ignored in this write: an approval takes effect only through the status ' +
        'subresource (--subresource=status, or kubectl fleet approve)',
    ),
    ...(command !== '' && command.length <= longestWarning ? [command] : []),
  ];
}

/** What YAML makes of an answer without quotes is meant as the answer. */
const answers = new Map([
  ['true', 'True'],
  ['false', 'False'],
  ['unknown', 'Unknown'],
]);

/**
 * What the writer wanted to say of Approved, under whatever spelling. Undefined where this write says nothing of it: a
 * command to approve in the hands of someone who meant to take an approval back would open the gate.
 */
function answerMeant(meant: unknown, stored: unknown): string | undefined {
  const before = conditionsOf(stored);
  const said = conditionsOf(meant)
    .filter((condition) => /^appro/i.test(String(fieldOf(condition, 'type'))))
    .find((condition) => !before.some((other) => sameJson(condition, other)));
  return answers.get(String(fieldOf(said, 'status')).toLowerCase());
}

function conditionsOf(status: unknown): readonly unknown[] {
  const conditions = fieldOf(status, 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}
