import { isMap, type YAMLSeq } from 'yaml';
import { separator, setFields } from './fields.js';
import {
  endOf,
  lineEnd,
  lineStart,
  newLine,
  NotEditable,
  rangeOf,
  refuseComments,
  refuseShared,
  withEdits,
} from './text-edit.js';
import type { Around, TextEdit } from './text-edit.js';

type Fields = Readonly<Record<string, unknown>>;

/** Puts copies of an item in its place, each with some fields of its own; none takes it out. */
export function copyItem(list: YAMLSeq, index: number, { copies, around }: Copies): readonly TextEdit[] {
  const item: unknown = list.items[index];
  refuseShared(item);
  const [first, ...others] = copies;
  if (first === undefined) return [removeItem(list, index, around.text)];
  if (!isMap(item)) throw new NotEditable('is no object');
  const written = list.flow === true ? inBraces(item, around.text) : inLines(item, around.text);
  const { from, to, before } = written;
  const source = around.text.slice(from, to);
  const texts = others.map((fields) => `${before}${withEdits(source, setFields(item, fields, around), from)}`);
  const own = setFields(item, first, around);
  return [...own, { from: to, to, text: texts.join('') }];
}

interface Copies {
  readonly copies: readonly Fields[];
  readonly around: Around;
}

interface Written {
  readonly from: number;
  readonly to: number;
  /** What comes between it and another one after it. */
  readonly before: string;
}

function inBraces(item: unknown, text: string): Written {
  const [from, to] = rangeOf(item);
  return { from, to, before: separator(text, from) };
}

/** With the dash. */
function inLines(item: unknown, text: string): Written {
  const from = lineStart(text, rangeOf(item)[0]);
  if (!/^ *- +$/.test(text.slice(from, rangeOf(item)[0]))) throw new NotEditable('does not begin on a line of its own');
  return { from, to: lineEnd(text, endOf(item, text)), before: newLine(text) };
}

function removeItem(list: YAMLSeq, index: number, text: string): TextEdit {
  if (list.items.length < 2) throw new NotEditable('is the only item of its list');
  if (list.flow !== true) {
    const { from, to } = inLines(list.items[index], text);
    const next = text.indexOf('\n', to);
    return next < 0 ? { from: lineEnd(text, Math.max(from - 2, 0)), to, text: '' } : { from, to: next + 1, text: '' };
  }
  const [start, end] = rangeOf(list.items[index]);
  const from = index === 0 ? start : rangeOf(list.items[index - 1])[1];
  const to = index === 0 ? rangeOf(list.items[1])[0] : end;
  refuseComments(text, from, to);
  return { from, to, text: '' };
}
