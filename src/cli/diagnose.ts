import { Command, Option } from 'commander';
import { readConfig } from '../config/read.js';
import { diagnose } from '../diagnosis/diagnose.js';
import { healths, states, type Diagnosis } from '../diagnosis/diagnosis.js';
import { Redaction } from '../diagnosis/redact.js';
import type { Policy } from '../engine/policy.js';
import { subjectName } from '../engine/message.js';
import { exitCodes, GuardError, type ExitCode } from '../errors.js';
import { Facts } from '../fleet/facts.js';
import { plain } from '../fleet/quoted.js';
import type { UpdateRun } from '../fleet/model.js';
import { isOver } from '../fleet/run.js';
import { bindingsOf } from '../guard/manifest-judge.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';
import type { FleetSource } from '../sources/fleet-source.js';
import type { ManifestProblem } from '../sources/manifests/files.js';
import { addFleetOptions, policyOn, withFleet, type FleetOptions } from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import type { DiagnosisReport } from './report/diagnosis-model.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';

export interface DiagnoseOptions extends FleetOptions, FormatOptions {
  readonly runs: readonly string[];
  readonly namespace?: string;
  readonly config?: string;
  readonly redact?: boolean;
  readonly at?: number;
}

const examples = `
Says what a run is doing, why it does not go on, with the objects and fields that show it,
and what to do. Without a name: every run that is not over or failed within a day, the worst first.
Nothing is written.

Examples:
  stageguard diagnose                           all runs of the hub that kubectl is logged in to
  stageguard diagnose payments-v12              one run
  stageguard diagnose release -n team-a         one of a namespace
  stageguard diagnose --fleet hub.json          a hub as files describe it
  stageguard diagnose payments-v12 --format markdown --redact > ticket.md

Exit codes:
  0  all is well, or waits as planned
  1  something is wrong
  2  something could not be read, or wrong use`;

export function diagnoseCommand({ io, exitWith, rules }: Invocation): Command {
  const command = new Command('diagnose')
    .description('say what is the matter with runs, and what to do')
    .argument('[run...]', 'names of runs (default: all that are not over, or failed lately)')
    .option('-n, --namespace <namespace>', 'the namespace of the runs');
  return addFleetOptions(command, { isNeeded: true })
    .option('--config <file>', 'settings, as the server has them')
    .addOption(formatOption('diagnose'))
    .option('--redact', 'put placeholders in the place of names, for tickets that others read')
    .addOption(
      new Option('--at <time>', 'the moment to count from, for a recording (default: now)').argParser(momentOf),
    )
    .addHelpText('after', examples)
    .action(async (runs: string[], _: unknown, invoked: Command) => {
      const options = invoked.optsWithGlobals<Omit<DiagnoseOptions, 'runs'>>();
      exitWith(await runDiagnose({ ...options, runs }, { io, rules }));
    });
}

function momentOf(text: string): number {
  const at = Date.parse(text);
  if (!Number.isFinite(at)) throw new GuardError('INPUT_USAGE', `--at wants a time such as 2026-11-18T12:00:00Z`);
  return at;
}

async function runDiagnose(
  options: DiagnoseOptions,
  { io, rules }: Pick<Invocation, 'io' | 'rules'>,
): Promise<ExitCode> {
  const config = await readConfig(options.config);
  const source = { live: options.fleet === undefined, ...options };
  const files = { stdin: () => io.stdin() };
  const now = options.at ?? io.now();
  const report = await withFleet(source, { io, files, isTolerant: true }, async (fleet) => {
    const policy = await policyOn(fleet, config);
    const found = await diagnoseAll(fleet, options, { rules, policy, now });
    return options.redact === true ? redacted(found, fleet) : found;
  });
  await printReport(report, options, io);
  return exitCodeFor(report);
}

function redacted({ diagnoses, ...report }: DiagnosisReport, fleet: FleetSource): DiagnosisReport {
  const names = new Redaction();
  const add = (kind: Parameters<Redaction['add']>[0], family: Parameters<FleetSource['all']>[0]): void => {
    for (const { metadata } of fleet.all(family)) {
      names.add(kind, metadata.name);
      names.add('namespace', metadata.namespace);
    }
  };
  add('cluster', 'MemberCluster');
  add('run', 'UpdateRun');
  add('placement', 'Placement');
  add('strategy', 'UpdateStrategy');
  // What they name may be gone.
  for (const { spec } of fleet.all('UpdateRun')) {
    names.add('placement', spec.placementName);
    names.add('strategy', spec.stagedRolloutStrategyName);
  }
  return { ...report, diagnoses: diagnoses.map((one) => names.redact(one)) };
}

