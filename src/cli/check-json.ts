import { formatPath } from '../fleet/path.js';
import type { CheckReport } from './check-report.js';

/** The report for programs. */
export function jsonReport({ findings, errors, checked, passedOver }: CheckReport): string {
  const report = {
    findings: findings.map(({ rule, severity, outcome, path, message, fix, retry, file, line, column, subject }) => ({
      ...{ rule, severity, outcome, path: formatPath(path), message, fix, retry, file, line, column },
      ...{ kind: subject.kind, namespace: subject.namespace, name: subject.name },
    })),
    errors: errors.map(({ file, line, column, message }) => ({ file, line, column, message })),
    checked,
    passedOver,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
