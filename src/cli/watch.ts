import { Command, Option } from 'commander';
import { sleep, systemClock } from '../clock.js';
import { readConfig } from '../config/read.js';
import { momentText } from '../diagnosis/ages.js';
import type { Diagnosis, State } from '../diagnosis/diagnosis.js';
import type { Policy } from '../engine/policy.js';
import { exitCodes, GuardError, type ExitCode } from '../errors.js';
import { readDuration } from '../fleet/duration.js';
import { visible } from '../fleet/quoted.js';
import type { UpdateRun } from '../fleet/model.js';
import type { FleetSource } from '../sources/fleet-source.js';
import { diagnoseRuns, runNamed } from './diagnose.js';
import { addHubOptions, policyOn, withFleet, type FleetOptions } from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { stageTexts, type DiagnosisReport } from './report/diagnosis-model.js';
import { diagnosisText } from './report/diagnosis-text.js';
import { styleOf } from './report/style.js';

export interface WatchOptions extends Pick<FleetOptions, 'kubeconfig' | 'context'> {
  readonly run: string;
  readonly namespace?: string;
  readonly config?: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly interval: number;
}

const examples = `
Follows a run to its end, with a line whenever something has changed, and ends with its outcome:
a pipeline can wait for a rollout. A run that is stopped may be resumed, so it is waited for.

Examples:
  stageguard watch payments-v12 --timeout 4h
  stageguard watch release -n team-a --timeout 30m

Exit codes:
  0  the run has succeeded
  1  it has failed, was deleted, or is not over in time
  2  something could not be read, or wrong use`;

export function watchCommand({ io, exitWith, rules }: Invocation): Command {
  const command = new Command('watch')
    .description('follow a run to its end')
    .argument('<run>', 'the name of the run')
    .option('-n, --namespace <namespace>', 'the namespace of the run')
    .addOption(new Option('--timeout <time>', 'give up after this time').argParser(timeOf).default(4 * 3_600_000, '4h'))
    .addOption(new Option('--interval <time>', 'how often to look').argParser(timeOf).default(5_000, '5s'))
    .option('--config <file>', 'settings, as the server has them');
  return addHubOptions(command)
    .addHelpText('after', examples)
    .action(async (run: string, _: unknown, invoked: Command) => {
      const options = invoked.optsWithGlobals<Omit<WatchOptions, 'run'>>();
      exitWith(await runWatch({ ...options, run }, { io, rules }));
    });
}

function timeOf(text: string): number {
  const read = readDuration(text);
  const milliseconds = read.is === 'read' ? Number(read.nanoseconds / 1_000_000n) : 0;
  if (milliseconds <= 0) throw new GuardError('INPUT_USAGE', 'a time is written such as 90s, 30m or 4h');
  return milliseconds;
}

type World = Pick<Invocation, 'io' | 'rules'>;

async function runWatch(options: WatchOptions, world: World): Promise<ExitCode> {
  const { io } = world;
  const config = await readConfig(options.config);
  return withFleet({ ...options, live: true }, { io, files: {}, isTolerant: true }, async (source) => {
    const policy = await policyOn(source, config);
    const run = runNamed(options.run, source.all('UpdateRun'), options.namespace);
    return follow(run, { source, policy, options, ...world });
  });
}

interface Following extends World {
  readonly source: FleetSource;
  readonly policy: Policy;
  readonly options: WatchOptions;
}

/** States in which nothing happens any more. */
const outcomes: Readonly<Partial<Record<State, ExitCode>>> = {
  succeeded: exitCodes.clean,
  aborted: exitCodes.refused,
  'failed to initialize': exitCodes.refused,
};

async function follow(run: UpdateRun, following: Following): Promise<ExitCode> {
  const { source, options, io, rules, policy } = following;
  const deadline = systemClock.now() + options.timeout;
  const stop = new AbortController();
  io.onUnread(() => {
    stop.abort();
  });
  let told = '';
  for (;;) {
    const current = source.all('UpdateRun').find(({ metadata }) => metadata.uid === run.metadata.uid);
    if (current === undefined) {
      io.out(`${timeText(io.now())}  the run was deleted; nothing is rolled back\n`);
      return exitCodes.refused;
    }
    const now = io.now();
    const report = await diagnoseRuns(source, [current], { rules, policy, now });
    const [diagnosis] = report.diagnoses;
    if (diagnosis === undefined) return exitCodes.unusable;
    const line = progressText(diagnosis);
    if (line !== told) io.out(`${timeText(now)}  ${line}\n`);
    told = line;
    const outcome = outcomes[diagnosis.state];
    if (outcome !== undefined || systemClock.now() >= deadline || stop.signal.aborted) {
      return ended({ report, outcome }, io);
    }
    await sleep(systemClock, Math.min(options.interval, Math.max(0, deadline - systemClock.now())), stop.signal);
  }
}

interface End {
  readonly report: DiagnosisReport;
  readonly outcome: ExitCode | undefined;
}

/** What has not succeeded is told why. */
function ended({ report, outcome }: End, io: Io): ExitCode {
  if (outcome !== exitCodes.clean) io.out(`\n${diagnosisText(report, { style: styleOf(io.isColoured) })}`);
  if (outcome === undefined) io.err('the run is not over in time\n');
  return outcome ?? exitCodes.refused;
}

function timeText(now: number): string {
  return momentText(now).slice(11, 19);
}

/** Without ages: a line is worth it only where something has changed. */
function progressText({ state, stages, removal, causes, health }: Diagnosis): string {
  const [cause] = causes;
  const isOver = state in outcomes;
  const why =
    isOver || health === 'well' || cause === undefined
      ? ''
      : `; ${cause.what.replaceAll(/ ?\(?\bfor (?:\d+[dhms] ?)+\)?|, in (?:\d+[dhms] ?)+$|; it has been open for .*$/g, '')}`;
  return visible(`${state}: ${stageTexts({ stages, removal }).join(', ')}${why}`);
}
