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
  if (meant === undefined || sameJson(meant, fieldOf(oldObject, 'status'))) return [];
  const command = `Use: ${setApproved(name, namespace, statusMeant(meant))}`;
  return [
    warningText(
      '[approval-has-effect] status is ignored in this write: an approval takes effect only through the status ' +
        'subresource (--subresource=status, or kubectl fleet approve)',
    ),
    ...(command.length <= longestWarning ? [command] : []),
  ];
}

/** What the writer wanted to say of Approved; who sends anything else most likely wants to approve. */
function statusMeant(status: unknown): string {
  const conditions = fieldOf(status, 'conditions');
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const approved = list.find((condition) => fieldOf(condition, 'type') === 'Approved');
  const value = fieldOf(approved, 'status');
  return value === 'False' || value === 'Unknown' ? value : 'True';
}
