import { formatPath } from '../fleet/path.js';
import { refusalsOf, warningsOf, type Finding, type Subject, type Verdict } from './verdict.js';

/** At most this many names are spelled out; more only hide the first. */
const mostNames = 10;

/** The API server may cut a warning beyond this (k8s.io/apiserver pkg/endpoints/filters/warning.go). */
const longestWarning = 256;

/** It drops all warnings beyond 4,096 characters in sum; the plan of a run takes the place of one more. */
const mostWarnings = 4_096 / longestWarning - 1;

/** A hostile strategy can have thousands of faults; nobody reads more than these, and the answer stays small. */
const mostRefusals = 20;
const mostCauses = 100;

/** Names in double quotes, sorted: `"a", "b" and "c"`, or `"a", … and 4 more`. */
export function quoteList(names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort().map((name) => JSON.stringify(name));
  if (sorted.length > mostNames) {
    return `${sorted.slice(0, mostNames).join(', ')} and ${String(sorted.length - mostNames)} more`;
  }
  const last = sorted.pop();
  if (last === undefined) return 'none';
  return sorted.length === 0 ? last : `${sorted.join(', ')} and ${last}`;
}

/** `1 cluster`, `2 clusters`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${String(number)} ${number === 1 ? singular : plural}`;
}

/** A fix: a sentence, and below it the lines to paste. */
export function fixWith(sentence: string, ...lines: readonly string[]): string {
  return [sentence, ...lines].join('\n');
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
  const head = `refused${mayHeal} by ${count(rules, 'rule')}: ${verdict.subject.kind} ${subjectName(verdict.subject)}`;
  const rest = refusals.length - mostRefusals;
  const more = rest > 0 ? [`... and ${String(rest)} more of the like`] : [];
  return [head, ...findingTexts(refusals.slice(0, mostRefusals)), ...more, ...(footer === '' ? [] : [footer])].join(
    '\n',
  );
}

/** Findings in full; neighbours that the same fix mends share it. */
function findingTexts(findings: readonly Finding[]): readonly string[] {
  return findings.map((finding, index) =>
    finding.fix === findings[index + 1]?.fix ? findingLine(finding) : findingText(finding),
  );
}

function findingLine({ rule, path, message }: Finding): string {
  const where = path.length === 0 ? '' : `${formatPath(path)}: `;
  return `[${rule}] ${where}${message}`;
}

/** One finding in full: what and where, then the fix, its lines to paste set in further. */
export function findingText(finding: Finding): string {
  const [sentence = '', ...lines] = finding.fix.split('\n');
  return [findingLine(finding), `  Fix: ${sentence}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** The warnings of a verdict, one line each. */
export function warningTexts(verdict: Verdict): readonly string[] {
  const texts = warningsOf(verdict).map((finding) => warningText(`[${finding.rule}] ${finding.message}`));
  if (texts.length <= mostWarnings) return texts;
  return [...texts.slice(0, mostWarnings - 1), `... and ${String(texts.length - mostWarnings + 1)} more warnings`];
}

/**
 * A text as the API server will hand it on: one line, and not too long. It drops a warning that is not valid UTF-8 or
 * holds any control character, not only a line break (apimachinery pkg/util/net/http.go NewWarningHeader).
 */
export function warningText(text: string): string {
  const parts = text.split(/\p{Cc}+/u).map((part) => part.trim());
  const line = parts
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(/\p{Cs}/gu, '\uFFFD');
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
    message: finding.message,
  }));
}
