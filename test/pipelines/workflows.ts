import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { scratchFolder } from '../support/scratch.js';
import { runStep, type Ended, type Step } from './runners.js';

const folder = join(import.meta.dirname, '..', '..', '.github', 'workflows');

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

export const workflowFiles = (): readonly string[] => readdirSync(folder).map((name) => join(folder, name));

export const workflow = (name: string): Workflow =>
  parse(readFileSync(join(folder, `${name}.yml`), 'utf8')) as Workflow;

/** The steps that are scripts, as `workflow, job: step`. */
export function scripts(): ReadonlyMap<string, Step> {
  const names = readdirSync(folder).map((file) => file.replace(/\.yml$/, ''));
  const all = names.flatMap((name) =>
    Object.entries(workflow(name).jobs).flatMap(([job, { env, steps }]) =>
      steps
        .filter(({ run }) => run !== undefined)
        .map((step) => {
          const inherited = { ...workflow(name).env, ...env };
          return [`${name}, ${job}: ${step.name ?? ''}`, { ...step, env: { ...inherited, ...step.env } }] as const;
        }),
    ),
  );
  return new Map(all);
}

/** A stand-in for a program that is not here: it writes down what it was told, and does what a script adds to that. */
export interface StandIn {
  readonly name: string;
  readonly script?: string;
}

/** A runner of GitHub, as far as scripts see it, in a checkout. */
export class Runner {
  readonly context: Record<string, string> = {};
  private readonly programs = join(scratchFolder(), 'bin');
  private readonly temporary = scratchFolder();

  constructor(
    readonly checkout: string,
    standIns: readonly StandIn[],
  ) {
    mkdirSync(this.programs);
    for (const { name, script = '' } of standIns) {
      const log = join(this.temporary, 'told');
      const told = `{ printf '%s' ${name}; printf ' %s' "$@"; echo; } >> '${log}'`;
      writeFileSync(join(this.programs, name), `#!/bin/bash\n${told}\n${script}\n`, { mode: 0o755 });
    }
    writeFileSync(join(this.temporary, 'told'), '');
  }

  /** Runs a step by the name that `scripts` gives to it. */
  run(name: string, environment: Readonly<Record<string, string>> = {}): Ended {
    const step = scripts().get(name);
    if (step === undefined) throw new Error(`there is no step ${name}`);
    const { context, checkout: workspace, programs } = this;
    const env = { ...step.env, RUNNER_TEMP: this.temporary, ...environment };
    return runStep({ ...step, env }, { context, summary: join(this.temporary, 'summary'), workspace, programs });
  }

  /** What the stand-ins were told since this was asked last. */
  told(): readonly string[] {
    const log = join(this.temporary, 'told');
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    writeFileSync(log, '');
    return lines;
  }
}
