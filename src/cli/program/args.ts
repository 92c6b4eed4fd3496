import { Command, CommanderError } from 'commander';
import type { Rule } from '../../engine/rule.js';
import { describe, exitCodeOf, exitCodes, GuardError } from '../../errors.js';
import { visibleLines } from '../../fleet/quoted.js';
import { catalogue } from '../../rules/index.js';
import { version } from '../../version.js';
import { bugReport } from './bug-report.js';
import { commandsFor } from './commands.js';
import type { CommandDefinition, Invocation } from './invocation.js';
import type { Io } from './io.js';

const exitCodeHelp = `
Exit codes:
  0  clean, or warnings only
  1  refused
  2  something could not be read, or wrong use
  3  a bug of stageguard`;

/** Runs a command line (without the names of Node and the script) and gives its exit code; never throws. */
export async function main(argv: readonly string[], io: Io, rules: readonly Rule[] = catalogue): Promise<number> {
  let exitCode: number = exitCodes.clean;
  const program = programFor({ io, rules, exitWith: (code) => (exitCode = code) }, await commandsFor(argv));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander throws for --help as well, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.unusable;
    io.err(
      error instanceof GuardError ? `${visibleLines(describe(error))}\n` : bugReport(error, argv.includes('--debug')),
    );
    return exitCodeOf(error);
  }
}

function programFor(invocation: Invocation, commands: readonly CommandDefinition[]): Command {
  const { io } = invocation;
  const program = new Command(io.isPlugin === true ? 'kubectl stageguard' : 'stageguard')
    .description('Guards KubeFleet staged rollouts: refuses what would fail, abort or silently do nothing.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .option('--debug', 'print stack traces of bugs')
    .addHelpText('after', exitCodeHelp)
    .showHelpAfterError('(--help tells more)')
    .configureOutput({
      writeOut: (text) => {
        io.out(text);
      },
      writeErr: (text) => {
        io.err(visibleLines(text));
      },
    })
    .exitOverride();
  for (const define of commands) {
    const command = define(invocation).copyInheritedSettings(program);
    program.addCommand(command);
  }
  return program;
}
