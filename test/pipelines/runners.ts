import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { scratchFolder } from '../support/scratch.js';

const root = join(import.meta.dirname, '..', '..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Ended {
  const [program = '', ...args] = command;
  const options = { cwd, encoding: 'utf8', env: { ...environment(), ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return { code: status, stdout, stderr };
}

let programs: string | undefined;

/**
 * The one thing that is not as at home: a registry. `npm ci` and a plain `npm install` bring the packages of this
 * repository; all else is the real npm, offline.
 */
function environment(): NodeJS.ProcessEnv {
  programs ??= withNpm(scratchFolder());
  const path = `${programs}${delimiter}${process.env['PATH'] ?? ''}`;
  return { ...process.env, PATH: path, npm_config_offline: 'true', npm_config_cache: join(programs, 'cache') };
}

function withNpm(folder: string): string {
  const real = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  const script = `#!/bin/sh
if [ "$1" = ci ] || { [ "$1" = install ] && [ "$2" != -g ]; }; then exec ln -s ${join(root, 'node_modules')} node_modules; fi
exec ${real} "$@"
`;
  mkdirSync(join(folder, 'cache'));
  writeFileSync(join(folder, 'npm'), script, { mode: 0o755 });
  return folder;
}

/** A step of an action, or of a job of a workflow. */
export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly description: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export const readAction = (folder: string): Action => parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action;

/** What a workflow sees of an action that has run. */
export interface ActionRun extends Ended {
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Other actions that it has used, with what they were given. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
}

type Context = Readonly<Record<string, string>>;

/** The value of an expression of GitHub: names, texts, `always()`, `==`, `!=` and `&&`. */
function valueOf(expression: string, context: Context): string | boolean {
  const text = expression.trim();
  if (text.includes('&&')) return text.split('&&').every((part) => valueOf(part, context) === true);
  const [, left, operator, right] = /^(.+?)\s*([!=]=)\s*(.+)$/.exec(text) ?? [];
  if (left !== undefined && right !== undefined) {
    return (valueOf(left, context) === valueOf(right, context)) === (operator === '==');
  }
  if (text === 'always()') return true;
  const literal = /^'(.*)'$/.exec(text)?.[1];
  if (literal !== undefined) return literal;
  if (!/^[\w.-]+$/.test(text)) throw new Error(`the runner does not know ${text}`);
  return context[text] ?? '';
}

const filled = (text: string, context: Context): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(valueOf(expression, context)));

const filledAll = (texts: Readonly<Record<string, string>> = {}, context: Context): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, context)]));

const usualOf = ({ inputs }: Action): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, { default: usual = '' }]) => [`inputs.${name}`, usual]));

/** Runs a composite action in a workspace, as a runner of GitHub does. */
export function runAction(folder: string, workspace: string, given: Readonly<Record<string, string>>): ActionRun {
  const action = readAction(folder);
  const context: Record<string, string> = { 'github.action_path': folder, ...usualOf(action) };
  for (const [name, value] of Object.entries(given)) context[`inputs.${name}`] = value;
  const summary = join(scratchFolder(), 'summary');
  const used: { uses: string; with: Record<string, string> }[] = [];
  let ended: Ended = { code: 0, stdout: '', stderr: '' };
  for (const step of action.runs.steps) {
    const condition = /^\$\{\{(.*)\}\}$/.exec(step.if ?? '')?.[1];
    const isWanted = condition === undefined ? ended.code === 0 : valueOf(condition, context) === true;
    if (!isWanted) continue;
    if (step.uses !== undefined) used.push({ uses: step.uses, with: filledAll(step.with, context) });
    if (step.run === undefined) continue;
    const ran = runStep(step, { context, summary, workspace });
    ended = { code: ended.code === 0 ? ran.code : ended.code, stdout: ended.stdout + ran.stdout, stderr: ran.stderr };
  }
  const outputs = filledAll(
    Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, value])),
    context,
  );
  return { ...ended, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '', outputs, used };
}

