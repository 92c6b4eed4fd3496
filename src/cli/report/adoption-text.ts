import { count } from '../../engine/message.js';
import { plain, quoted, visibleLine } from '../../fleet/quoted.js';
import type { Adoption, Advice, Advised } from '../adopt/advice.js';
import type { Repeated, Tally } from '../adopt/tally.js';
import { jsonText } from './json-text.js';
import { indent, table, type Style } from './style.js';

/** What the log says of adopting rules, for people. */
export function adoptionText({ tally, rules }: Adoption, style: Style): string {
  const of = (advice: Advice): readonly Advised[] => rules.filter((rule) => rule.advice === advice);
  const section = (title: string, text: string): string =>
    text === '' ? '' : `\n${style('bold', title)}\n${indent(text, 2)}`;
  const able = of('can refuse');
  return [
    `${headText(tally)}\n`,
    section('Cannot refuse yet: these writes would have been refused', of('cannot yet').map(offendersText).join('')),
    section('Can refuse today: nothing that happened would have been refused', lines(able, storedText)),
    section('In the settings:', able.length === 0 ? '' : settingsText(able)),
    section('Not seen: no write of the kind', lines(of('not seen'), storedText)),
    section(
      'Off: not judged, so that nobody knows',
      lines(of('off'), () => ''),
    ),
    section(
      'Refuse already',
      lines(of('refuses already'), ({ refused }) => ` (${count(refused, 'refusal')})`),
    ),
    section('Exemptions that were used', exemptionsText(tally)),
  ].join('');
}

function headText({ decisions, lines: all, since, until, unjudged, dryRuns, tooLong }: Tally): string {
  const span = `from ${plain(since)} to ${plain(until)}`;
  const but = [
    ...(dryRuns > 0 ? [`${count(dryRuns, 'dry run')} not counted below`] : []),
    ...(unjudged > 0 ? [`${String(unjudged)} not judged, for the guard could not answer in time`] : []),
    ...(tooLong > 0 ? [`${count(tooLong, 'line')} too long to be read`] : []),
  ];
  return `${count(decisions, 'decision')} in ${count(all, 'line')}, ${span}${but.map((one) => `; ${one}`).join('')}`;
}

function lines(rules: readonly Advised[], more: (rule: Advised) => string): string {
  return rules.map((one) => `${one.rule.id}${more(one)}\n`).join('');
}

function storedText({ writes, stored }: Advised): string {
  const seen = writes === 0 ? '' : ` (${count(writes, 'write')})`;
  return stored === 0
    ? seen
    : `${seen}; stored objects break it ${count(stored, 'time')}, and are let be until they are changed`;
}

function offendersText(one: Advised): string {
  const { rule, wouldRefuse, writes, offenders, moreOffences } = one;
  const rows = offenders.map(({ write, ...repeated }) => [
    plain(write.user),
    `${write.operation === '' ? '' : `${plain(write.operation)} `}${plain(write.kind)} ${plain(write.object)}`,
    timesText({ write, ...repeated }),
  ]);
  const more = moreOffences > 0 ? [`... and ${String(moreOffences)} more`] : [];
  const head = `${rule.id}: ${String(wouldRefuse)} of ${count(writes, 'write')}\n`;
  return `${head}${indent(`${table(rows)}${more.map((line) => `${line}\n`).join('')}`, 2)}`;
}

function timesText({ times, last }: Repeated): string {
  return `${count(times, 'time')}, last ${plain(last)}`;
}

function settingsText(able: readonly Advised[]): string {
  return ['rules:', ...able.map(({ rule }) => `  ${rule.id}: deny`), ''].join('\n');
}

function exemptionsText({ exemptions, moreExemptions }: Tally): string {
  const rows = exemptions.map((one) => [
    plain(one.write.user),
    plain(one.write.object),
    timesText(one),
    visibleLine(one.text),
  ]);
  const more = moreExemptions > 0 ? `... and ${String(moreExemptions)} more\n` : '';
  return rows.length === 0 ? '' : `${table(rows)}${more}`;
}

/** The same for programs. */
export function adoptionJson({ tally, rules }: Adoption): string {
  const told = rules.map(({ rule, ...more }) => ({ rule: rule.id, ...more }));
  return jsonText({ ...tally, rules: told });
}

/** What is no log of a guard. */
export function noDecisions(paths: readonly string[], { lines: all }: Tally): string {
  return `${paths.map((path) => (path === '-' ? 'standard input' : quoted(path))).join(', ')}: no decision of a guard in ${count(all, 'line')}`;
}
