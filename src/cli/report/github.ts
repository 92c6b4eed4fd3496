import { count } from '../../engine/message.js';
import { visibleLine, visibleLines } from '../../fleet/quoted.js';
import { entriesOf, type Entry } from './entries.js';
import { nameOf, type Report } from './model.js';
import type { ReportOptions } from './options.js';

/** Annotations of GitHub Actions: one workflow command for each entry, and one for all that could not be checked. */
export function githubReport(report: Report, { folder }: ReportOptions): string {
  const entries = entriesOf(report, folder);
  const unknown = entries.filter(({ standing }) => standing === 'unknown').length;
  const lines = entries.flatMap((entry) => annotation(entry));
  if (unknown > 0) lines.push(command('notice', { title: 'not checked' }, notChecked(unknown)));
  return lines.map((line) => `${line}\n`).join('');
}

function notChecked(unknown: number): string {
  return `${count(unknown, 'finding')} could not be told without the fleet; --fleet or --live gives it`;
}

const levels = { error: 'error', refused: 'error', warning: 'warning', audited: 'notice', unknown: undefined } as const;

function annotation({ standing, rule, subject, text, place }: Entry): readonly string[] {
  const level = levels[standing];
  if (level === undefined) return [];
  const title =
    subject === undefined
      ? standing === 'error'
        ? 'cannot be read'
        : rule
      : `${standing}: ${nameOf(subject)} [${rule}]`;
  const where = place === undefined ? {} : { file: place.file, line: place.line, col: place.column };
  return [command(level, { ...where, title }, text)];
}

/** https://docs.github.com/actions: `::error file=a,line=1,title=b::text`, where all that would end a part is escaped. */
function command(level: string, properties: Readonly<Record<string, string | number>>, text: string): string {
  const parts = Object.entries(properties).map(([name, value]) => `${name}=${propertyText(String(value))}`);
  return `::${level} ${parts.join(',')}::${dataText(text)}`;
}

function dataText(text: string): string {
  return visibleLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function propertyText(text: string): string {
  return dataText(visibleLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
