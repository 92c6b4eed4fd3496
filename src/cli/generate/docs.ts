import { evaluate } from '../../engine/evaluate.js';
import { defaultPolicy } from '../../engine/policy.js';
import { findingTexts } from '../../engine/message.js';
import type { Entry, Rule, Severity } from '../../engine/rule.js';
import type { Finding } from '../../engine/verdict.js';
import { policyOf } from '../../config/config.js';
import { parseConfig } from '../../config/read.js';
import { casesSchema } from '../../config/cases-schema.js';
import { configSchema } from '../../config/schema.js';
import { entries } from '../../config/entries.js';
import { judgeManifests } from '../../guard/manifest-judge.js';
import { decodeReview } from '../../http/admission-review.js';
import { fleetIn } from '../../sources/manifests/fleet-files.js';
import { manifestsIn, type Manifests } from '../../sources/manifests/read.js';
import { chartFiles } from './chart-files.js';
import { chartReadme, type ChartTexts } from './chart-readme.js';
import { configProperties } from './chart-values.js';
import { appliesToLines, softenLines, versionLines } from '../report/rule-lines.js';
import { reportSchemas } from '../report/json-schema.js';
import { compatibilityPage } from './compatibility.js';
import { metricsPage } from './metrics-page.js';
import { pictures } from './pictures/pictures.js';

/** A file of the examples, by its path in the repository. */
export interface ExampleFile {
  readonly path: string;
  readonly text: string;
}

export interface DocsInput {
  readonly rules: readonly Rule[];
  /** Beside the rules: what has an id and a mode, and judges no write. */
  readonly others: readonly Entry[];
  /** Everything below examples/. */
  readonly examples: readonly ExampleFile[];
  readonly chart: ChartTexts;
}

/** Settings that make a rule say something, and what it then says something of. */
const settingsFolder = 'examples/settings/';
const judgedBySettings = 'examples/good/run-explicit-index.yaml';

/** The moment at which the examples are judged, so that documents do not change by themselves. */
const exampleTime = Date.parse('2026-11-18T12:00:00Z');

/** The generated files of the repository, by path. */
export function renderDocs(input: DocsInput): ReadonlyMap<string, string> {
  return new Map([
    ['docs/rules.md', rulesPage(input)],
    ['docs/compatibility.md', compatibilityPage(input.rules)],
    ['docs/metrics.md', metricsPage()],
    ['schemas/config.schema.json', jsonFile(publishedConfigSchema())],
    ['schemas/cases.schema.json', jsonFile(casesSchema)],
    ...Object.entries(reportSchemas).map(
      ([command, schema]) => [`schemas/${command}-report.schema.json`, jsonFile(schema)] as const,
    ),
    ...chartFiles(),
    ['charts/stageguard/README.md', chartReadme(input.chart)],
    ...picturesOf(input),
  ]);
}

function picturesOf({ rules, examples }: DocsInput): ReadonlyMap<string, string> {
  const fleet = manifestsOf(examples.filter(({ path }) => path.startsWith('examples/fleet/')));
  const textOf = (path: string): string => examples.find((example) => example.path === path)?.text ?? '';
  return pictures({ rules, fleet, textOf, now: exampleTime });
}

/** As the program has it, with the ids of the rules, which editors then complete and explain. */
export function publishedConfigSchema(): object {
  const modeOfRule = ({ id, title, severity }: Entry) =>
    [
      id,
      { ...configSchema.properties.rules.additionalProperties, description: `${title} (default: ${severity})` },
    ] as const;
  const known = { properties: Object.fromEntries(entries.map(modeOfRule)), additionalProperties: false };
  return { ...configSchema, properties: configProperties(known) };
}

