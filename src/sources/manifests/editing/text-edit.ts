import { isAlias, isMap, isNode, isPair, isScalar, isSeq, visit, type Pair, type Scalar } from 'yaml';
import type { Way } from '../places.js';

/** Other text from one character of a file to before another. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Raised where a text cannot be changed at one place alone; says why, after "it". */
export class NotEditable extends Error {}

/** A collection of the text with what is needed to write into it. */
export interface Around {
  readonly text: string;
  readonly isJson: boolean;
  readonly document: Way['document'];
}

export function aroundOf({ places, document }: Way): Around {
  return { text: places.text, isJson: places.isJson, document };
}

/** Applies edits that do not overlap; of two at one place the first comes first. */
export function withEdits(text: string, edits: readonly TextEdit[], offset = 0): string {
  let done = 0;
  const parts: string[] = [];
  for (const edit of inOrder(edits)) {
    parts.push(text.slice(done, edit.from - offset), edit.text);
    done = edit.to - offset;
  }
  return [...parts, text.slice(done)].join('');
}

export function inOrder(edits: readonly TextEdit[]): readonly TextEdit[] {
  return [...edits].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** The range of a node; what was read from a text has one. */
export function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = isNode(node) ? node.range : undefined;
  if (range === undefined || range === null) throw new NotEditable('is not there in the text');
  return [range[0], range[1]];
}

/** Where what is written of a node ends: a block goes on to the next thing, with the comments before it. */
export function endOf(node: unknown, text: string): number {
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  if (isBlock) {
    const last = (node.items as readonly unknown[]).at(-1);
    return isPair(last) ? endOfPair(last, text) : endOf(last, text);
  }
  const [start, end] = rangeOf(node);
  if (!isScalar(node) || node.type?.startsWith('BLOCK_') !== true) return end;
  if (/^[|>][0-9]?\+/.test(text.slice(start, end))) throw new NotEditable('ends in a text whose empty lines count');
  return start + text.slice(start, end).trimEnd().length;
}

export function endOfPair({ key, value }: Pair, text: string): number {
  return isNode(value) ? endOf(value, text) : rangeOf(key)[1];
}

/** The end of a line, without what ends it. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === '\r' && end > at ? end - 1 : end;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function newLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The blanks that begin the lines of a block whose first line has something else before it, such as a dash. */
export function indentOf(text: string, at: number): string {
  const before = text.slice(lineStart(text, at), at);
  if (!/^ *(?:- +)*$/.test(before)) throw new NotEditable('begins in the middle of a line');
  return ' '.repeat(before.length);
}

/** Refuses what is used elsewhere as well, or is taken from there. */
export function refuseShared(node: unknown): void {
  if (!isNode(node)) return;
  visit(node, {
    Node(_, inner) {
      if (isAlias(inner)) return;
      if (inner.anchor !== undefined)
        throw new NotEditable('holds an anchor, so that other places would change with it');
    },
  });
}

/** Refuses what is a block of text, or has a tag that says how to read it. */
export function refuseForm({ tag, type }: Scalar): void {
  if (tag !== undefined || type?.startsWith('BLOCK_') === true) throw new NotEditable('has a form of its own');
}

/** Refuses to take out what somebody has explained. */
export function refuseComments(text: string, from: number, to: number): void {
  if (/(?:^|\s)#/.test(text.slice(from, to))) throw new NotEditable('holds comments, which would be lost');
}
