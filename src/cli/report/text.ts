import { count, findingLine, findingText } from '../../engine/message.js';
import { plain, visible, visibleLine } from '../../fleet/quoted.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import { fails, isAudited, isRefusal, isWarning, nameOf, standingOf, type Standing } from './model.js';
import type { AuditReport, CheckReport, LocatedFinding, PlanReport, Report, ReportedFinding } from './model.js';
import { planBlocks } from './plan-text.js';
import { checkSummary } from './check-summary.js';
import type { ReportOptions } from './options.js';
import { indent, type Style } from './style.js';

/** The report for people. */
export function textReport(report: Report, options: ReportOptions): string {
  switch (report.of) {
    case 'check':
      return checkText(report, options);
    case 'plan':
      return planText(report, options.style);
    case 'audit':
      return auditText(report, options.style);
  }
}

/** What could not be read, then the findings file by file, then a line that sums up. */
function checkText(report: CheckReport, { style, isQuiet = false, failOn = 'deny' }: ReportOptions): string {
  const shown = report.findings.filter((finding) => fails(finding, isQuiet ? failOn : 'warn'));
  const files = [...new Set(shown.map(({ file }) => file))];
  const blocks = [
    report.errors.map((error) => errorText(error, style)).join('\n'),
    ...files.map((file) =>
      fileText(
        shown.filter((finding) => finding.file === file),
        style,
      ),
    ),
    (isQuiet && failOn === 'deny' ? [] : report.unused).map((comment) => unusedText(comment, style)).join('\n'),
    ...(isQuiet ? [] : [notChecked(report, style), checkSummary(report, style)]),
  ].filter((block) => block !== '');
  return blocks.map((block) => `${block}\n`).join('\n');
}

interface Somewhere {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

function placeText({ file, line, column }: Somewhere): string {
  return [plain(file), line, column].filter((part) => part !== undefined).join(':');
}

function errorText(error: ManifestProblem, style: Style): string {
  return `${style('bold', placeText(error))}: ${style('red', 'error')}: ${visibleLine(error.message)}${fixLine(error.fix)}`;
}

function unusedText(comment: ManifestProblem, style: Style): string {
  return `${style('bold', placeText(comment))}: ${style('yellow', 'warning')}: ${visibleLine(comment.message)}`;
}

function fileText(findings: readonly LocatedFinding[], style: Style): string {
  return findings
    .map((finding, index) => {
      // Neighbours that have the same fix share it, as in a refusal.
      const isSaidBelow = finding.fix === findings[index + 1]?.fix;
      return findingBlock(finding, style, isSaidBelow ? findingLine : findingText);
    })
    .join('\n');
}

function findingBlock(finding: LocatedFinding, style: Style, text: typeof findingText): string {
  const head = `${standingWord(finding, style)}: ${nameOf(finding.subject)}`;
  return `${style('bold', placeText(finding))}: ${head}\n${indent(text(finding), 2)}`;
}

const standingWords: Readonly<Record<Standing, readonly ['red' | 'yellow' | 'cyan', string]>> = {
  refused: ['red', 'refused'],
  warning: ['yellow', 'warning'],
  audited: ['cyan', 'audited'],
  unknown: ['cyan', 'not checked'],
};

function standingWord(finding: ReportedFinding, style: Style): string {
  const [colour, word] = standingWords[standingOf(finding)];
  return style(colour, word);
}

/** A hub has no files; a fleet of files has. */
function auditBlock(word: string, finding: ReportedFinding, style: Style): string {
  const { file, line, column } = finding;
  const place = file === undefined ? '' : `${style('bold', placeText({ file, line, column }))}: `;
  return headed(`${place}${word}: ${nameOf(finding.subject)}`, finding);
}

function headed(head: string, finding: ReportedFinding): string {
  return `${head}\n${indent(findingText(finding), 2)}`;
}

/** Nobody reads more names than these, and thousands of files make thousands of them. */
const mostThings = 10;

/** One line for all that could not be told, since it is one cause. */
function notChecked({ findings, fleet }: CheckReport, style: Style): string {
  const unknown = findings
    .filter(({ outcome }) => outcome === 'undetermined')
    .map(({ message }) => message.replace(/^could not be checked: cannot know /, ''));
  const things = [...new Set(unknown)].sort();
  if (things.length === 0) return '';
  const rest = things.length - mostThings;
  const more = rest > 0 ? ` and ${rest} more` : '';
  const remedy = fleet === 'none' ? '. Give --fleet PATH, or --live, to check these too.' : '';
  return `${style('cyan', 'not checked')}, ${causes[fleet]}: ${visible(things.slice(0, mostThings).join(', '))}${more}${remedy}`;
}

const causes = {
  none: 'because no fleet was given',
  broken: 'because the fleet could not be read',
  whole: 'because KubeFleet has yet to write it',
} as const;

/** What comes in which order, what stands between, and what is wrong with it. */
function planText({ title, plan, findings, errors }: PlanReport, style: Style): string {
  const blocks = [
    ...errors.map((error) => plainError(error, style)),
    style('bold', title),
    ...(plan === undefined ? ['no plan can be made, for the reasons below'] : planBlocks(plan, style)),
    ...findings.map((finding) => headed(standingWord(finding, style), finding)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function plainError({ file, message, fix }: ManifestProblem, style: Style): string {
  return `${style('red', 'error')}: ${plain(file)}: ${visibleLine(message)}${fixLine(fix)}`;
}

function fixLine(fix: string | undefined): string {
  return fix === undefined ? '' : `\n  Fix: ${visibleLine(fix)}`;
}

/** What would fail first, then what may surprise, then a line that sums up. */
function auditText({ findings, errors, judged }: AuditReport, style: Style): string {
  const refusals = findings.filter(isRefusal);
  const warnings = findings.filter(isWarning);
  const unknown = new Set(findings.filter(({ outcome }) => outcome === 'undetermined').map(({ message }) => message));
  const audited = findings.filter(isAudited).length;
  const noted = audited === 0 ? '' : `, ${String(audited)} audited`;
  const found =
    refusals.length + warnings.length === 0
      ? 'no problems found'
      : `${String(refusals.length)} would be refused, ${count(warnings.length, 'warning')}`;
  const blocks = [
    ...errors.map((error) => plainError(error, style)),
    ...refusals.map((finding) => auditBlock(style('red', 'would be refused'), finding, style)),
    ...warnings.map((finding) => auditBlock(style('yellow', 'warning'), finding, style)),
    ...[...unknown].sort().map((message) => `${style('cyan', 'not judged')}: ${visible(message)}`),
    `${count(judged, 'object')} judged: ${found}${noted}`,
  ];
  return blocks.map((text) => `${text}\n`).join('');
}
