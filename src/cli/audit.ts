import { Command } from 'commander';
import type { Config } from '../config/config.js';
import { readConfig } from '../config/read.js';
import type { World } from '../engine/evaluate.js';
import type { Verdict } from '../engine/verdict.js';
import { bindingsOf } from '../guard/manifest-judge.js';
import { audit, placementsToBind, type WholeFleet } from '../rules/audit.js';
import type { FleetSource } from '../sources/fleet-source.js';
import { tellFailures } from './program/bug-report.js';
import { addFleetOptions, policyOn, withFleet, type FleetOptions } from './options/fleet-option.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';
import { exitCodeFor, reported, type AuditReport } from './report/model.js';

export interface AuditOptions extends FleetOptions, FormatOptions {
  readonly config?: string;
  readonly debug?: boolean;
}

const examples = `
Strategies are judged as if they were created now, runs that are not initialized likewise,
other runs that are not over as if they were started now. Approvals that KubeFleet does not see and
approvals without a run are named as well. Nothing is written.

Examples:
  stageguard audit                              the hub that kubectl is logged in to
  stageguard audit --kubeconfig hub.kubeconfig --format sarif > audit.sarif
  stageguard audit --fleet hub.json             a hub as files describe it`;

export function auditCommand({ io, exitWith, rules }: Invocation): Command {
  const command = new Command('audit').description('judge what is already stored on a hub');
  return addFleetOptions(command, { isNeeded: true })
    .option('--config <file>', 'settings, as the server has them')
    .addOption(formatOption('audit'))
    .addHelpText('after', examples)
    .action(async (_: unknown, invoked: Command) => {
      exitWith(await runAudit(invoked.optsWithGlobals<AuditOptions>(), { io, rules }));
    });
}

/** Judges what is stored and reports; the exit code says what came of it. */
async function runAudit(options: AuditOptions, invocation: Pick<Invocation, 'io' | 'rules'>): Promise<number> {
  const { io } = invocation;
  const config = await readConfig(options.config);
  // There is no judging what is stored without a fleet: where no files are named, a hub is asked.
  const source = { live: options.fleet === undefined, ...options };
  const report = await withFleet(source, { io, files: { stdin: () => io.stdin() } }, (fleet) =>
    auditSource(fleet, config, invocation),
  );
  await printReport(report, options, io);
  tellFailures(report.failures, io, options.debug ?? false);
  return exitCodeFor(report);
}

async function auditSource(
  source: FleetSource,
  config: Config,
  { io, rules }: Pick<Invocation, 'io' | 'rules'>,
): Promise<AuditReport> {
  const asks = placementsToBind(source).map(({ placement, namespace }) => bindingsOf(placement, namespace));
  const [{ fleet, problems }, policy] = await Promise.all([source.asked(asks), policyOn(source, config)]);
  const whole: WholeFleet = {
    get: (family, key) => fleet.get(family, key),
    list: (family, query) => fleet.list(family, query),
    all: (family) => source.all(family),
  };
  // Here nobody can be asked to wait: what cannot be known is noted, and decides nothing.
  const lenient = { ...policy, undetermined: { default: 'note', rules: {} } } as const;
  const verdicts = judgeAll(whole, { rules, policy: lenient, now: io.now() }, io);
  return {
    of: 'audit',
    objects: verdicts.map(({ subject }) => ({ subject, ...source.placeOf?.(subject, []) })),
    findings: verdicts.flatMap(reported).map((one) => ({ ...one, ...source.placeOf?.(one.subject, one.path) })),
    failures: verdicts.flatMap(({ failures }) => failures),
    errors: problems,
    judged: verdicts.length,
  };
}

function judgeAll(fleet: WholeFleet, world: Omit<World, 'fleet'>, io: Io): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const { verdict, done, total } of audit(fleet, world)) {
    verdicts.push(verdict);
    if (io.hasProgress) io.err(done === total ? '\r\u001b[K' : `\rjudging ${String(done)} of ${String(total)}`);
  }
  return verdicts;
}
