import { Command, Option } from 'commander';
import type { FileReader } from '../sources/manifests/file-reader.js';
import { readManifests, type ManifestIo } from '../sources/manifests/read.js';
import { judgeManifests, requestsOf } from '../guard/manifest-judge.js';
import { GuardError } from '../errors.js';
import { tellFailures } from './program/bug-report.js';
import {
  addFleetOptions,
  namespaceFor,
  namespaceOption,
  policyOn,
  withFleet,
  type FleetOptions,
} from './options/fleet-option.js';
import type { FixOptions } from './fix/fix.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { readConfig } from '../config/read.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';
import { checkReport, exitCodeFor, type CheckReport } from './report/model.js';
import { timeLimit } from './options/time-limit.js';

export interface CheckOptions extends FleetOptions, FormatOptions, FixOptions {
  readonly paths: readonly string[];
  readonly config?: string;
  readonly allowEmpty?: boolean;
  readonly debug?: boolean;
  readonly exclude?: readonly string[];
  readonly gitignore?: boolean;
}

const examples = `
The manifests are judged as if they were all applied at once, so that a run in one file
sees the strategy in another. Without --fleet or --live, what they do not hold is unknown,
and what depends on it is not judged. An object that the fleet already holds is judged as an update.

Examples:
  stageguard check deploy/                            every .yaml, .yml and .json below deploy/
  stageguard check deploy/ --fleet hub/               against the hub as hub/ describes it
  stageguard check deploy/ --live                     against the hub that kubectl is logged in to
  stageguard check . --exclude test/                  a whole repository, but for a folder
  kustomize build . | stageguard check -              standard input
  stageguard check deploy/ --fix                      shows edits, and writes them if you say so
  stageguard check deploy/ --format json              for programs
  stageguard check deploy/ --format sarif=out.sarif   text to read, and a file for code scanning

A fleet of the hub you are logged in to:
  stageguard export > hub.json`;

export function checkCommand({ io, exitWith, rules }: Invocation): Command {
  const command = new Command('check')
    .description('judge manifests before they are applied')
    .argument('<path...>', 'files, folders with all below them, or - for standard input');
  return addFleetOptions(command, { isNeeded: false })
    .addOption(namespaceOption())
    .option('--config <file>', 'settings, as the server has them')
    .addOption(excludeOption())
    .option('--no-gitignore', 'judge also what .gitignore leaves out')
    .addOption(formatOption('check'))
    .addOption(
      new Option('--fail-on <severity>', 'what ends with exit code 1').choices(['deny', 'warn']).default('deny'),
    )
    .option('--allow-empty', 'find nothing to check without an error')
    .option('--fix', 'put right what is misspelled or written in a form that is refused; shows what, and asks')
    .option('--fix-unsafe', 'put right also what changes which clusters are selected, names, or whether a run starts')
    .option('--yes', 'with --fix: write without asking')
    .option('--quiet', 'in text, only what fails or cannot be read')
    .addHelpText('after', examples)
    .action(async (paths: string[], _: unknown, invoked: Command) => {
      const options = invoked.optsWithGlobals<Omit<CheckOptions, 'paths'>>();
      exitWith(await runCheck({ ...options, paths }, { io, rules }));
    });
}

function excludeOption(): Option {
  const collect = (value: string, given: readonly string[] | undefined): readonly string[] => [...(given ?? []), value];
  const help = 'leave out what matches, as in a .gitignore of the folder that is given; may be given several times';
  return new Option('--exclude <pattern>', help).argParser(collect);
}

/** Judges manifests and reports; the exit code says what came of it. */
async function runCheck(options: CheckOptions, { io, rules }: Pick<Invocation, 'io' | 'rules'>): Promise<number> {
  const config = await readConfig(options.config);
  const isTimeUp = timeLimit();
  const files = { ...filesOf(io), isTimeUp };
  const selection = { exclude: options.exclude ?? [], gitignore: options.gitignore ?? true };
  const wantsFix = wantsEdits(options);
  const report = await withFleet(options, { io, files }, async (source) => {
    const judge = async (reader?: FileReader): Promise<CheckReport> => {
      const namespace = namespaceFor(options, source);
      const manifests = await readManifests(options.paths, {
        ...files,
        selection,
        namespace,
        ...(reader && { reader }),
      });
      const [known, policy] = await Promise.all([source.asked(requestsOf(manifests)), policyOn(source, config)]);
      const input = { manifests, known, rules, policy, now: io.now(), isTimeUp };
      const all = checkReport(input, judgeManifests(input));
      return options.allowEmpty === true ? all : withoutEmptiness(all, options.paths);
    };
    if (!wantsFix) return judge();
    const { fix } = await import('./fix/fix.js');
    return fix({ options, io, rules, judge });
  });
  await printReport(report, options, io);
  tellFailures(report.failures, io, options.debug ?? false);
  return exitCodeFor(report, options.failOn);
}

function wantsEdits({ fix = false, fixUnsafe = false, yes = false, paths }: CheckOptions): boolean {
  const isWanted = fix || fixUnsafe;
  if (yes && !isWanted) throw new GuardError('INPUT_USAGE', '--yes needs --fix or --fix-unsafe');
  if (isWanted && paths.includes('-')) {
    throw new GuardError('INPUT_USAGE', '--fix needs files: nothing can be written to standard input');
  }
  return isWanted;
}

/** Nothing to check is not the same as no problems: it is a wrong path, or an empty pipe. */
function withoutEmptiness(report: CheckReport, paths: readonly string[]): CheckReport {
  const { checked, findings, errors } = report;
  if (checked + findings.length + errors.length > 0) return report;
  const file = paths.length === 1 ? (paths[0] ?? '') : `${String(paths.length)} paths`;
  const message = 'holds no object that stageguard checks';
  const fix = 'Give a path that does, or --allow-empty where there may be none.';
  return { ...report, errors: [{ file, message, fix }] };
}

/** A progress line is worth it only where one has to wait. */
const filesWorthProgress = 50;

function filesOf(io: Io): ManifestIo {
  return {
    stdin: () => io.stdin(),
    onFile(done, total) {
      if (!io.hasProgress || total < filesWorthProgress) return;
      const isLast = done + 1 === total;
      io.err(isLast ? '\r\u001b[K' : `\rreading file ${String(done + 1)} of ${String(total)}`);
    },
  };
}
