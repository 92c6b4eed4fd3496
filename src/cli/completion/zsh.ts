import {
  shellWord,
  type CommandTree,
  type CompletedCommand,
  type CompletedOption,
  type Expected,
} from './command-tree.js';

/** A script for zsh, to be sourced or to stand in a folder of fpath. */
export function zshScript({ name, options, commands }: CommandTree): string {
  return `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
${commands.map((command) => `    ${shellWord(`${escaped(command.name)}:${command.description}`)}`).join('\n')}
  )
  _arguments -C ${options.map(optionSpec).join(' ')} '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe command commands ;;
    arguments)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function commandCase({ name, options, argument }: CompletedCommand): string {
  const specs = [...options.map(optionSpec), ...(argument.is === 'nothing' ? [] : [`'*:: :${action(argument)}'`])];
  return `        ${name}) _arguments ${specs.join(' ')} ;;`;
}

/** An option may stand several times; which of them may not, the program says. */
function optionSpec({ names, description, value }: CompletedOption): string {
  const text = `[${description.replaceAll(/[[\]\\:]/g, String.raw`\$&`)}]`;
  const after = value.is === 'nothing' ? '' : `:value:${action(value)}`;
  return names.map((name) => shellWord(`*${name}${text}${after}`)).join(' ');
}

function action(expected: Expected): string {
  if (expected.is === 'path') return '_files';
  return expected.is === 'word' && expected.choices.length > 0 ? `(${expected.choices.join(' ')})` : ' ';
}

function escaped(text: string): string {
  return text.replaceAll(':', String.raw`\:`);
}