function rulesPage({ rules, others, examples }: DocsInput): string {
  const fleet = manifestsOf(examples.filter(({ path }) => path.startsWith('examples/fleet/')));
  const rows = [...rules, ...others].map(({ id, severity, title }) => `| [${id}](#${id}) | ${severity} | ${title} |`);
  const sections = [
    ...rules.map((rule) => section(rule, exampleParts(rule, exampleOf(rule, examples), { fleet, examples }))),
    ...others.map((entry) => section(entry, [])),
  ];
  return [
    '# Rules',
    '<!-- Written by `npm run docs` from the rules and the examples. Do not edit. -->',
    'Every rule holds for the cluster-scoped and the namespaced kind alike. `deny` refuses the write, `warn` lets it through with a warning, `audit` lets it through and says so only in log, metrics and audit log. ' +
      'The messages below are what the rules say of the examples against the fleet in `examples/fleet`.',
    ['| rule | default | what it holds |', '|---|---|---|', ...rows].join('\n'),
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

const softer: Readonly<Record<Severity, string>> = {
  deny: 'To be warned only',
  warn: 'To switch it off',
  audit: 'To switch it off',
};

function section(rule: Entry, illustration: readonly string[]): string {
  const versions = versionLines(rule);
  return [
    `## ${rule.id}`,
    `**${rule.title}** (default: ${rule.severity})`,
    `Applies to ${appliesToLines(rule)
      .map((line) => `${line}.`)
      .join(' ')}`,
    `**Why.** ${rule.why}`,
    ...illustration,
    `**Fix.** ${rule.fix}`,
    ...(versions.length === 0
      ? []
      : [`**By version of KubeFleet.** ${versions.join(' ')} See [compatibility](compatibility.md).`]),
    `**${softer[rule.severity]}**, in the config file:`,
    fenced('yaml', softenLines(rule).join('\n')),
  ].join('\n\n');
}

interface Ground {
  readonly fleet: Manifests;
  readonly examples: readonly ExampleFile[];
}

function exampleParts(rule: Rule, example: ExampleFile | undefined, ground: Ground): readonly string[] {
  if (example === undefined) return [];
  const isReview = example.path.endsWith('.json');
  const findings = (
    isReview ? reviewFindings(rule, example, ground.fleet) : manifestFindings(rule, example, ground)
  ).filter((finding) => finding.rule === rule.id);
  const shown = isReview
    ? [`For example [${example.path}](../${example.path}).`]
    : [`For example (${example.path}):`, fenced('yaml', example.text.trimEnd())];
  const of = example.path.startsWith(settingsFolder) ? ` of ${judgedBySettings} on 18 November 2026` : '';
  return findings.length === 0 ? [] : [...shown, `It says${of}:`, fenced('', findingTexts(findings).join('\n'))];
}

/** Rules about the act of writing show in reviews, all others in manifests. */
function exampleOf({ id }: Rule, examples: readonly ExampleFile[]): ExampleFile | undefined {
  const places = [
    `examples/bad/${id}.yaml`,
    `examples/warn/${id}.yaml`,
    `examples/reviews/${id}.json`,
    `${settingsFolder}${id}.yaml`,
  ];
  return places.map((place) => examples.find(({ path }) => path === place)).find((example) => example !== undefined);
}

function manifestsOf(files: readonly ExampleFile[]): Manifests {
  return manifestsIn(files.map(({ path, text }) => ({ file: path, text })));
}

function manifestFindings(rule: Rule, example: ExampleFile, { fleet, examples }: Ground): readonly Finding[] {
  const isSettings = example.path.startsWith(settingsFolder);
  const policy = isSettings ? policyOf(parseConfig(example.path, example.text)) : defaultPolicy;
  const manifests = manifestsOf(isSettings ? examples.filter(({ path }) => path === judgedBySettings) : [example]);
  const world = { known: fleetIn(fleet), rules: [rule], policy, now: exampleTime };
  return judgeManifests({ manifests, ...world }).judged.flatMap(({ verdict }) => verdict.findings);
}

function reviewFindings(rule: Rule, example: ExampleFile, fleet: Manifests): readonly Finding[] {
  const { subject } = decodeReview(JSON.parse(example.text));
  if (subject === undefined) return [];
  const world = {
    rules: [rule],
    fleet: fleetIn(fleet).fleet,
    policy: defaultPolicy,
    now: exampleTime,
  };
  return evaluate(subject.change, world).findings;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function jsonFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
