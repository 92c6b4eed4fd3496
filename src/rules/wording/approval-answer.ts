import { isNear } from '../../fleet/nearest.js';

/** A condition as somebody has written it: any JSON whatever. */
interface Written {
  readonly type: unknown;
  readonly status: unknown;
}

/** What YAML makes of an answer without quotes is meant as the answer. */
const answers = new Map<unknown, string>([
  ['true', 'True'],
  ['false', 'False'],
  ['unknown', 'Unknown'],
]);

/**
 * What the writer of these conditions wanted to say of Approved, under whatever spelling; the right one counts first.
 * Undefined where they say nothing of it: a command to approve in the hands of someone who meant to reject would open
 * the gate.
 */
export function answerMeant(written: readonly Written[]): string | undefined {
  const said = written.find(({ type }) => type === 'Approved') ?? written.find(({ type }) => isMeantAsApproved(type));
  const status = said?.status;
  return answers.get(typeof status === 'boolean' ? String(status) : lowerCase(status));
}

/** The note of the controller, or a slip; but not what says the opposite, such as Unapproved. */
function isMeantAsApproved(type: unknown): boolean {
  return typeof type === 'string' && (type === 'ApprovalAccepted' || isSlipOfApproved(type));
}

export function isSlipOfApproved(type: string): boolean {
  return /^a/i.test(type) && isNear(type, 'Approved');
}

function lowerCase(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}
