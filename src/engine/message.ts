import { formatPath } from '../fleet/path.js';
import { plain, quoted, visible } from '../fleet/quoted.js';
import { isSkipped, type PlanView, type StageView } from '../fleet/plan-view.js';
import { bypassAnnotation, exemptionText, type RefusedExemption } from './exemption.js';
import { refusalsOf, warningsOf, type Finding, type Subject, type Verdict } from './verdict.js';

/** At most this many names are spelled out; more only hide the first. */
const mostNames = 10;

/** The API server may cut a warning beyond this (k8s.io/apiserver pkg/endpoints/filters/warning.go). */
export const longestWarning = 256;

/** It drops all warnings beyond 4,096 characters in sum; the plan of a run and its diagnosis take the places of two. */
const mostWarnings = 4_096 / longestWarning - 2;

/** A hostile strategy can have thousands of problems; nobody reads more than these, and the answer stays small. */
const mostRefusals = 20;
const mostCauses = 100;

/** Names in double quotes, sorted: `"a", "b" and "c"`, or `"a", … and 4 more`. */
export function quoteList(names: Iterable<string>): string {
  const all = new Set(names);
  const sorted = firstSorted(all).map(quoted);
  if (all.size > mostNames) return `${sorted.join(', ')} and ${String(all.size - mostNames)} more`;
  const last = sorted.pop();
  if (last === undefined) return 'none';
  return sorted.length === 0 ? last : `${sorted.join(', ')} and ${last}`;
}

/** The names that are told, in order: all of them can be a hundred thousand, and take long to sort. */
function firstSorted(names: Iterable<string>): string[] {
  const first: string[] = [];
  for (const name of names) {
    const place = first.findIndex((other) => name < other);
    if (place < 0 && first.length === mostNames) continue;
    first.splice(place < 0 ? first.length : place, 0, name);
    if (first.length > mostNames) first.pop();
  }
  return first;
}

/** `1 cluster`, `2 clusters`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${String(number)} ${number === 1 ? singular : plural}`;
}

/** A fix: a sentence, and below it the lines to paste. A line stays one line whatever it holds; a comment is said once. */
export function fixWith(sentence: string, ...lines: readonly string[]): string {
  const said = lines.filter((line, at) => !line.startsWith('#') || lines.indexOf(line) === at);
  return [sentence, ...said].map(visible).join('\n');
}

/** `team-a/release-42`, or the name alone in cluster scope. */
export function subjectName({ namespace, name }: Subject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The whole refusal, for the eyes of whoever sent the write. */
export function refusalText(verdict: Verdict, footer = ''): string {
  const refusals = refusalsOf(verdict);
  const rules = new Set(refusals.map(({ rule }) => rule)).size;
  const mayHeal = refusals.every(({ retry }) => retry) ? ' for now' : '';
  const head = `refused${mayHeal} by ${count(rules, 'rule')}: ${verdict.subject.kind} ${plain(subjectName(verdict.subject))}`;
  const rest = refusals.length - mostRefusals;
  const more = rest > 0 ? [`... and ${String(rest)} more of the like`] : [];
  const notExempted = (verdict.exemptions?.refused ?? []).map(notExemptedText);
  const told = [...findingTexts(refusals.slice(0, mostRefusals)), ...more, ...notExempted];
  return [head, ...told, ...(footer === '' ? [] : [footer])].join('\n');
}

/** Why an exemption that the object asks for was not given, and what to ask for. */
function notExemptedText({ rule, why, lines }: RefusedExemption): string {
  return [visible(`[${rule}] is not exempted: ${why}`), ...lines.map((line) => `    ${visible(line)}`)].join('\n');
}

/** Findings in full; neighbours that have the same fix share it. */
export function findingTexts(findings: readonly Finding[]): readonly string[] {
  return findings.map((finding, index) =>
    finding.fix === findings[index + 1]?.fix ? findingLine(finding) : findingText(finding),
  );
}

/** One finding without its fix. */
export function findingLine({ rule, path, message }: Finding): string {
  const where = path.length === 0 ? '' : `${formatPath(path)}: `;
  return visible(`[${rule}] ${where}${message}`);
}

/** One finding in full: what and where, then the fix, its lines to paste set in further. */
export function findingText(finding: Finding): string {
  const [sentence = '', ...lines] = finding.fix.split('\n').map(visible);
  return [findingLine(finding), `  Fix: ${sentence}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** The warnings of a verdict, one line each. */
export function warningTexts(verdict: Verdict): readonly string[] {
  const exempted = (verdict.exemptions?.used ?? []).map((one) =>
    warningText(`exempted by ${bypassAnnotation} from ${exemptionText(one)}`),
  );
  const found = warningsOf(verdict).map((finding) => warningText(`[${finding.rule}] ${finding.message}`));
  const texts = [...exempted, ...found];
  if (texts.length <= mostWarnings) return texts;
  return [...texts.slice(0, mostWarnings - 1), `... and ${String(texts.length - mostWarnings + 1)} more warnings`];
}

/** What stands before the warnings of a verdict, a line each: the plan of a run, and what is the matter with it. */
export function headTexts({ preview, diagnosis }: Pick<Verdict, 'preview' | 'diagnosis'>): readonly string[] {
  const heads = [preview, diagnosis].filter((text) => text !== undefined);
  return heads.map((text) => warningText(text.replaceAll('\n', ' ')));
}

/**
 * A text as the API server will hand it on: one line, and not too long. It drops a warning that is not valid UTF-8 or
 * holds any control character, not only a line break (apimachinery pkg/util/net/http.go NewWarningHeader).
 */
export function warningText(text: string): string {
  const line = visible(text);
  if (line.length <= longestWarning) return line;
  return `${line.slice(0, longestWarning - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** One entry of `status.details.causes`, for programs. */
export interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export function causesOf(verdict: Verdict): readonly Cause[] {
  const refusals = refusalsOf(verdict).slice(0, mostCauses);
  return refusals.map((finding) => ({
    reason: finding.rule,
    field: formatPath(finding.path),
    message: visible(finding.message),
  }));
}

/** The plan in one line: `plan: staging 2 -> canary 1 (approval) -> prod 12 at 25%; snapshot: latest`. */
export function previewText({ stages, deletion, snapshot }: PlanView): string {
  const steps = [
    ...stages.map(stageText),
    ...(deletion.length > 0 ? [`remove from ${count(deletion.length, 'cluster')}`] : []),
  ];
  return `plan: ${steps.join(' -> ')}; snapshot: ${plain(snapshot)}`;
}

function stageText(stage: StageView): string {
  const { name, clusters, maxConcurrency, before, after } = stage;
  if (isSkipped(stage)) return `${plain(name)} 0 (skipped)`;
  const tasks = [...before.map((task) => `${task} first`), ...after];
  const pace = maxConcurrency === 1 || clusters.length < 2 ? '' : ` at ${plain(String(maxConcurrency))}`;
  return `${plain(name)} ${String(clusters.length)}${pace}${tasks.length > 0 ? ` (${tasks.join(', ')})` : ''}`;
}
