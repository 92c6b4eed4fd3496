import { evaluate } from '../engine/evaluate.js';
import { defaultPolicy } from '../engine/policy.js';
import { findingText } from '../engine/message.js';
import type { Rule } from '../engine/rule.js';
import type { Finding } from '../engine/verdict.js';
import { configSchema } from '../config/schema.js';
import { decodeReview } from '../http/admission-review.js';
import { fleetOf } from '../sources/manifests/objects.js';
import { parseManifests } from '../sources/manifests/parse.js';
import type { Manifests } from '../sources/manifests/read.js';
import { chartFiles } from './chart-files.js';
import { appliesToLines, softenLines } from './catalogue.js';
import { checkManifests } from './check-report.js';

/** A file of the examples, by its path in the repository. */
export interface ExampleFile {
  readonly path: string;
  readonly text: string;
}

export interface DocsInput {
  readonly rules: readonly Rule[];
  /** Everything below examples/. */
  readonly examples: readonly ExampleFile[];
}

/** The moment at which the examples are judged, so that documents do not change by themselves. */
const exampleTime = Date.parse('2026-11-18T12:00:00Z');

/** The generated files of the repository, by path. */
export function renderDocs(input: DocsInput): ReadonlyMap<string, string> {
  return new Map([
    ['docs/rules.md', rulesPage(input)],
    ['schemas/config.schema.json', `${JSON.stringify(configSchema, null, 2)}\n`],
    ...chartFiles(),
  ]);
}

function rulesPage({ rules, examples }: DocsInput): string {
  const fleet = manifestsOf(examples.filter(({ path }) => path.startsWith('examples/fleet/')));
  const rows = rules.map(({ id, severity, title }) => `| [${id}](#${id}) | ${severity} | ${title} |`);
  const sections = rules.map((rule) => ruleSection(rule, { example: exampleOf(rule, examples), fleet }));
  return [
    '# Rules',
    '<!-- Written by `npm run docs` from the rules and the examples. Do not edit. -->',
    'Every rule holds for the cluster-scoped and the namespaced kind alike. `deny` refuses the write, `warn` lets it through with a warning. ' +
      'The messages below are what the rules say of the examples against the fleet in `examples/fleet`.',
    ['| rule | default | what it holds |', '|---|---|---|', ...rows].join('\n'),
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

interface Illustration {
  readonly example: ExampleFile | undefined;
  readonly fleet: Manifests;
}

function ruleSection(rule: Rule, { example, fleet }: Illustration): string {
  const softer = rule.severity === 'deny' ? 'To be warned only' : 'To switch it off';
  return [
    `## ${rule.id}`,
    `**${rule.title}** (default: ${rule.severity})`,
    `Applies to ${appliesToLines(rule)
      .map((line) => `${line}.`)
      .join(' ')}`,
    `**Why.** ${rule.why}`,
    ...(example === undefined ? [] : exampleParts(rule, example, fleet)),
    `**Fix.** ${rule.fix}`,
    `**${softer}**, in the config file:`,
    fenced('yaml', softenLines(rule).join('\n')),
  ].join('\n\n');
}

function exampleParts(rule: Rule, example: ExampleFile, fleet: Manifests): readonly string[] {
  const isReview = example.path.endsWith('.json');
  const findings = (isReview ? reviewFindings(rule, example, fleet) : manifestFindings(rule, example, fleet)).filter(
    (finding) => finding.rule === rule.id,
  );
  const shown = isReview
    ? [`For example [${example.path}](../${example.path}).`]
    : [`For example (${example.path}):`, fenced('yaml', example.text.trimEnd())];
  return findings.length === 0 ? [] : [...shown, 'It says:', fenced('', findings.map(findingText).join('\n'))];
}

/** Rules about the act of writing show in reviews, all others in manifests. */
function exampleOf({ id }: Rule, examples: readonly ExampleFile[]): ExampleFile | undefined {
  const places = [`examples/bad/${id}.yaml`, `examples/warn/${id}.yaml`, `examples/reviews/${id}.json`];
  return places.map((place) => examples.find(({ path }) => path === place)).find((example) => example !== undefined);
}

function manifestsOf(files: readonly ExampleFile[]): Manifests {
  const parsed = files.map(({ path, text }) => parseManifests(path, text));
  return {
    documents: parsed.flatMap(({ documents }) => documents),
    problems: parsed.flatMap(({ problems }) => problems),
    files: files.length,
    passedOver: 0,
  };
}

function manifestFindings(rule: Rule, example: ExampleFile, fleet: Manifests): readonly Finding[] {
  const manifests = manifestsOf([example]);
  return checkManifests({ manifests, fleet, rules: [rule], policy: defaultPolicy, now: exampleTime }).findings;
}

function reviewFindings(rule: Rule, example: ExampleFile, fleet: Manifests): readonly Finding[] {
  const { subject } = decodeReview(JSON.parse(example.text));
  if (subject === undefined) return [];
  const world = {
    rules: [rule],
    fleet: fleetOf(fleet.documents, 'complete').fleet,
    policy: defaultPolicy,
    now: exampleTime,
  };
  return evaluate(subject.change, world).findings;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
