/** Every expected failure, by what the person at the other end can do about it. */
export type ErrorCode =
  | 'INPUT_UNREADABLE'
  | 'INPUT_SHAPE'
  | 'INPUT_USAGE'
  | 'CONFIG_UNREADABLE'
  | 'CONFIG_NOT_YAML'
  | 'CONFIG_INVALID'
  | 'CLUSTER_UNREACHABLE'
  | 'CLUSTER_FORBIDDEN'
  | 'CLUSTER_TIMEOUT';

/** A failure that is not a bug: bad input, bad settings, or a cluster that does not answer. */
export class GuardError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GuardError';
    this.code = code;
  }
}

/** Says in one line what any thrown value is, its causes included. */
export function describe(thrown: unknown): string {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  let current = thrown;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    const part = describeOne(current);
    // A wrapper often quotes its cause already; saying it twice helps nobody.
    if (!parts.some((said) => said.includes(part))) parts.push(part);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.length > 0 ? parts.join(': ') : 'undefined was thrown';
}

function describeOne(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string') return thrown;
  try {
    // Functions and symbols have no JSON, whatever the declared type says.
    const json = JSON.stringify(thrown) as string | undefined;
    return json ?? typeof thrown;
  } catch {
    // Cycles and BigInt have no JSON; their type is all there is to say.
    return Object.prototype.toString.call(thrown);
  }
}

/** Exit codes of every command. */
export const exitCodes = { clean: 0, refused: 1, unusable: 2, bug: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code a thrown value ends the process with: what the user can fix is 2, anything else is a bug. */
export function exitCodeOf(thrown: unknown): ExitCode {
  return thrown instanceof GuardError ? exitCodes.unusable : exitCodes.bug;
}
