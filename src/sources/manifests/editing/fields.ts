import { isMap, isNode, isPair, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { fieldOf, isObject, sameJson } from '../../../fleet/json.js';
import { inLines, inOneLine } from './new-text.js';
import {
  endOf,
  endOfPair,
  indentOf,
  lineEnd,
  newLine,
  NotEditable,
  rangeOf,
  refuseComments,
  refuseForm,
  refuseShared,
} from './text-edit.js';
import type { Around, TextEdit } from './text-edit.js';

type Fields = Readonly<Record<string, unknown>>;

/** Makes a value another one by as little as it takes: what both have in common stays as it is written. */
export function setValue(node: unknown, to: unknown, around: Around): readonly TextEdit[] {
  if (!isNode(node)) throw new NotEditable('is not there in the text');
  const before: unknown = node.toJS(around.document);
  if (sameJson(before, to)) return [];
  if (isMap(node) && isObject(before) && isObject(to)) {
    const isKept = Object.keys(before).every((key) => Object.hasOwn(to, key));
    if (isKept) return setFields(node, to, around);
  }
  if (isSeq(node) && Array.isArray(to) && to.length >= node.items.length) return setItems(node, to, around);
  return [inPlaceOf(node, to, around)];
}

/** Sets fields of an object and leaves all others alone. */
export function setFields(map: YAMLMap, fields: Fields, around: Around): readonly TextEdit[] {
  refuseAnchor(map);
  const before: unknown = map.toJS(around.document);
  const found = Object.entries(fields).map(([name, value]) => ({
    name,
    value,
    pair: map.items.find(({ key }) => isScalar(key) && key.value === name),
  }));
  const changed = found.flatMap(({ pair, value }) => (pair === undefined ? [] : setValue(pair.value, value, around)));
  const added = found
    // What another object is merged in for may be there already.
    .filter(({ name, value, pair }) => pair === undefined && !sameJson(fieldOf(before, name), value))
    .map(({ name, value }) => [name, value] as const);
  return added.length === 0 ? changed : [...changed, addTo(map, { value: Object.fromEntries(added), around })];
}

function setItems(list: YAMLSeq, to: readonly unknown[], around: Around): readonly TextEdit[] {
  refuseAnchor(list);
  const changed = list.items.flatMap((item, at) => setValue(item, to[at], around));
  const added = to.slice(list.items.length);
  return added.length === 0 ? changed : [...changed, addTo(list, { value: added, around })];
}

function refuseAnchor(node: YAMLMap | YAMLSeq): void {
  if (node.anchor !== undefined) throw new NotEditable('holds an anchor, so that other places would change with it');
}

interface Addition {
  /** The fields or items that come after the last one. */
  readonly value: Fields | readonly unknown[];
  readonly around: Around;
}

function addTo(node: YAMLMap | YAMLSeq, { value, around }: Addition): TextEdit {
  const { text } = around;
  const last: unknown = node.items.at(-1);
  if (node.flow === true) return addInBraces(node, { value, around });
  if (last === undefined) throw new NotEditable('is empty');
  const indent = indentOf(text, rangeOf(node)[0]);
  const lines = inLines(value).map((line) => `${newLine(text)}${indent}${line}`);
  const end = lineEnd(text, isPair(last) ? endOfPair(last, text) : endOf(last, text));
  return { from: end, to: end, text: lines.join('') };
}

function addInBraces(node: YAMLMap | YAMLSeq, { value, around }: Addition): TextEdit {
  const { text, isJson } = around;
  const [start] = rangeOf(node);
  const last: unknown = node.items.at(-1);
  const written = (quotes: boolean): string => inOneLine(value, quotes).slice(1, -1);
  if (last === undefined) return { from: start + 1, to: start + 1, text: written(isJson) };
  const [lastStart] = rangeOf(isPair(last) ? last.key : last);
  const end = isPair(last) ? endOfPair(last, text) : endOf(last, text);
  return { from: end, to: end, text: `${separator(text, lastStart)}${written(isJson || text[lastStart] === '"')}` };
}

/** What comes between two things in braces: a line for each, where the last one has its own. */
export function separator(text: string, at: number): string {
  const blanks = /\n([ \t]*)$/.exec(text.slice(0, at))?.[1];
  return blanks === undefined ? ', ' : `,${newLine(text)}${blanks}`;
}

function inPlaceOf(node: unknown, to: unknown, around: Around): TextEdit {
  const { text, isJson } = around;
  refuseShared(node);
  const [from, end] = rangeOf(node);
  if (isScalar(node)) return { from, to: end, text: scalarText(node, to, around) };
  refuseComments(text, from, endOf(node, text));
  const isInLines = (isMap(node) || isSeq(node)) && node.flow !== true;
  if (!isInLines) return { from, to: end, text: inOneLine(to, isJson) };
  const lines = inLines(to);
  return { from, to: endOf(node, text), text: lines.join(`${newLine(text)}${indentOf(text, from)}`) };
}

function scalarText(node: Scalar, to: unknown, { text, isJson }: Around): string {
  refuseForm(node);
  const [from, end] = rangeOf(node);
  const isQuoted = /^["']/.test(text.slice(from, end));
  const written = isQuoted && typeof to === 'string' ? JSON.stringify(to) : inOneLine(to, isJson);
  // Nothing is written there so far, right after the colon.
  return from === end ? ` ${written}` : written;
}
