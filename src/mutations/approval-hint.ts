import { answerMeant } from '../engine/approval-answer.js';
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

/** The rule that speaks here where it cannot: its mode is the mode of the hint. */
export const hintRule = { id: 'approval-has-effect', severity: 'warn' } as const;

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
  const answer = answerOf(meant, stored);
  const command = answer === undefined ? '' : `Use: ${setApproved(name, namespace, answer)}`;
  return [
    warningText(
      `[${hintRule.id}] status is ignored in this write: an approval takes effect only through the status ` +
        'subresource (--subresource=status, or kubectl fleet approve)',
    ),
    ...(command !== '' && command.length <= longestWarning ? [command] : []),
  ];
}

/** What this write says of Approved; what was stored before, it does not say. */
function answerOf(meant: unknown, stored: unknown): string | undefined {
  const before = conditionsOf(stored);
  const written = conditionsOf(meant).filter((condition) => !before.some((other) => sameJson(condition, other)));
  return answerMeant(
    written.map((condition) => ({ type: fieldOf(condition, 'type'), status: fieldOf(condition, 'status') })),
  );
}

function conditionsOf(status: unknown): readonly unknown[] {
  const conditions = fieldOf(status, 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}
