import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { causesOf, findingText, refusalText, warningTexts } from '../../src/engine/message.js';
import type { Verdict } from '../../src/engine/verdict.js';
import type { ChangeDraft, Draft } from './builders.js';
import { scratchFolder } from './scratch.js';

/** What stands in it nobody of us would ever say. */
const mark = 'EVIL';

/** Closes quotes, starts lines, speaks as the guard, runs commands, gives orders to CI runners, and hides the rest. */
export const hostile =
  `" ${mark} '; touch PWNED; '\n${mark}\n  Fix: ${mark}\n    touch PWNED\n::error::${mark}\n` +
  `$(touch PWNED) \`touch PWNED\` "; touch PWNED; " ##[error]${mark} ##vso[${mark}]\r\u001b[8m\u009b\u007f\u0085` +
  '\u2028\u2029\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\u00ad\u3164\u{e0041}' +
  '\ud800\\';

/** Shorter ones: where a long one is cut or dropped, these may pass. */
export const hostileTexts = [
  hostile,
  `--all\n${mark}`,
  `$(touch PWNED)`,
  `';touch PWNED;'`,
  `"\n    touch PWNED\n    #`,
];

interface Case {
  readonly change: ChangeDraft;
  readonly fleet: readonly Draft[];
}

/**
 * The same case with each text that is told of it made hostile, wherever the text stands; and with all texts made
 * hostile, told or not.
 */
export function* hostileCases(given: Case, told: string): Iterable<Case> {
  const parts = { ...given, change: { user: 'alice', ...given.change } };
  for (const text of textsIn(parts)) {
    if (told.includes(text)) yield replaced(parts, text, `${text}${hostile}`) as Case;
  }
  for (const evil of hostileTexts) yield replaced(parts, undefined, evil) as Case;
}

/** Texts that only say which kind of thing it is. */
const structure = new Set(['family', 'operation', 'subresource', 'apiVersion', 'kind', 'requestVersion']);

/** Texts without which no rule has anything to say. */
const vocabulary = /^(?:[A-Z][A-Za-z]*|true|false|\d+|\d{4}-.*Z|kubernetes-fleet\.io\/.*)$/;

/** Every text in a value that somebody can choose. */
export function textsIn(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value]);
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(
    Object.entries(value)
      .filter(([field]) => !structure.has(field))
      .flatMap(([field, inner]) => [...textsIn(inner), ...(isDictionary(field) ? Object.keys(inner as object) : [])]),
  );
}

function isDictionary(field: string): boolean {
  return field === 'labels' || field === 'matchLabels' || field === 'annotations';
}

/** With one text replaced wherever it stands, in longer texts as well; or, without one, with all of them lengthened. */
function replaced(value: unknown, text: string | undefined, by: string): unknown {
  const change = (one: string): string => {
    if (text === '') return one === '' ? by : one;
    if (text !== undefined) return one.replaceAll(text, () => by);
    return vocabulary.test(one) ? one : `${one}${by}`;
  };
  const walk = (inner: unknown, isKeyed: boolean): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map((one) => walk(one, false));
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([field, one]) => [
        isKeyed ? change(field) : field,
        structure.has(field) ? one : walk(one, isDictionary(field)),
      ]),
    );
  };
  return walk(value, false);
}

/** Everything that is told of a verdict, on any way. */
export function saidOf(verdict: Verdict): string {
  return [
    refusalText(verdict),
    ...warningTexts(verdict),
    ...verdict.findings.map(findingText),
    ...causesOf(verdict).map(({ field, message }) => `${field}: ${message}`),
    verdict.preview ?? '',
  ].join('\n');
}

const forbidden: readonly (readonly [string, RegExp])[] = [
  ['a character that is not seen', /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u],
  ['a line of somebody else', /^\s*(?:EVIL|Fix: EVIL|touch|::|\$)/],
  ['a closed quote', /(?<!\\)" EVIL/],
  ['an order to a CI runner', /##|::/],
];

/** What is wrong with a text that must not carry anything on; empty where nothing is. */
export function voicesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => forbidden.filter(([, pattern]) => pattern.test(line)).map(([name]) => `${name}: ${line}`));
}

/** What came of pasting: the arguments of every kubectl, and whether something else was run. */
export interface Pasted {
  readonly calls: readonly (readonly string[])[];
  readonly isOwned: boolean;
}

/** Pastes texts into a shell, one after the other, where kubectl only takes down how it is called. */
export function paste(texts: readonly string[]): Pasted {
  const folder = scratchFolder();
  const record = join(folder, 'calls');
  const files = texts.map((text, index) => {
    const file = join(folder, `${String(index)}.paste`);
    writeFileSync(file, text);
    return file;
  });
  // A shell for each, which a problem in the syntax may end.
  const script = `
    kubectl() { printf '%s\\0' "$@" >> '${record}'; printf '\\0' >> '${record}'; }
    for file in "$@"; do ( . "$file" ); done`;
  spawnSync('sh', ['-c', script, 'sh', ...files], { cwd: folder, env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
  const calls = existsSync(record) ? readFileSync(record, 'utf8').split('\0\0') : [];
  return {
    calls: calls.filter((call) => call !== '').map((call) => call.split('\0')),
    isOwned: existsSync(join(folder, 'PWNED')),
  };
}
