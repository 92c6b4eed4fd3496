import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { entries } from '../../src/config/entries.js';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

const shells = ['bash', 'zsh', 'fish'] as const;
const isHere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await run(['completion', shell]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const file = join(scratchFolder(), `completion.${shell}`);
  writeFileSync(file, out);
  return file;
}

/** The commands that the help lists. */
async function commandNames(): Promise<readonly string[]> {
  const { out } = await run(['--help']);
  const [, listed = ''] = out.split('\nCommands:\n');
  return [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
}

test.each(shells)('every command, and every option that its help has, is completed in %s', async (shell) => {
  const { out: script } = await run(['completion', shell]);
  const names = await commandNames();
  expect(names).toEqual(expect.arrayContaining(['check', 'plan', 'completion', 'help']));
  for (const name of names.filter((one) => one !== 'help')) {
    expect(script).toContain(name);
    const { out } = await run([name, '--help']);
    const options = [...out.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, option = '']) => option);
    expect(options.length).toBeGreaterThan(0);
    for (const option of options) expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
  }
});

/** What bash offers where the last of these words is being typed. */
function inBash(script: string, words: readonly string[]): readonly string[] {
  const ask = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $(complete -p stageguard | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-euc', ask, 'bash', script, 'stageguard', ...words], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

describe('bash offers', () => {
  const rules = entries.map(({ id }) => id);

  test.each<[string[], string[]]>([
    [['ch'], ['check']],
    [['--v'], ['--version']],
    [['check', '--fo'], ['--format']],
    [['check', '--format', 's'], ['sarif']],
    [['check', 'deploy/', '--format', '=', 'ju'], ['junit']],
    [
      ['check', '--fail-on', ''],
      ['deny', 'warn'],
    ],
    [
      ['--debug', 'rules', '--format', ''],
      ['text', 'json'],
    ],
    [['diagnose', '-n', ''], []],
    [['check', ''], []],
    [['check', '--config', ''], []],
    [['explain', ''], rules],
    [
      ['explain', 'run-placement-e'],
      ['run-placement-exists', 'run-placement-external'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['help', 'expl'], ['explain']],
  ])('for %j', async (words, expected) => {
    expect(inBash(await scriptFor('bash'), words)).toEqual(expected);
  });
});

// CI installs both where it can; what is asked of every script stands above.
const others = {
  zsh: (script: string) =>
    execFileSync('zsh', ['-fc', `autoload -U compinit && compinit -Du && . ${script} && print $_comps[stageguard]`], {
      encoding: 'utf8',
    }),
  fish: (script: string) =>
    execFileSync('fish', ['-Nc', `source ${script}; complete -C 'stageguard check --format sa' | cut -f1`], {
      encoding: 'utf8',
    }),
};
const expected = { zsh: '_stageguard\n', fish: 'sarif\n' };

test('zsh and fish take their scripts, where they are', async () => {
  for (const shell of ['zsh', 'fish'] as const) {
    if (isHere(shell)) expect(others[shell](await scriptFor(shell))).toBe(expected[shell]);
  }
});

test('a shell that it does not know is wrong use', async () => {
  expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, out: '' });
});