type RunOptions = Pick<DiagnoseOptions, 'runs' | 'namespace'>;

interface Asked extends Pick<Invocation, 'rules'> {
  readonly policy: Policy;
  readonly now: number;
}

async function diagnoseAll(source: FleetSource, options: RunOptions, asked: Asked): Promise<DiagnosisReport> {
  return diagnoseRuns(source, runsAsked(source, options, asked.now), asked);
}

/** Looks at runs, the worst first. */
export async function diagnoseRuns(
  source: FleetSource,
  runs: readonly UpdateRun[],
  asked: Asked,
): Promise<DiagnosisReport> {
  const requests = runs.map(({ spec, metadata }) => bindingsOf(spec.placementName, metadata.namespace));
  const { fleet, problems } = await source.asked(requests);
  const { now } = asked;
  const diagnoses = await inTurns(runs, async (known) => {
    const reports = await source.reports(known);
    const facts = new Facts(fleet, known.metadata.namespace);
    return diagnose({ run: reports.run, fleet, facts, reports, ...asked });
  });
  const rank = ({ health, state }: Diagnosis): number =>
    healths.indexOf(health) * states.length + states.indexOf(state);
  return { of: 'diagnose', diagnoses: diagnoses.toSorted((a, b) => rank(a) - rank(b)), errors: problems, now };
}

/** How many runs are looked at together: each is some twenty reads, and the hub has others to serve. */
const mostTogether = 4;

/** What comes of each, in their order. */
async function inTurns<A, B>(all: readonly A[], look: (one: A) => Promise<B>): Promise<readonly B[]> {
  const found: B[] = [];
  const waiting = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, one] of waiting) found[at] = await look(one);
  };
  await Promise.all(Array.from({ length: mostTogether }, worker));
  return found;
}

const day = 24 * 60 * 60_000;

/** The runs that are named; else those that somebody may still care about. */
function runsAsked(source: FleetSource, { runs: names, namespace }: RunOptions, now: number): readonly UpdateRun[] {
  const all = source
    .all('UpdateRun')
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  if (names.length > 0) return names.map((name) => runNamed(name, all, namespace));
  return all.filter((run) => !isOver(run) || run.metadata.deletionTimestamp !== undefined || hasFailedLately(run, now));
}

function hasFailedLately({ status }: UpdateRun, now: number): boolean {
  const failure = status.conditions.find(
    ({ type, status: is }) => ['Succeeded', 'Initialized'].includes(type) && is === 'False',
  );
  return failure !== undefined && !(now - Date.parse(failure.lastTransitionTime ?? '') > day);
}

/** A name in cluster scope, or the only one there is of it in a namespace. */
export function runNamed(name: string, all: readonly UpdateRun[], namespace: string | undefined): UpdateRun {
  const found = all.filter(({ metadata }) => metadata.name === name);
  const [only, another] = [found.find(({ metadata }) => metadata.namespace === namespace) ?? found[0], found[1]];
  const isClear = another === undefined || only?.metadata.namespace === namespace;
  if (only !== undefined && isClear) return only;
  const where = namespace === undefined ? '' : ` in namespace ${plain(namespace)}`;
  if (only === undefined) {
    const near = didYouMean(
      name,
      all.map(({ metadata }) => metadata.name),
    );
    throw new GuardError('INPUT_USAGE', `there is no run ${plain(name)}${where}${near}`);
  }
  const places = found.map(({ metadata, kind }) => subjectName({ kind, namespace: metadata.namespace, name }));
  throw new GuardError(
    'INPUT_USAGE',
    `there are several runs of the name ${plain(name)}: ${places.map(plain).join(', ')}; give -n`,
  );
}

function exitCodeFor({
  diagnoses,
  errors,
}: {
  diagnoses: readonly Diagnosis[];
  errors: readonly ManifestProblem[];
}): ExitCode {
  if (errors.length > 0) return exitCodes.unusable;
  return diagnoses.some(({ health }) => health === 'wrong') ? exitCodes.refused : exitCodes.clean;
}
