import type { Subject } from '../../engine/verdict.js';
import { visibleLine, visibleLines } from '../../fleet/quoted.js';
import { entriesOf, placeOf, type Entry } from './entries.js';
import { nameOf, type Report } from './model.js';
import type { ReportOptions } from './options.js';

/** JUnit XML: one suite for each file, one case for each object; an object that is refused has failed. */
export function junitReport(report: Report, options: ReportOptions): string {
  return junitXml(`stageguard ${report.of}`, suitesOf(report, options));
}

/** A group of cases. */
export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly name: string;
  /** Why it failed: a headline, and all of it. */
  readonly failure?: Trouble | undefined;
  /** Why nobody could tell. */
  readonly error?: Trouble | undefined;
  /** What else there is to say. */
  readonly output?: string;
}

interface Trouble {
  readonly headline: string;
  readonly text: string;
}

/** Suites as XML, as the Jenkins schema has it, which all that read JUnit agree on. */
export function junitXml(name: string, suites: readonly Suite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  const lines = suites.map((suite) =>
    element('testsuite', { name: suite.name, ...counts(suite.cases) }, suite.cases.map(caseXml(suite.name))),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, ...counts(all) }, lines)}\n`;
}

function counts(cases: readonly Case[]): Readonly<Record<string, number>> {
  const number = (is: (one: Case) => boolean): number => cases.filter(is).length;
  return {
    tests: cases.length,
    failures: number(({ failure }) => failure !== undefined),
    errors: number(({ error }) => error !== undefined),
  };
}

function caseXml(suite: string): (one: Case) => string {
  return ({ name, failure, error, output = '' }) =>
    element('testcase', { name, classname: suite }, [
      ...(error === undefined ? [] : [trouble('error', error)]),
      ...(failure === undefined ? [] : [trouble('failure', failure)]),
      ...(output === '' ? [] : [element('system-out', {}, [escaped(output)])]),
    ]);
}

function trouble(tag: string, { headline, text }: Trouble): string {
  return element(tag, { message: headline, type: tag }, [escaped(text)]);
}

function element(tag: string, attributes: Readonly<Record<string, string | number>>, inner: readonly string[]): string {
  const given = Object.entries(attributes).map(([name, value]) =>
    [' ', name, '="', escaped(visibleLine(String(value))), '"'].join(''),
  );
  const open = `<${tag}${given.join('')}`;
  if (inner.length === 0) return `${open}/>`;
  // Text stays as it is; elements stand on lines of their own.
  const isText = inner.every((part) => !part.startsWith('<'));
  return isText ? `${open}>${inner.join('')}</${tag}>` : `${open}>\n${inner.join('\n')}\n</${tag}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Most control characters have no place in XML, not even escaped; `visibleLines` leaves none. */
function escaped(text: string): string {
  return visibleLines(text).replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}

function suitesOf(report: Report, options: ReportOptions): readonly Suite[] {
  const all = entriesOf(report, options.folder);
  const entries = grouped(all, ({ place, subject }) => keyOf(place?.file, subject));
  const cases = [
    ...all
      .filter(({ subject }) => subject === undefined)
      .map((entry) => ({ suite: entry.place?.file ?? report.of, one: lineCase(entry, options) })),
    ...report.objects.map(({ subject, ...place }) => {
      const file = placeOf(place, options.folder)?.file;
      return { suite: file ?? report.of, one: objectCase(subject, entries.get(keyOf(file, subject)) ?? [], options) };
    }),
  ];
  return [...grouped(cases, ({ suite }) => suite)].map(([name, group]) => ({
    name,
    cases: group.map(({ one }) => one),
  }));
}

function keyOf(file: string | undefined, subject: Subject | undefined): string {
  return JSON.stringify([file, subject?.kind, subject?.namespace, subject?.name]);
}

function grouped<T>(all: Iterable<T>, keyOfOne: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOfOne(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

/** What belongs to no object. */
function lineCase({ standing, message, place }: Entry, { failOn }: ReportOptions): Case {
  const name = place === undefined ? 'standard input' : `line ${place.line}`;
  const trouble = { headline: message, text: message };
  if (standing === 'error') return { name, error: trouble };
  return failOn === 'warn' ? { name, failure: trouble } : { name, output: `${words[standing]}: ${message}` };
}

function objectCase(subject: Subject, entries: readonly Entry[], { failOn = 'deny' }: ReportOptions): Case {
  const isFailing = ({ standing }: Entry): boolean =>
    standing === 'refused' || (failOn === 'warn' && standing === 'warning');
  const failing = entries.filter(isFailing);
  const [first] = failing;
  const others = entries
    .filter((entry) => !isFailing(entry))
    .map(({ standing, text }) => `${words[standing]}: ${text}`);
  return {
    name: nameOf(subject),
    ...(first !== undefined && { failure: { headline: headline(first, failing.length), text: texts(failing) } }),
    ...(others.length > 0 && { output: others.join('\n') }),
  };
}

const words = {
  error: 'error',
  refused: 'refused',
  warning: 'warning',
  audited: 'audited',
  unknown: 'not checked',
} as const;

function headline({ rule, message }: Entry, of: number): string {
  return `[${rule}] ${message}${of > 1 ? `, and ${of - 1} more` : ''}`;
}

function texts(entries: readonly Entry[]): string {
  return entries.map(({ text }) => text).join('\n');
}
