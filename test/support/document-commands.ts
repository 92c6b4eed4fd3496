import { readdirSync } from 'node:fs';
import { readRepositoryFile } from './examples.js';

/** A command that a document tells people to type. */
export interface DocumentCommand {
  readonly file: string;
  /** The nearest heading above it. */
  readonly heading: string;
  readonly command: string;
}

/** The documents that people read, but for those that are written from the code. */
export function documents(): readonly string[] {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'rules.md');
  return [
    'README.md',
    'examples/README.md',
    'examples/gitops/README.md',
    'charts/stageguard/README.md',
    ...pages.map((name) => `docs/${name}`).sort(),
  ];
}

/** The commands of blocks of shell, and those after a prompt in other blocks. */
export function commandsIn(file: string): readonly DocumentCommand[] {
  const commands: DocumentCommand[] = [];
  let heading = '';
  const text = readRepositoryFile(file).replaceAll(
    /^( *)```(\w*)\n([^]*?)^\1```$/gm,
    (_, indent: string, language: string, block: string) => {
      const lines = block.split('\n').map((line) => line.slice(indent.length));
      return `\u0000${JSON.stringify(language === 'sh' ? joined(lines) : prompted(lines))}`;
    },
  );
  for (const line of text.split('\n')) {
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
    if (!line.startsWith('\u0000')) continue;
    const block = JSON.parse(line.slice(1)) as readonly string[];
    commands.push(...block.map((command) => ({ file, heading, command })));
  }
  return commands;
}

const prompted = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));

/** Lines as a shell takes them: with what follows a backslash, and with its here-document. Comments are none. */
function joined(lines: readonly string[]): readonly string[] {
  const commands: string[] = [];
  let end: string | undefined;
  for (const line of lines) {
    const last = commands.at(-1);
    const goesOn = end !== undefined || last?.endsWith('\\') === true;
    if (last !== undefined && goesOn) commands[commands.length - 1] = `${last}\n${line}`;
    else if (line !== '' && !line.startsWith('#')) commands.push(line);
    if (end === undefined) end = /<<'(\w+)'$/.exec(line)?.[1];
    else if (line === end) end = undefined;
  }
  return commands;
}
