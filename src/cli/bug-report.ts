import { describe } from '../errors.js';

/** What a person is told of an exception that nobody expected. */
export function bugReport(error: unknown, withStack: boolean): string {
  const stack = withStack && error instanceof Error ? `${error.stack ?? ''}\n` : '';
  return (
    `stageguard has a bug: ${describe(error)}\n${stack}` +
    'Please report it with the command line, the input, and what the same prints with --debug.\n'
  );
}
