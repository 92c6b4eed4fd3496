import { findingJson } from '../../engine/verdict.js';
import { standingOfCase, type CasesReport } from './cases-model.js';
import { jsonText } from './json-text.js';

/** The report for programs. */
export function casesJson({ results }: CasesReport): string {
  const cases = results.map((result) => {
    const { name, file, line, column, expected, found, findings, errors } = result;
    const told = findings.map(({ subject, ...finding }) => ({ ...findingJson(finding), ...subject }));
    const outcome = { outcome: standingOfCase(result), expected, found, findings: told, errors };
    return { name, file, line, column, ...outcome };
  });
  return jsonText({ cases });
}
