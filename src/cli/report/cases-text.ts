import { count, findingText } from '../../engine/message.js';
import { plain, visibleLine } from '../../fleet/quoted.js';
import { differences, standingOfCase, type CaseResult, type CasesReport } from './cases-model.js';
import { nameOf } from './model.js';
import type { ReportOptions } from './options.js';
import { indent, type Style } from './style.js';

const colours = { passed: 'green', failed: 'red', error: 'red' } as const;

/** The report for people: a line for each case, and below it what is not as expected. */
export function casesText({ results }: CasesReport, { style, isQuiet = false }: ReportOptions): string {
  const shown = isQuiet ? results.filter((result) => standingOfCase(result) !== 'passed') : results;
  const blocks = shown.map((result) => caseText(result, style));
  return [...blocks, ...(isQuiet ? [] : [`${summary(results)}\n`])].join('');
}

function caseText(result: CaseResult, style: Style): string {
  const standing = standingOfCase(result);
  const { file, line, name } = result;
  const head = `${style('bold', `${plain(file)}:${line}`)}: ${style(colours[standing], standing)}: ${visibleLine(name)}\n`;
  return head + indent(whyText(result), 2);
}

/** Why a case has not passed; nothing, where it has. */
export function whyText(result: CaseResult): string {
  if (result.errors.length > 0) return result.errors.map((error) => `${visibleLine(error)}\n`).join('');
  const differing = differences(result);
  if (differing.length === 0) return '';
  const said = result.findings.map((finding) => `${nameOf(finding.subject)}\n${indent(findingText(finding), 2)}`);
  return [...differing, ...said].map((text) => `${text}\n`).join('');
}

function summary(results: readonly CaseResult[]): string {
  const parts = (['passed', 'failed', 'error'] as const).flatMap((standing) => {
    const number = results.filter((result) => standingOfCase(result) === standing).length;
    if (number === 0) return [];
    return [standing === 'error' ? count(number, 'error') : `${number} ${standing}`];
  });
  return `${count(results.length, 'case')}: ${parts.join(', ')}`;
}
