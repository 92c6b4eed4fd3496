import type { RuleFailure } from '../../engine/verdict.js';
import { describe } from '../../errors.js';
import { visible, visibleLines } from '../../fleet/quoted.js';
import type { Io } from './io.js';

/** Rules that threw are told, whatever became of the report. */
export function tellFailures(failures: readonly RuleFailure[], { err }: Pick<Io, 'err'>, withStack: boolean): void {
  for (const { rule, error } of failures) err(`rule ${rule}: ${bugReport(error, withStack)}`);
}

/** What a person is told of an exception that nobody expected. */
export function bugReport(error: unknown, withStack: boolean): string {
  const stack = withStack && error instanceof Error ? `${visibleLines(error.stack ?? '')}\n` : '';
  return (
    `stageguard has a bug: ${visible(describe(error))}\n${stack}` +
    'Please report it with the command line, the input, and what the same prints with --debug.\n'
  );
}
