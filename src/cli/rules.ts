import { Command, Option } from 'commander';
import { exitCodes } from '../errors.js';
import { entries } from '../config/entries.js';
import { appliesToLines, familiesOf, versionLines } from './catalogue.js';
import type { Invocation } from './invocation.js';
import type { Io } from './io.js';
import { styleOf, table } from './report/style.js';

export interface RulesOptions {
  readonly format: 'text' | 'json';
}

const examples = `
Examples:
  stageguard rules
  stageguard rules --format json`;

export function rulesCommand({ io, exitWith }: Invocation): Command {
  return new Command('rules')
    .description('list all rules')
    .addOption(new Option('--format <format>', 'how to list them').choices(['text', 'json']).default('text'))
    .addHelpText('after', examples)
    .action(async (options: RulesOptions) => {
      exitWith(await runRules(options, io));
    });
}

/** Lists the catalogue. */
function runRules({ format }: RulesOptions, io: Io): Promise<number> {
  io.out(format === 'json' ? rulesJson() : rulesText(io));
  return Promise.resolve(exitCodes.clean);
}

function rulesText(io: Io): string {
  const rows = entries.map((rule) => [rule.id, rule.severity, familiesOf(rule), rule.title]);
  const [head = '', ...lines] = table([['RULE', 'DEFAULT', 'APPLIES TO', 'TITLE'], ...rows]).split('\n');
  return [styleOf(io.isColoured)('bold', head), ...lines].join('\n');
}

function rulesJson(): string {
  const rules = entries.map((rule) => {
    const { id, severity, title, why, fix } = rule;
    const after = 'after' in rule ? rule.after : [];
    return { id, severity, title, why, fix, appliesTo: appliesToLines(rule), after, versions: versionLines(rule) };
  });
  return `${JSON.stringify({ rules }, null, 2)}\n`;
}
