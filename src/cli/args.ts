import { Command, CommanderError } from 'commander';
import { describe, exitCodeOf, exitCodes, GuardError } from '../errors.js';
import { version } from '../version.js';
import { bugReport } from './bug-report.js';
import { commands } from './commands.js';
import type { Io } from './io.js';

const exitCodeHelp = `
Exit codes:
  0  clean, or warnings only
  1  refused
  2  something could not be read, or wrong use
  3  a bug of stageguard`;

/** Runs a command line (without the names of Node and the script) and gives its exit code; never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.clean;
  const program = programFor(io, (code) => (exitCode = code));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander throws for --help as well, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.unusable;
    io.err(error instanceof GuardError ? `${describe(error)}\n` : bugReport(error, argv.includes('--debug')));
    return exitCodeOf(error);
  }
}

function programFor(io: Io, exitWith: (code: number) => void): Command {
  const program = new Command('stageguard')
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
        io.err(text);
      },
    })
    .exitOverride();
  for (const define of commands) {
    const command = define({ io, exitWith }).copyInheritedSettings(program);
    program.addCommand(command);
  }
  return program;
}
