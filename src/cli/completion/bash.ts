import { shellWord, type CommandTree, type CompletedOption, type Expected } from './command-tree.js';

interface Level {
  /** Empty for what stands before any command. */
  readonly command: string;
  readonly options: readonly CompletedOption[];
  readonly argument: Expected;
}

/** A script for bash. Where it offers nothing, bash offers files. */
export function bashScript({ name, options, commands }: CommandTree): string {
  const names = commands.map((command) => command.name);
  const top: Level = { command: '', options, argument: { is: 'word', choices: names } };
  const levels = [top, ...commands.map((one) => ({ command: one.name, ...one }))];
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' word words=''
  # bash makes words of their own of what stands around an equals sign.
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${names.join(' | ')}) command=$word && break ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${levels.flatMap(valueCases).join('\n')}
  esac
  [[ -n $words ]] || case "$command $cur" in
${levels.map(optionCase).join('\n')}
${levels.flatMap(argumentCase).join('\n')}
  esac
  # Of bash 4 there is nothing here: macOS has bash 3.
  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;
}

function valueCases({ command, options }: Level): readonly string[] {
  const taking = options.filter(({ value }) => value.is !== 'nothing');
  const free = taking.filter(({ value }) => wordsOf(value) === '').flatMap((option) => patternsOf(command, option));
  const listed = taking
    .filter(({ value }) => wordsOf(value) !== '')
    .map((option) => `    ${patternsOf(command, option).join(' | ')}) words=${shellWord(wordsOf(option.value))} ;;`);
  return free.length === 0 ? listed : [`    ${free.join(' | ')}) return ;;`, ...listed];
}

function patternsOf(command: string, { names }: CompletedOption): readonly string[] {
  return names.map((name) => shellWord(`${command} ${name}`));
}

function wordsOf(expected: Expected): string {
  return expected.is === 'word' ? expected.choices.join(' ') : '';
}

function optionCase({ command, options }: Level): string {
  const words = options.flatMap(({ names }) => names).join(' ');
  return `    ${shellWord(`${command} -`)}*) words=${shellWord(words)} ;;`;
}

function argumentCase({ command, argument }: Level): readonly string[] {
  const words = wordsOf(argument);
  return words === '' ? [] : [`    ${shellWord(`${command} `)}*) words=${shellWord(words)} ;;`];
}
