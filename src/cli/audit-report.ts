import { count, findingText, subjectName } from '../engine/message.js';
import { findingJson, type Finding, type Subject, type Verdict } from '../engine/verdict.js';
import { exitCodes, type ExitCode } from '../errors.js';
import { formatPath } from '../fleet/path.js';
import { version } from '../version.js';
import { isRefusal, isWarning } from './check-report.js';
import { indent, printable, type Style } from './style.js';

/** All that came of judging what is stored. */
export interface AuditReport {
  readonly verdicts: readonly Verdict[];
  /** What could not be read of the fleet. */
  readonly errors: readonly string[];
}

interface Told {
  readonly subject: Subject;
  readonly finding: Finding;
}

function toldOf({ verdicts }: AuditReport): readonly Told[] {
  return verdicts.flatMap(({ subject, findings }) => findings.map((finding) => ({ subject, finding })));
}

export function auditExitCode(report: AuditReport): ExitCode {
  if (report.verdicts.some(({ failures }) => failures.length > 0)) return exitCodes.bug;
  if (report.errors.length > 0) return exitCodes.unusable;
  return toldOf(report).some(({ finding }) => isRefusal(finding)) ? exitCodes.refused : exitCodes.clean;
}

/** The report for people: what would fail first, then what may surprise, then a line that sums up. */
export function auditText(report: AuditReport, style: Style): string {
  const told = toldOf(report);
  const refusals = told.filter(({ finding }) => isRefusal(finding));
  const warnings = told.filter(({ finding }) => isWarning(finding));
  const unknown = new Set(
    told.filter(({ finding }) => finding.outcome === 'undetermined').map(({ finding }) => finding.message),
  );
  const blocks = [
    ...report.errors.map((error) => `${style('red', 'error')}: ${printable(error)}`),
    ...refusals.map((one) => block(one, style('red', 'would be refused'))),
    ...warnings.map((one) => block(one, style('yellow', 'warning'))),
    ...[...unknown].sort().map((message) => `${style('cyan', 'not judged')}: ${printable(message)}`),
    summary(report, refusals.length, warnings.length),
  ];
  return blocks.map((text) => `${text}\n`).join('');
}

function block({ subject, finding }: Told, word: string): string {
  return `${word}: ${printable(`${subject.kind} ${subjectName(subject)}`)}\n${indent(printable(findingText(finding)), 2)}`;
}

function summary({ verdicts }: AuditReport, refusals: number, warnings: number): string {
  const found =
    refusals + warnings === 0
      ? 'nothing to object to'
      : `${String(refusals)} would be refused, ${count(warnings, 'warning')}`;
  return `${count(verdicts.length, 'object')} judged: ${found}`;
}

/** The report for programs. */
export function auditJson(report: AuditReport): string {
  const findings = toldOf(report).map(({ subject, finding }) => ({ ...findingJson(finding), ...subject }));
  return `${JSON.stringify({ findings, errors: report.errors, judged: report.verdicts.length }, null, 2)}\n`;
}

/** SARIF 2.1.0, where objects of a hub are logical locations: they stand in no file. */
export function auditSarif(report: AuditReport): string {
  const told = toldOf(report).filter(({ finding }) => finding.outcome === 'violated');
  const ids = [...new Set(told.map(({ finding }) => finding.rule))].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'stageguard', version, rules: ids.map((id) => ({ id })) } },
        results: told.map(({ subject, finding }) => ({
          ruleId: finding.rule,
          level: finding.severity === 'deny' ? 'error' : 'warning',
          message: { text: `${finding.message}\n${finding.fix}` },
          locations: [
            {
              logicalLocations: [
                {
                  fullyQualifiedName: [subject.kind, subjectName(subject), formatPath(finding.path)]
                    .filter(Boolean)
                    .join('/'),
                  kind: 'object',
                },
              ],
            },
          ],
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}
