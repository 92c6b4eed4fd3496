import { Command, Option } from 'commander';
import { readConfig, readConfigText } from '../config/read.js';
import { exitCodes, GuardError } from '../errors.js';
import { parseJson } from '../fleet/json.js';
import { plain } from '../fleet/quoted.js';
import { adoptionOf, findingsByRule } from './adopt/advice.js';
import { linesOf } from './adopt/lines.js';
import { LogTally } from './adopt/tally.js';
import type { Invocation } from './program/invocation.js';
import { adoptionJson, adoptionText, noDecisions } from './report/adoption-text.js';
import { styleOf } from './report/style.js';

interface AdoptOptions {
  readonly config?: string;
  readonly audit?: string;
  readonly format: 'text' | 'json';
}

const help = `
Reads what a guard has logged, and tells which rules could refuse without having refused anything that happened in
that time, which could not and who would have been refused, and who used an exemption. Nothing is written.

Examples:
  kubectl logs -n fleet-stageguard -l app.kubernetes.io/name=stageguard --tail=-1 | stageguard adopt -
  stageguard adopt monday.log tuesday.log --config stageguard.yaml
  stageguard audit --format json > audit.json; stageguard adopt guard.log --audit audit.json`;

export function adoptCommand({ io, exitWith, rules }: Invocation): Command {
  return new Command('adopt')
    .description('tell by the log of a guard which rules can go to deny')
    .argument('<path...>', 'files of log lines, or - for standard input')
    .option('--config <file>', 'settings, as the server has them')
    .option('--audit <file>', 'a report of audit --format json, to tell what is stored as well')
    .addOption(new Option('--format <format>', 'how to tell it').choices(['text', 'json']).default('text'))
    .addHelpText('after', help)
    .action(async (paths: string[], options: AdoptOptions) => {
      exitWith(await runAdopt(paths, options, { io, rules }));
    });
}

async function runAdopt(
  paths: readonly string[],
  { config, audit, format }: AdoptOptions,
  { io, rules }: Pick<Invocation, 'io' | 'rules'>,
): Promise<number> {
  const settings = await readConfig(config);
  const audited = audit === undefined ? new Map<string, number>() : await readAudit(audit);
  const log = new LogTally(rules);
  for (const path of paths) for await (const line of linesOf(path, io)) log.add(line);
  const tally = log.result();
  if (tally.decisions === 0) throw new GuardError('INPUT_SHAPE', noDecisions(paths, tally));
  const adoption = adoptionOf(tally, settings, audited);
  io.out(format === 'json' ? adoptionJson(adoption) : adoptionText(adoption, styleOf(io.isColoured)));
  return exitCodes.clean;
}

async function readAudit(file: string): Promise<ReadonlyMap<string, number>> {
  const counts = findingsByRule(parseJson(await readConfigText(file)));
  if (counts === undefined) throw new GuardError('INPUT_SHAPE', `${plain(file)} is no report of audit --format json`);
  return counts;
}
