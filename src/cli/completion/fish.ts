import {
  shellWord,
  type CommandTree,
  type CompletedCommand,
  type CompletedOption,
  type Expected,
} from './command-tree.js';

/** A script for fish. */
export function fishScript({ name, options, commands }: CommandTree): string {
  const names = commands.map((command) => command.name).join(' ');
  const before = `not __fish_seen_subcommand_from ${names}`;
  return [
    `# fish completion of ${name}: ${name} completion fish | source`,
    `complete -c ${name} -f`,
    ...options.map((option) => line(name, before, optionFlags(option))),
    ...commands.flatMap((command) => [
      line(name, before, `-a ${command.name} -d ${fishWord(command.description)}`),
      ...linesOf(name, command),
    ]),
    '',
  ].join('\n');
}

function linesOf(program: string, { name, options, argument }: CompletedCommand): readonly string[] {
  const inside = `__fish_seen_subcommand_from ${name}`;
  const words = argument.is === 'nothing' ? [] : [line(program, inside, valueFlags(argument))];
  return [...options.map((option) => line(program, inside, optionFlags(option))), ...words];
}

function line(program: string, condition: string, flags: string): string {
  return `complete -c ${program} -n ${shellWord(condition)} ${flags}`;
}

function optionFlags({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const after = value.is === 'nothing' ? [] : ['-r', valueFlags(value)];
  return [...flags, '-d', fishWord(description), ...after].join(' ');
}

function valueFlags(expected: Expected): string {
  if (expected.is === 'path') return '-F';
  return expected.is === 'word' && expected.choices.length > 0
    ? `-f -a ${shellWord(expected.choices.join(' '))}`
    : '-f';
}

/** In fish a backslash means something inside quotes as well. */
function fishWord(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
