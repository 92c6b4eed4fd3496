import { Command, Option } from 'commander';
import { policyOf } from '../config/config.js';
import { audit, placementsToBind, type WholeFleet } from '../engine/audit.js';
import type { World } from '../engine/evaluate.js';
import type { Verdict } from '../engine/verdict.js';
import type { Family } from '../fleet/kinds.js';
import { catalogue } from '../rules/index.js';
import { fleetOf } from '../sources/manifests/objects.js';
import { readManifests } from '../sources/manifests/read.js';
import { auditExitCode, auditJson, auditSarif, auditText, type AuditReport } from './audit-report.js';
import { bindingsOf, kubeconfigHelp, withHub, type HubOptions } from './hub-option.js';
import type { Invocation } from './invocation.js';
import type { Io } from './io.js';
import { readConfig } from './settings.js';
import { styleOf } from './style.js';

export interface AuditOptions extends HubOptions {
  readonly config?: string;
  readonly format: 'text' | 'json' | 'sarif';
}

const examples = `
Strategies are judged as if they were created now, runs that are not initialized likewise,
other runs that are not over as if they were started now. Approvals that nobody hears and
approvals without a run are named as well. Nothing is written.

Examples:
  stageguard audit                              the hub that kubectl is logged in to
  stageguard audit --kubeconfig hub.kubeconfig --format sarif > audit.sarif
  stageguard audit --fleet hub.json             a hub as files describe it`;

export function auditCommand({ io, exitWith }: Invocation): Command {
  return new Command('audit')
    .description('judge what is already stored on a hub')
    .option('--fleet <path>', 'files that describe the whole hub as it stands')
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option('--config <file>', 'settings, as the server has them')
    .addOption(new Option('--format <format>', 'how to report').choices(['text', 'json', 'sarif']).default('text'))
    .addHelpText('after', examples)
    .action(async (options: AuditOptions) => {
      exitWith(await runAudit(options, io));
    });
}

/** Judges what is stored and reports; the exit code says what came of it. */
async function runAudit(options: AuditOptions, io: Io): Promise<number> {
  const policy = policyOf(await readConfig(options.config));
  // Here nobody can be asked to wait: what cannot be known is noted, and decides nothing.
  const lenient = { ...policy, undetermined: { default: 'note', rules: {} } } as const;
  const world = { rules: catalogue, policy: lenient, now: io.now() };
  const report =
    options.fleet === undefined ? await auditHub(options, world, io) : await auditFiles(options.fleet, world, io);
  io.out(render(report, options.format, io));
  return auditExitCode(report);
}

async function auditFiles(path: string, world: Omit<World, 'fleet'>, io: Io): Promise<AuditReport> {
  const manifests = await readManifests([path], { stdin: () => io.stdin() });
  const { fleet, problems } = fleetOf(manifests.documents, 'complete');
  const errors = [...manifests.problems, ...problems].map(({ file, message }) => `${file}: ${message}`);
  return { verdicts: judgeAll(fleet, world, io), errors };
}

async function auditHub(options: AuditOptions, world: Omit<World, 'fleet'>, io: Io): Promise<AuditReport> {
  return withHub(options, io, async (hub) => {
    const { cache } = hub.live;
    const asks = placementsToBind(cache).map(({ placement, namespace }) => bindingsOf(placement, namespace));
    const bound = await hub.reading(asks);
    const fleet: WholeFleet = {
      get: (family, key) => bound.get(family, key),
      list: (family, query) => bound.list(family, query),
      all: <F extends Family>(family: F) => cache.all(family),
    };
    return { verdicts: judgeAll(fleet, world, io), errors: [] };
  });
}

function judgeAll(fleet: WholeFleet, world: Omit<World, 'fleet'>, io: Io): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const { verdict, done, total } of audit(fleet, world)) {
    verdicts.push(verdict);
    if (io.hasProgress) io.err(done === total ? '\r\u001b[K' : `\rjudging ${String(done)} of ${String(total)}`);
  }
  return verdicts;
}

function render(report: AuditReport, format: AuditOptions['format'], io: Io): string {
  switch (format) {
    case 'text':
      return auditText(report, styleOf(io.isColoured));
    case 'json':
      return auditJson(report);
    case 'sarif':
      return auditSarif(report);
  }
}
