import type { Argument, Command, Option } from 'commander';

/** What may stand after an option, or in the place of an argument. */
export type Expected =
  { readonly is: 'nothing' } | { readonly is: 'path' } | { readonly is: 'word'; readonly choices: readonly string[] };

export interface CompletedOption {
  /** Such as `-n` and `--namespace`, the short one first. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Expected;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  readonly argument: Expected;
}

/** All that a shell completes: what the program itself reads, so that the two cannot drift apart. */
export interface CommandTree {
  readonly name: string;
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

/** The commands of a program; `words` has what stands for an argument by its name, where the command does not say. */
export function treeOf(program: Command, words: Readonly<Record<string, readonly string[]>>): CommandTree {
  const help = program.createHelp();
  const names = help.visibleCommands(program).map((command) => command.name());
  const known = { ...words, command: names };
  return {
    name: program.name(),
    options: help.visibleOptions(program).map(optionOf),
    commands: help.visibleCommands(program).map((command) => ({
      name: command.name(),
      description: command.description(),
      options: help.visibleOptions(command).map(optionOf),
      argument: argumentOf(command.registeredArguments[0], known),
    })),
  };
}

function optionOf(option: Option): CompletedOption {
  const { short, long, description } = option;
  return { names: [short, long].filter((name) => name !== undefined), description, value: valueOf(option) };
}

const paths = /<(?:file|path|dir)>/;

function valueOf({ flags, required, optional, argChoices }: Option): Expected {
  if (!required && !optional) return { is: 'nothing' };
  return paths.test(flags) ? { is: 'path' } : { is: 'word', choices: argChoices ?? [] };
}

function argumentOf(argument: Argument | undefined, words: Readonly<Record<string, readonly string[]>>): Expected {
  if (argument === undefined) return { is: 'nothing' };
  const name = argument.name();
  return name === 'path' ? { is: 'path' } : { is: 'word', choices: argument.argChoices ?? words[name] ?? [] };
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
