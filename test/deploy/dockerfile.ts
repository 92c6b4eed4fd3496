import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly name: string;
  readonly base: string;
  /** The folder that stands for the root of its file system. */
  readonly root: string;
  readonly instructions: readonly Instruction[];
}

/** The instructions of a Dockerfile by stage; enough of the syntax for ours. */
export function readStages(text: string, scratch: string): readonly Stage[] {
  const stages: (Omit<Stage, 'instructions'> & { instructions: Instruction[] })[] = [];
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [, base = '', name = 'final'] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ name, base, root: join(scratch, name), instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, rest });
  }
  return stages;
}

/** What one instruction says, or the JSON list that it holds. */
export function lastOf(stage: Stage, word: string): string {
  return stage.instructions.findLast((instruction) => instruction.word === word)?.rest ?? '';
}

export interface Host {
  /** The folder that is built from. */
  readonly context: string;
  readonly stages: readonly Stage[];
  /** Runs a command in a folder. */
  readonly run: (command: string, folder: string) => void;
}

/** Does what the instructions of a stage say, below its own root. */
export function buildStage(stage: Stage, host: Host): void {
  let folder = stage.root;
  mkdirSync(folder, { recursive: true });
  for (const { word, rest } of stage.instructions) {
    if (word === 'WORKDIR') mkdirSync((folder = join(stage.root, rest)), { recursive: true });
    else if (word === 'RUN') host.run(rest, folder);
    else if (word === 'COPY') copy(rest, { stage, folder, host });
  }
}

function copy(rest: string, { stage, folder, host }: { stage: Stage; folder: string; host: Host }): void {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  const origin = from === undefined ? host.context : host.stages.find(({ name }) => name === from)?.root;
  if (origin === undefined) throw new Error(`no stage ${String(from)}`);
  const to = target.startsWith('/') ? join(stage.root, target) : join(folder, target);
  for (const source of words.flatMap((pattern) => expand(join(origin, pattern)))) {
    // A folder is copied by its content, a file into a folder where the target ends in a slash.
    const isInto = target.endsWith('/') && !statSync(source).isDirectory();
    const path = isInto ? join(to, basename(source)) : to;
    mkdirSync(dirname(path), { recursive: true });
    cpSync(source, path, { recursive: true });
  }
}

function expand(path: string): readonly string[] {
  const pattern = new RegExp(`^${basename(path).replaceAll(/[.+]/g, '\\$&').replaceAll('*', '.*')}$`);
  const found = basename(path).includes('*')
    ? readdirSync(dirname(path))
        .filter((name) => pattern.test(name))
        .map((name) => join(dirname(path), name))
    : [path].filter((each) => existsSync(each));
  if (found.length === 0) throw new Error(`COPY finds nothing at ${path}`);
  return found;
}

export function shell(command: string, folder: string): void {
  execFileSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}