export interface Workplace {
  /** What expressions can name; a step adds its outputs. */
  readonly context: Record<string, string>;
  readonly summary: string;
  readonly workspace: string;
  /** Programs that come before those of the machine. */
  readonly programs?: string;
}

/** Runs a step with the shell that `shell: bash` names. */
export function runStep(step: Step, { context, summary, workspace, programs: own = '' }: Workplace): Ended {
  const files = scratchFolder();
  const [script, output] = [join(files, 'step.sh'), join(files, 'output')];
  writeFileSync(script, filled(step.run ?? '', context));
  writeFileSync(output, '');
  const path = [own, environment()['PATH'] ?? ''].filter((folders) => folders !== '').join(delimiter);
  const given = { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, PATH: path };
  const env = { ...filledAll(step.env, context), ...given };
  const ran = execute(['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script], workspace, env);
  for (const [, name, value = ''] of readFileSync(output, 'utf8').matchAll(/^([\w-]+)=(.*)$/gm)) {
    context[`steps.${step.id ?? ''}.outputs.${name ?? ''}`] = value;
  }
  return ran;
}

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly args: readonly string[];
  readonly files: string;
  readonly language: string;
  readonly pass_filenames: boolean;
}

export const hooks = (): readonly Hook[] =>
  parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as readonly Hook[];

/** Installs a clone as pre-commit does for `language: node` (pre_commit/languages/node.py), and tells where its programs are. */
export function installHook(source: string): { readonly home: string; readonly packed: string } {
  const home = scratchFolder();
  const env = { NPM_CONFIG_PREFIX: home, npm_config_prefix: home };
  const done = (...command: readonly string[]): string => {
    const { code, stdout, stderr } = execute(command, source, env);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  done('npm', 'install', '--include=dev', '--include=prod', '--ignore-prepublish', '--no-progress', '--no-save');
  // What it prints is taken for the name of the file, all of it.
  const packed = join(source, done('npm', 'pack').trim());
  done('npm', 'install', '-g', packed);
  return { home, packed };
}

/** Runs a hook for a commit of these files; undefined where it is not concerned. */
export function runHook(
  hook: Hook,
  home: string,
  commit: { folder: string; files: readonly string[] },
): Ended | undefined {
  const concerned = commit.files.filter((file) => new RegExp(hook.files).test(file));
  if (concerned.length === 0) return undefined;
  const names = hook.pass_filenames ? concerned : [];
  const path = `${join(home, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  return execute([...hook.entry.split(' '), ...hook.args, ...names], commit.folder, { PATH: path });
}

interface Component {
  readonly spec: { readonly inputs: Readonly<Record<string, { readonly default?: string }>> };
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly script: readonly string[];
  readonly artifacts: { readonly reports: Readonly<Record<string, string>> };
}

/** A GitLab component with its inputs filled in, as GitLab does before it makes a pipeline of it. */
export function component(file: string, given: Readonly<Record<string, string>>): Component {
  const text = readFileSync(join(root, file), 'utf8');
  const [header] = parseAllDocuments(text);
  const { spec } = header?.toJS() as Pick<Component, 'spec'>;
  const [, body = ''] = text.split(/^---\n/m);
  const jobs = body.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = given[name] ?? spec.inputs[name]?.default;
    if (value === undefined) throw new Error(`the input ${name} is needed`);
    return value;
  });
  return { spec, jobs: parse(jobs) as Component['jobs'] };
}

/** Runs the script of a job, line after line in one shell, as a runner of GitLab does. */
export function runJob({ script }: Job, folder: string): Ended {
  return execute(['sh', '-ec', script.join('\n')], folder);
}

/** The examples as a repository that has them at its root. */
export function workspaceWith(...folders: readonly string[]): string {
  const workspace = scratchFolder();
  mkdirSync(join(workspace, '.git'));
  for (const folder of folders) cpSync(join(root, 'examples', folder), join(workspace, folder), { recursive: true });
  return workspace;
}
