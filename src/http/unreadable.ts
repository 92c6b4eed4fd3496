import { operations, type Operation } from '../engine/change.js';
import { isHubAgent, type Policy } from '../engine/policy.js';
import type { ReviewHead, ReviewResponse } from './admission-review.js';
import { HttpError } from './body.js';
import type { Decided } from './decide.js';
import type { Endpoint } from './decision-record.js';
import type { Unreadable } from './read-review.js';

/**
 * Answers a review that cannot be read. That is no free pass, not even behind failurePolicy Ignore: it is refused inside
 * the review. What must always work is left to failurePolicy instead, by an HTTP error.
 */
export function decideUnread(unread: Unreadable, endpoint: Endpoint, policy: Policy): Decided {
  const { head, why, status } = unread;
  if (!isJudged(head, endpoint) || isAgentsOwn(head, policy)) {
    return { response: { uid: head.uid, allowed: true }, decision: 'admit', rules: [] };
  }
  if (mustGoOn(unread, policy)) throw new HttpError(status, why);
  return { response: refusalOf(head, why), decision: 'refuse', rules: [] };
}

function isJudged({ kind, operation, subresource }: ReviewHead, endpoint: Endpoint): boolean {
  const isStatus = subresource === 'status';
  // All else that is sent there gets a hint at most.
  if (endpoint === 'mutate') return kind?.family === 'ApprovalRequest' && operation === 'UPDATE' && isStatus;
  return kind !== undefined && operations.includes(operation as Operation) && (isStatus || subresource === '');
}

/** The brake has to work when nothing else does, and the hub agent may go by a name that nobody has confirmed. */
function mustGoOn({ head, mayBeStop }: Unreadable, policy: Policy): boolean {
  const { kind, operation, subresource, user } = head;
  if (operation === 'DELETE' || isHubAgent(policy, user)) return true;
  if (!policy.hubAgent.confirmed && isForAgent(head)) return true;
  return kind?.family === 'UpdateRun' && operation === 'UPDATE' && subresource === '' && mayBeStop;
}

function isAgentsOwn(head: ReviewHead, policy: Policy): boolean {
  return isHubAgent(policy, head.user) && isForAgent(head);
}

/** What the hub agent writes by itself. */
function isForAgent({ kind, subresource }: ReviewHead): boolean {
  return kind?.family === 'ApprovalRequest' || (kind?.family === 'UpdateRun' && subresource === 'status');
}

const fix =
  'Write an object of a sensible size and shape. One that is stored like this can be deleted and created anew: ' +
  'deletions are not refused for this.';

function refusalOf({ uid, name, kind }: ReviewHead, why: string): ReviewResponse {
  return {
    uid,
    allowed: false,
    status: {
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: `refused, because the review of this ${kind?.kind ?? 'object'} cannot be read: ${why}\n  Fix: ${fix}`,
      details: { name, group: kind?.group, kind: kind?.kind, causes: [{ reason: 'unreadable', message: why }] },
    },
  };
}
