import { plain, visibleLine } from '../../fleet/quoted.js';
import type { Style } from '../report/style.js';
import type { Block, EditedText } from './edited-text.js';

/** Lines around a change that are shown with it. */
const context = 3;

/** What has changed in a file, as `diff -u` shows it. */
export function diffText(file: string, edited: EditedText, style: Style): string {
  const name = plain(file);
  const all = edited.originalLines;
  // What comes after the last line break is a line only where something stands in it.
  const lines = all.at(-1) === '' ? all.slice(0, -1) : all;
  let shift = 0;
  const hunks = grouped(edited.blocks()).map((blocks) => {
    const text = hunkText({ blocks, lines, shift }, style);
    for (const { before, after } of blocks) shift += after.length - before.length;
    return text;
  });
  return [style('bold', `--- ${name}`), style('bold', `+++ ${name}`), ...hunks, ''].join('\n');
}

/** Changes whose surroundings touch are shown together. */
function grouped(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const before = groups.at(-1)?.at(-1);
    const isNear = before !== undefined && block.from - (before.from + before.before.length) <= 2 * context;
    if (isNear) groups.at(-1)?.push(block);
    else groups.push([block]);
  }
  return groups;
}

interface Hunk {
  readonly blocks: readonly Block[];
  readonly lines: readonly string[];
  /** How many lines the changes before have added. */
  readonly shift: number;
}

function hunkText({ blocks, lines, shift }: Hunk, style: Style): string {
  const first = blocks[0]?.from ?? 0;
  const last = blocks.at(-1);
  const start = Math.max(0, first - context);
  const end = Math.min(lines.length, (last === undefined ? 0 : last.from + last.before.length) + context);
  const shown: string[] = [];
  let at = start;
  const kept = (to: number): void => {
    for (; at < to; at++) shown.push(` ${visibleLine(lines[at] ?? '')}`);
  };
  for (const { from, before, after } of blocks) {
    kept(from);
    shown.push(...before.map((line) => style('red', `-${visibleLine(line)}`)));
    shown.push(...after.map((line) => style('green', `+${visibleLine(line)}`)));
    at += before.length;
  }
  kept(end);
  const added = blocks.reduce((sum, { before, after }) => sum + after.length - before.length, 0);
  const range = (from: number, length: number): string => `${String(length === 0 ? from : from + 1)},${String(length)}`;
  const head = `@@ -${range(start, end - start)} +${range(start + shift, end - start + added)} @@`;
  return [style('cyan', head), ...shown].join('\n');
}
