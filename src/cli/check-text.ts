import { count, findingText, subjectName } from '../engine/message.js';
import type { ManifestProblem } from '../sources/manifests/files.js';
import { isRefusal, isWarning, type CheckReport, type LocatedFinding } from './check-report.js';
import { indent, printable, type Style } from './style.js';

export interface TextOptions {
  readonly style: Style;
  /** Only what must be mended. */
  readonly isQuiet: boolean;
}

/** The report for people: what could not be read, then the findings file by file, then a line that sums up. */
export function textReport(report: CheckReport, { style, isQuiet }: TextOptions): string {
  const shown = report.findings.filter((finding) => isRefusal(finding) || (!isQuiet && isWarning(finding)));
  const files = [...new Set(shown.map(({ file }) => file))];
  const blocks = [
    report.errors.map((error) => errorText(error, style)).join('\n'),
    ...files.map((file) =>
      fileText(
        shown.filter((finding) => finding.file === file),
        style,
      ),
    ),
    ...(isQuiet ? [] : [notChecked(report, style), summary(report, style)]),
  ].filter((block) => block !== '');
  return blocks.map((block) => `${block}\n`).join('\n');
}

function placeText({ file, line, column }: ManifestProblem): string {
  return printable([file, line, column].filter((part) => part !== undefined).join(':'));
}

function errorText(error: ManifestProblem, style: Style): string {
  return `${style('bold', placeText(error))}: ${style('red', 'error')}: ${printable(error.message)}`;
}

function fileText(findings: readonly LocatedFinding[], style: Style): string {
  return findings.map((finding) => findingBlock(finding, style)).join('\n');
}

function findingBlock(finding: LocatedFinding, style: Style): string {
  const word = finding.severity === 'deny' ? style('red', 'refused') : style('yellow', 'warning');
  const { subject } = finding;
  const who = printable(`${subject.kind} ${subjectName(subject)}`);
  return `${style('bold', placeText(finding))}: ${word}: ${who}\n${indent(printable(findingText(finding)), 2)}`;
}

/** One line for all that could not be told, since it is one cause. */
function notChecked({ findings, fleet }: CheckReport, style: Style): string {
  const unknown = findings
    .filter(({ outcome }) => outcome === 'undetermined')
    .map(({ message }) => message.replace(/^could not be checked: cannot know /, ''));
  const things = [...new Set(unknown)].sort();
  if (things.length === 0) return '';
  const remedy = fleet === 'none' ? '. Give --fleet PATH, or --live, to check these too.' : '';
  return `${style('cyan', 'not checked')}, ${causes[fleet]}: ${printable(things.join(', '))}${remedy}`;
}

const causes = {
  none: 'for want of a fleet',
  broken: 'because the fleet could not be read',
  whole: 'because KubeFleet has yet to write it',
} as const;

function summary({ findings, errors, files, checked, passedOver }: CheckReport, style: Style): string {
  const refused = new Set(findings.filter(isRefusal).map(({ file, subject }) => `${file} ${JSON.stringify(subject)}`))
    .size;
  const warnings = findings.filter(isWarning).length;
  const parts = [
    ...(errors.length > 0 ? [style('red', count(errors.length, 'error'))] : []),
    ...(refused > 0 ? [style('red', `${String(refused)} refused`)] : []),
    ...(warnings > 0 ? [style('yellow', count(warnings, 'warning'))] : []),
  ];
  const outcome = parts.length === 0 ? style('green', 'nothing to object to') : parts.join(', ');
  const others = passedOver === 0 ? '' : ` (${count(passedOver, 'object')} of other kinds passed over)`;
  return `${count(files, 'file')}, ${count(checked, 'object')}: ${outcome}${others}`;
}
