import { count } from '../../engine/message.js';
import { plain, visibleLine, visibleLines } from '../../fleet/quoted.js';
import { entriesOf, type Entry } from './entries.js';
import { nameOf, type Report } from './model.js';
import type { ReportOptions } from './options.js';
import { planBlocks } from './plan-text.js';
import { styleOf } from './style.js';

/** GitHub takes 65,536 characters for a comment, and refuses the whole where it is longer. */
const longest = 60_000;

/**
 * For the comment of a pull request: what is refused, what to know, and what the runs would do. Whatever somebody else
 * has written stands inside code, where nothing is a link, a mention or a tag.
 */
export function markdownReport(report: Report, { folder }: ReportOptions): string {
  const entries = entriesOf(report, folder);
  // A bot finds its earlier comment by this line, and replaces it.
  const head = [`<!-- stageguard ${report.of} -->`, `### stageguard ${report.of}: ${outcome(entries)}`];
  const told = entries.filter(({ standing }) => standing !== 'unknown' && standing !== 'audited');
  return `${bounded(head, [...told.map(entryText), ...unknownText(entries), ...plansOf(report)]).join('\n\n')}\n`;
}

function bounded(head: readonly string[], parts: readonly string[]): readonly string[] {
  const kept = [...head];
  let length = head.join('\n\n').length;
  for (const [index, part] of parts.entries()) {
    length += part.length + 2;
    if (length > longest) return [...kept, `... and ${parts.length - index} more, which a comment has no room for.`];
    kept.push(part);
  }
  return kept;
}

function outcome(entries: readonly Entry[]): string {
  const number = (standing: Entry['standing']): number => entries.filter((entry) => entry.standing === standing).length;
  const parts = [
    [number('error'), count(number('error'), 'error')],
    [number('refused'), `${number('refused')} refused`],
    [number('warning'), count(number('warning'), 'warning')],
  ] as const;
  return parts.flatMap(([found, text]) => (found > 0 ? [text] : [])).join(', ') || 'no problems';
}

const signs = { error: '❌ error', refused: '❌ refused', warning: '⚠️ warning' } as const;

function entryText({ standing, subject, place, text }: Entry): string {
  const sign = signs[standing as keyof typeof signs];
  const where = place === undefined ? [] : [inlineCode(`${plain(place.file)}:${place.line}`)];
  const what = subject === undefined ? [] : [inlineCode(nameOf(subject))];
  return [[`**${sign}**`, ...what, ...where].join(' '), block(text)].join('\n\n');
}

function unknownText(entries: readonly Entry[]): readonly string[] {
  const unknown = entries.filter(({ standing }) => standing === 'unknown').length;
  return unknown === 0 ? [] : [`ℹ️ ${count(unknown, 'finding')} could not be told without the fleet.`];
}

function plansOf(report: Report): readonly string[] {
  const plans = report.of === 'check' ? report.plans() : report.of === 'plan' ? [report] : [];
  return plans.flatMap(({ title, plan }) => {
    const text = plan === undefined ? 'no plan can be made' : planBlocks(plan, styleOf(false)).join('\n\n');
    return [`**Plan of** ${inlineCode(title)}`, block(text)].join('\n\n');
  });
}

/** In a fence that is longer than any inside. */
function block(text: string): string {
  const shown = visibleLines(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}text\n${shown}\n${fence}`;
}

function inlineCode(text: string): string {
  const shown = visibleLine(text);
  const ticks = '`'.repeat(longestRun(shown) + 1);
  // A space, of which one on each side is dropped, keeps a tick of the text from the tick of the fence.
  const space = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${shown}${space}${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
