import type { Entry } from '../engine/rule.js';
import { stampApprovalEntry } from '../mutations/stamp-approval.js';
import { approvalRules, runRules } from '../rules/audit-findings.js';
import { catalogue } from '../rules/index.js';

/** What judges no write: the findings of an audit, and what is changed unasked. */
export const others: readonly Entry[] = [...runRules, ...approvalRules, stampApprovalEntry];

/** Everything that has an id and a mode. */
export const entries: readonly Entry[] = [...catalogue, ...others];
