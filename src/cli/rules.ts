import { Command, Option } from 'commander';
import { entries } from '../config/entries.js';
import { parsed } from '../config/places.js';
import { parseConfig, readConfigText } from '../config/read.js';
import { labelParts, modeSetting, type Mode } from '../engine/policy.js';
import type { Entry } from '../engine/rule.js';
import { exitCodes, GuardError } from '../errors.js';
import { plain } from '../fleet/quoted.js';
import { appliesToLines, familiesOf, versionLines } from './report/rule-lines.js';
import type { Invocation } from './program/invocation.js';
import type { Io } from './program/io.js';
import { styleOf, table } from './report/style.js';

export interface RulesOptions {
  readonly format: 'text' | 'json';
  readonly config?: string;
  readonly namespace?: string;
  readonly label?: readonly string[];
}

const examples = `
With --config, the mode of each rule and where it is set, for objects of cluster scope or of a namespace.

Examples:
  stageguard rules
  stageguard rules --format json
  stageguard rules --config stageguard.yaml --namespace team-a
  stageguard rules --config stageguard.yaml --namespace team-a --label tier=prod`;

export function rulesCommand({ io, exitWith }: Invocation): Command {
  return new Command('rules')
    .description('list all rules')
    .addOption(new Option('--format <format>', 'how to list them').choices(['text', 'json']).default('text'))
    .option('--config <file>', 'settings, as the server has them: the mode of each rule, and why')
    .option('--namespace <name>', 'with --config: for objects of this namespace')
    .addOption(labelOption())
    .addHelpText('after', examples)
    .action(async (options: RulesOptions) => {
      exitWith(await runRules(options, io));
    });
}

function labelOption(): Option {
  const collect = (value: string, given: readonly string[] | undefined): readonly string[] => [...(given ?? []), value];
  const help = 'with --namespace: a label that it has, as key=value; may be given several times';
  return new Option('--label <label>', help).argParser(collect);
}

/** Lists the catalogue, with settings by what they make of it. */
async function runRules(options: RulesOptions, io: Io): Promise<number> {
  const { config, namespace, label } = options;
  if (config === undefined && namespace !== undefined)
    throw new GuardError('INPUT_USAGE', '--namespace needs --config');
  if (namespace === undefined && label !== undefined) throw new GuardError('INPUT_USAGE', '--label needs --namespace');
  const rules = config === undefined ? entries : await inModes(config, options);
  io.out(options.format === 'json' ? rulesJson(rules) : rulesText(rules, io));
  return exitCodes.clean;
}

/** A rule, with its mode by some settings and where that is set. */
type Listed = Entry & { readonly mode?: Mode; readonly from?: string };

async function inModes(file: string, { namespace, label = [] }: RulesOptions): Promise<readonly Listed[]> {
  const text = await readConfigText(file);
  const config = parseConfig(file, text);
  const { lineOf } = parsed(text);
  const labels = Object.fromEntries(label.map(labelParts));
  return entries.map((rule) => {
    const { mode, path } = modeSetting({ ...config, labelsOf: () => labels }, rule, namespace);
    const line = path.length === 0 ? undefined : lineOf(path);
    const place = `${plain(file)}:${String(line)} ${path.slice(0, -1).map(plain).join('.')}`.trimEnd();
    const ends = path.at(-1) === rule.id ? '' : `${path.length > 1 ? '.' : ' '}defaultMode`;
    return { ...rule, mode, from: line === undefined ? 'default of the rule' : `${place}${ends}` };
  });
}

function rulesText(rules: readonly Listed[], io: Io): string {
  const rows = rules.map((rule) =>
    rule.mode === undefined
      ? [rule.id, rule.severity, familiesOf(rule), rule.title]
      : [rule.id, rule.mode, familiesOf(rule), rule.from ?? ''],
  );
  const isSet = rules.some(({ mode }) => mode !== undefined);
  const header = isSet ? ['RULE', 'MODE', 'APPLIES TO', 'BY'] : ['RULE', 'DEFAULT', 'APPLIES TO', 'TITLE'];
  const [head = '', ...lines] = table([header, ...rows]).split('\n');
  return [styleOf(io.isColoured)('bold', head), ...lines].join('\n');
}

function rulesJson(listed: readonly Listed[]): string {
  const rules = listed.map((rule) => {
    const { id, severity, mode, from, title, why, fix } = rule;
    const after = 'after' in rule ? rule.after : [];
    const set = mode === undefined ? {} : { mode, from };
    return {
      id,
      severity,
      ...set,
      title,
      why,
      fix,
      appliesTo: appliesToLines(rule),
      after,
      versions: versionLines(rule),
    };
  });
  return `${JSON.stringify({ rules }, null, 2)}\n`;
}
