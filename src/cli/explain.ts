import { Command } from 'commander';
import { didYouMean } from '../rules/wording/did-you-mean.js';
import type { Entry, Severity } from '../engine/rule.js';
import { exitCodes, GuardError } from '../errors.js';
import { entries } from '../config/entries.js';
import { quoted } from '../fleet/quoted.js';
import { appliesToLines, softenLines, versionLines } from './report/rule-lines.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { indent, styleOf, type Style } from './report/style.js';

export interface ExplainOptions {
  readonly rule: string;
}

const examples = `
Examples:
  stageguard explain strategy-stages-disjoint
  stageguard rules                              all ids`;

export function explainCommand({ io, exitWith }: Invocation): Command {
  return new Command('explain')
    .description('tell why a rule is there and how to satisfy it')
    .argument('<rule>', 'the id of a rule, as it stands in [brackets] in a refusal')
    .addHelpText('after', examples)
    .action(async (rule: string) => {
      exitWith(await runExplain({ rule }, io));
    });
}

/** Explains one rule. */
function runExplain({ rule: wanted }: ExplainOptions, io: Io): Promise<number> {
  const id = wanted.replace(/^\[(.*)\]$/, '$1');
  const rule = entries.find((candidate) => candidate.id === id);
  if (rule === undefined) {
    const ids = entries.map((candidate) => candidate.id);
    const hint = didYouMean(id, ids) || '; `stageguard rules` lists all';
    return Promise.reject(new GuardError('INPUT_USAGE', `there is no rule ${quoted(id)}${hint}`));
  }
  io.out(explanation(rule, styleOf(io.isColoured)));
  return Promise.resolve(exitCodes.clean);
}

const softer: Readonly<Record<Severity, string>> = {
  deny: 'To be warned only',
  warn: 'To switch it off',
  audit: 'To switch it off',
};

function explanation(rule: Entry, style: Style): string {
  const section = (title: string, lines: readonly string[]): string =>
    `${style('bold', title)}\n${indent(lines.join('\n'), 2)}\n`;
  const versions = versionLines(rule);
  return [
    `${style('bold', rule.id)} (${rule.severity}): ${rule.title}\n`,
    section('Applies to', appliesToLines(rule)),
    section('Why', [rule.why]),
    section('Fix', [rule.fix]),
    ...(versions.length === 0 ? [] : [section('By version of KubeFleet', versions)]),
    section(`${softer[rule.severity]}, in the config file`, softenLines(rule)),
  ].join('\n');
}
