import { differences, standingOfCase, type CaseResult, type CasesReport } from './cases-model.js';
import { whyText } from './cases-text.js';
import { junitXml, type Case } from './junit.js';

/** JUnit XML: one suite for each file of cases. */
export function casesJunit({ results }: CasesReport): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((name) => ({ name, cases: results.filter(({ file }) => file === name).map(caseOf) }));
  return junitXml('stageguard test', suites);
}

function caseOf(result: CaseResult): Case {
  const { name } = result;
  const standing = standingOfCase(result);
  if (standing === 'passed') return { name };
  const text = whyText(result);
  if (standing === 'error') return { name, error: { headline: result.errors[0] ?? '', text } };
  return { name, failure: { headline: differences(result).join('; '), text } };
}
