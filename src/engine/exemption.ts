import { quoted } from '../fleet/quoted.js';
import { timeOf } from '../fleet/rfc3339.js';
import type { Change } from './change.js';
import type { Rule } from './rule.js';

/** By which an object asks to be let through: lines of `RULE: REASON`. See docs/exemptions.md. */
export const bypassAnnotation = 'stageguard.io/bypass';

/** What the right to do so is asked about. */
export const bypassRight = { group: 'stageguard.io', resource: 'rules', verb: 'bypass' } as const;

/** Longer than any honest list of reasons; what is longer is not read. */
export const longestBypass = 4_096;

/** How far ahead `until=` may lie: what is stored counts for everybody's next deletion of the object, so it has to be fresh. */
const mostAheadMilliseconds = 3_600_000;

/** A rule that an object names, and the reason that it gives. */
export interface AskedExemption {
  readonly rule: string;
  readonly reason: string;
  /** Why it counts for nothing, whoever writes; it completes "is not exempted: ...". */
  readonly flaw?: string;
}

/** What came of that, for rules that refuse. */
export interface Exemptions {
  readonly used: readonly AskedExemption[];
  readonly refused: readonly RefusedExemption[];
}

export interface RefusedExemption {
  readonly rule: string;
  readonly why: string;
  /** What to ask for, ready to paste; nothing where a right would not help. */
  readonly lines: readonly string[];
}

/** Whether a write carries the annotation at all. */
export function asksForExemption(change: Change): boolean {
  return bypassOf(change) !== undefined;
}

/** The rules that a write asks to be exempted from, by their ids; of several lines about one rule the last counts. */
export function askedExemptions(change: Change, now: number): ReadonlyMap<string, AskedExemption> {
  const text = bypassOf(change) ?? '';
  if (text.length > longestBypass) return new Map();
  const asked = text.split('\n').flatMap((line) => askedIn(line, { isStored: isStored(change), now }));
  return new Map(asked.map((one) => [one.rule, one]));
}

/** Whether there is more of it than is read. */
export function isBypassTooLong(change: Change): boolean {
  return (bypassOf(change) ?? '').length > longestBypass;
}

/** Whether a rule keeps approvals what they are: it is exempted from only where the operator says so. */
export function guardsGate({ appliesTo, reads }: Pick<Rule, 'appliesTo' | 'reads'>): boolean {
  return (
    reads.includes('ApprovalRequest') ||
    appliesTo.some(({ family }) => family === 'ApprovalRequest') ||
    appliesTo.every(({ subresource }) => subresource === 'status')
  );
}

/** One exemption for the eyes of people: `strategy-wait-time: "the hub has its own clock"`. */
export function exemptionText({ rule, reason }: AskedExemption): string {
  return `${rule}: ${quoted(reason)}`;
}

/** A deletion and a write of the status carry no annotation of their own. */
function isStored(change: Change): boolean {
  return change.operation === 'DELETE' || change.subresource === 'status';
}

function bypassOf(change: Change): string | undefined {
  const object = change.operation === 'CREATE' || !isStored(change) ? objectOf(change) : change.oldObject;
  return object?.metadata.annotations[bypassAnnotation];
}

function objectOf(change: Change): Exclude<Change, { operation: 'DELETE' }>['object'] | undefined {
  return change.operation === 'DELETE' ? undefined : change.object;
}

interface Circumstances {
  readonly isStored: boolean;
  readonly now: number;
}

function askedIn(line: string, circumstances: Circumstances): AskedExemption[] {
  const [, rule, rest = ''] = /^\s*([a-z0-9-]+)\s*:(.*)$/.exec(line) ?? [];
  if (rule === undefined) return [];
  const [, until] = /(?:^|\s)until=(\S*)\s*$/.exec(rest) ?? [];
  const reason = (until === undefined ? rest : rest.slice(0, rest.lastIndexOf('until='))).trim();
  const flaw = flawOf(reason, until, circumstances);
  return [{ rule, reason, ...(flaw !== undefined && { flaw }) }];
}

function flawOf(reason: string, until: string | undefined, { isStored, now }: Circumstances): string | undefined {
  if (reason === '') return 'the annotation gives no reason';
  if (until === undefined) {
    return isStored
      ? 'for this write the annotation has to end with until= and a time within the next hour'
      : undefined;
  }
  const time = timeOf(until);
  if (time === undefined) return `until=${quoted(until)} is no time such as 2026-11-19T03:00:00Z`;
  if (time <= now) return `until=${until} is over`;
  return time - now > mostAheadMilliseconds ? `until=${until} is more than an hour ahead` : undefined;
}
