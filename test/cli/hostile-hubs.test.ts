import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { run, type Captured } from '../support/captured-io.js';
import { fuzz, fuzzTimeout, tellCounts } from '../support/fuzz.js';
import { hostileTexts, paste, textsIn, voicesIn } from '../support/hostile.js';
import { hubs, type Hub, type Json } from '../support/hubs.js';
import { scratchFolder } from '../support/scratch.js';
import { parseXml } from '../support/xml.js';

/*
 * Recorded hubs in which texts that somebody else has written are hostile, through every command that reads a hub, in every
 * format: nobody but the guard speaks, whoever reads it.
 */

const markup = '</p></pre><script>EVIL</script><img src=x>[a](http://evil)|@evil ```\n';
const texts = [...hostileTexts, `${markup}${hostileTexts[0] ?? ''}`, `${'`'.repeat(40)}${markup}`, ']]>&#x1b;'];

/** Without these nothing is read at all. */
const structure = new Set(['apiVersion', 'kind', 'creationTimestamp', 'lastTransitionTime', 'generation']);

/** Some of the texts lengthened or replaced, and some of the keys. */
function spoiled(value: unknown, dice: () => number): unknown {
  const evil = (): string => texts[dice() % texts.length] ?? '';
  if (typeof value === 'string') {
    const side = dice();
    if (side < 60) return `${value}${evil()}`;
    return side < 80 ? evil() : value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => spoiled(item, dice));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (structure.has(key)) return [key, inner];
      return [dice() < 5 ? `${key}${evil()}` : key, spoiled(inner, dice)];
    }),
  );
}

/** Words of KubeFleet and of the API server: without them no rule has anything to say. */
const vocabulary = /^(?:[A-Z][A-Za-z]*|\d+|\d{4}-.*Z|.*\.io\/.*|.{0,3}|true|false)$/;

/** A few texts, wherever they stand, so that what names each other goes on doing so. */
function renamed(items: readonly Json[], dice: () => number): readonly Json[] {
  const names = [...textsIn(items)].filter((text) => !vocabulary.test(text));
  return Array.from({ length: 1 + (dice() % 3) }).reduce<readonly Json[]>((all) => {
    const [name, evil] = [names[dice() % names.length] ?? 'web', texts[dice() % texts.length] ?? ''];
    const [before, after] = [name, `${name}${evil}`].map((text) => JSON.stringify(text).slice(1, -1));
    return JSON.parse(JSON.stringify(all).replaceAll(before ?? '', () => after ?? '')) as readonly Json[];
  }, items);
}

/** What of a text of Markdown is not code. */
function besideCode(text: string): string {
  let rest = text;
  let beside = '';
  for (let open = /`+/.exec(rest); open !== null; open = /`+/.exec(rest)) {
    const [ticks] = open;
    const after = rest.slice(open.index + ticks.length);
    const close = [...after.matchAll(/`+/g)].find(([run]) => run.length === ticks.length);
    beside += rest.slice(0, open.index);
    if (close === undefined) return `${beside}${ticks}${after}`;
    rest = after.slice(close.index + ticks.length);
  }
  return beside + rest;
}

const html = (out: string): void => {
  expect(out).not.toMatch(/<script|<img|onerror=/i);
};
const sound: Readonly<Record<string, (out: string) => void>> = {
  text: (out) => {
    expect(voicesIn(out)).toEqual([]);
  },
  json: (out) => void JSON.parse(out),
  sarif: (out) => void JSON.parse(out),
  gitlab: (out) => void JSON.parse(out),
  junit: (out) => void parseXml(out),
  github: (out) => {
    expect(out.split('\n').filter((line) => !/^(::(error|warning|notice) |$)/.test(line))).toEqual([]);
  },
  markdown: (out) => {
    expect(besideCode(out)).not.toMatch(/(?<!\\)<(?:script|img)|(?<!\\)\]\(|(?<!\\)@evil/);
  },
  html,
};

const raw = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const counts: Record<string, number> = {};

function expectSound(command: string, format: string, { code, out, err }: Captured): void {
  const key = `${command} ${String(code)}`;
  counts[key] = (counts[key] ?? 0) + 1;
  expect([0, 1, 2]).toContain(code);
  expect(err).not.toContain('has a bug');
  // Our own signs hold a mark that is not seen by itself.
  for (const said of [out.replaceAll(/[\u26a0\u2139]\ufe0f/g, ''), err]) {
    expect(said).not.toMatch(raw);
    // A line break says nothing in HTML.
    if (format !== 'html') expect(said).not.toMatch(/^\s*(?:EVIL|touch PWNED)/m);
  }
  expect(voicesIn(err)).toEqual([]);
  if (out !== '') sound[format]?.(out);
}

const common = ['text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'];
const commands: Readonly<Record<string, readonly string[]>> = {
  diagnose: ['text', 'json', 'markdown', 'html'],
  audit: common,
  check: common,
  plan: [...common, 'html'],
};
const files = scratchFolder();
const [fleet, change] = ['hub.json', 'change.json'].map((name) => join(files, name));
const list = (items: readonly Json[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const isRun = ({ kind }: Json): boolean => String(kind).endsWith('UpdateRun');

/** The lines to paste of a text report. */
const pasted = (out: string): readonly string[] => {
  const lines = out.split('\n').filter((line) => /^\s+kubectl /.test(line));
  return lines.length === 0 ? [] : [lines.join('\n')];
};

test(
  'whatever is written in a hub, only the guard speaks, in every format of every command',
  async () => {
    const commandLines: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...hubs), fc.infiniteStream(fc.nat(1_000)), async (hub: Hub, numbers) => {
        const dice = (): number => numbers.next().value as number;
        const isConsistent = dice() < 600;
        const items = isConsistent ? renamed(hub.items, dice) : (spoiled(hub.items, dice) as readonly Json[]);
        writeFileSync(fleet ?? '', list(items));
        writeFileSync(change ?? '', JSON.stringify(items.find((item) => isRun(item))));
        for (const [command, formats] of Object.entries(commands)) {
          const about = command === 'check' || command === 'plan' ? [change ?? ''] : [];
          const at = command === 'diagnose' ? ['--at', hub.recordedAt] : [];
          for (const format of ['text', formats[dice() % formats.length] ?? 'text']) {
            const said = await run([command, ...about, '--fleet', fleet ?? '', ...at, '--format', format]);
            expectSound(command, format, said);
            if (format === 'text') commandLines.push(...pasted(said.out));
          }
        }
      }),
      fuzz(15),
    );
    tellCounts('commands on hostile hubs, by exit code', { ...counts, pasted: commandLines.length });
    const { calls, isOwned } = paste(commandLines.slice(0, 300));
    expect(isOwned).toBe(false);
    expect(calls.length).toBeGreaterThan(0);
  },
  fuzzTimeout,
);
