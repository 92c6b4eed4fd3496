import { Argument, Command } from 'commander';
import { entries } from '../config/entries.js';
import { exitCodes } from '../errors.js';
import { bashScript } from './completion/bash.js';
import { treeOf } from './completion/command-tree.js';
import { fishScript } from './completion/fish.js';
import { zshScript } from './completion/zsh.js';
import type { Invocation } from './program/invocation.js';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const examples = `
Examples:
  source <(stageguard completion bash)                                            in ~/.bashrc
  source <(stageguard completion zsh)                                             in ~/.zshrc, after compinit
  stageguard completion fish > ~/.config/fish/completions/stageguard.fish`;

export function completionCommand({ io, exitWith }: Invocation): Command {
  return new Command('completion')
    .description('print a script that completes commands, options and rules in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action((shell: keyof typeof scripts, _: unknown, invoked: Command) => {
      const tree = treeOf(invoked.parent ?? invoked, { rule: entries.map(({ id }) => id) });
      io.out(scripts[shell](tree));
      exitWith(exitCodes.clean);
    });
}
