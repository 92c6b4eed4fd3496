import { Argument, Command } from 'commander';
import { Document, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Config } from '../config/config.js';
import { defaultConfig } from '../config/load.js';
import { parsed } from '../config/places.js';
import { parseConfig, readConfigText } from '../config/read.js';
import { exitCodes, GuardError } from '../errors.js';
import { plain, visibleLines } from '../fleet/quoted.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';

type Action = 'check' | 'show';

const help = `
check tells what is wrong with a file, each problem with its line, and ends with exit code 2 where something is.
show prints all settings as they hold, with where each comes from; it is a file of settings itself.

Examples:
  stageguard config check stageguard.yaml
  stageguard config show stageguard.yaml
  stageguard config show                        the defaults`;

export function configCommand({ io, exitWith }: Invocation): Command {
  return new Command('config')
    .description('check a file of settings, or show what it comes to')
    .addArgument(new Argument('<action>', 'what to do').choices(['check', 'show']))
    .argument('[file]', 'the settings, as the server has them')
    .addHelpText('after', help)
    .action(async (action: Action, file: string | undefined) => {
      exitWith(await actions[action](file, io));
    });
}

const actions: Readonly<Record<Action, (file: string | undefined, io: Io) => Promise<number>>> = {
  async check(file, io) {
    if (file === undefined) throw new GuardError('INPUT_USAGE', 'name the file to check');
    parseConfig(file, await readConfigText(file));
    io.out(`${plain(file)}: no problems\n`);
    return exitCodes.clean;
  },

  async show(file, io) {
    const text = file === undefined ? '' : await readConfigText(file);
    const config = file === undefined ? defaultConfig() : parseConfig(file, text);
    const { lineOf } = parsed(text);
    io.out(
      withOrigins(config, (path) => {
        const line = lineOf(path);
        return line === undefined ? 'default' : `${plain(file ?? '')}:${String(line)}`;
      }),
    );
    return exitCodes.clean;
  },
};

type Path = readonly string[];

/** All settings as YAML, each value with a comment that says where it comes from. */
function withOrigins(config: Config, originOf: (path: Path) => string): string {
  const document = new Document(config);
  const mark = (node: unknown, path: Path): void => {
    if (isMap(node) && node.items.length > 0) {
      for (const { key, value } of node.items) mark(value, [...path, isScalar(key) ? String(key.value) : '']);
    } else if (isSeq(node) && node.items.length > 0) {
      node.items.forEach((item, index) => {
        mark(item, [...path, String(index)]);
      });
    } else if (isNode(node)) node.comment = ` ${originOf(path)}`;
  };
  mark(document.contents, []);
  return visibleLines(document.toString({ lineWidth: 0 }));
}
