import { answerMeant } from '../rules/wording/approval-answer.js';
import { isCommand, setApproved } from '../rules/wording/commands.js';
import { longestWarning, warningText } from '../engine/message.js';
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

/**
 * The API server drops a status that is sent to the main resource, without a word. Only the mutating phase still sees
 * what the writer meant; here the writer is told what works.
 */
export function approvalHint({ object, oldObject, name, namespace }: MainResourceWrite): readonly string[] {
  const meant = fieldOf(object, 'status');
  const stored = fieldOf(oldObject, 'status');
  if (meant === undefined || sameJson(meant, stored)) return [];
  const answer = answerOf(meant, stored);
  const command = answer === undefined ? '' : setApproved(name, namespace, answer);
  const hint = `Use: ${command}`;
  // Longer lines may be cut on their way, and half a command is worse than none.
  const isWhole = hint.length <= longestWarning;
  return [
    warningText(
      `[${hintRule.id}] status is ignored in this write: an approval takes effect only through the status ` +
        'subresource (--subresource=status, or kubectl fleet approve)',
    ),
    ...(command !== '' && isCommand(command) && isWhole ? [hint] : []),
  ];
}

/** A request has two conditions; of thousands, which are compared with each other, the first will do for a hint. */
const mostConditions = 50;

/** What this write says of Approved; what was stored before, it does not say. */
function answerOf(meant: unknown, stored: unknown): string | undefined {
  const before = conditionsOf(stored).slice(0, mostConditions);
  const written = conditionsOf(meant)
    .slice(0, mostConditions)
    .filter((condition) => !before.some((other) => sameJson(condition, other)));
  return answerMeant(
    written.map((condition) => ({ type: fieldOf(condition, 'type'), status: fieldOf(condition, 'status') })),
  );
}

function conditionsOf(status: unknown): readonly unknown[] {
  const conditions = fieldOf(status, 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}
