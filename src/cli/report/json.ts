import { findingJson } from '../../engine/verdict.js';
import { formatPath } from '../../fleet/path.js';
import { plain } from '../../fleet/quoted.js';
import { jsonText } from './json-text.js';
import type { CheckReport, LocatedFinding, PlanReport, Report } from './model.js';

/** The report for programs. */
export function jsonReport(report: Report): string {
  return jsonText(shapeOf(report));
}

function shapeOf(report: Report): object {
  switch (report.of) {
    case 'check':
      return checkShape(report);
    case 'plan':
      return planShape(report);
    case 'audit': {
      const findings = report.findings.map(({ subject, ...finding }) => ({ ...findingJson(finding), ...subject }));
      return {
        findings,
        errors: report.errors.map(({ file, message }) => `${plain(file)}: ${message}`),
        judged: report.judged,
      };
    }
  }
}

/** What `check` tells programs. */
export function checkShape({ findings, errors, checked, passedOver, ...more }: CheckReport) {
  return {
    findings: findings.map(locatedFields),
    errors: errors.map(({ file, line, column, message, fix }) => ({ file, line, column, message, fix })),
    checked,
    passedOver,
    filesPassedOver: more.filesPassedOver,
    suppressed: more.suppressed.map(({ reason, ...finding }) => ({ ...locatedFields(finding), reason })),
    unusedComments: more.unused.map(({ file, line, column, message }) => ({ file, line, column, message })),
  };
}

function locatedFields({ subject, ...finding }: LocatedFinding) {
  const { rule, severity, outcome, path, message, fix, retry, file, line, column } = finding;
  return {
    ...{ rule, severity, outcome, path: formatPath(path), message, fix, retry, file, line, column },
    ...{ kind: subject.kind, namespace: subject.namespace, name: subject.name },
  };
}

/** What the controller would write to stagesStatus. */
export function planShape({ plan, findings }: PlanReport) {
  const stages = (plan?.stages ?? []).map(({ name, clusters }) => ({
    name,
    clusters: clusters.map((one) => one.name),
  }));
  // All of them are about the one run.
  const own = findings.map(({ subject: _, ...finding }) => findingJson(finding));
  return { stages, deletion: plan?.deletion ?? [], findings: own };
}
