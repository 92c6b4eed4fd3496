import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type ParsedNode } from 'yaml';

/** The way to a setting: keys, and places in lists. */
export type ConfigPath = readonly string[];

/** From 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The text of a YAML file of ours, and where in it things stand. */
export interface ParsedText {
  readonly document: Document.Parsed;
  readonly placeAt: (offset: number) => TextPlace;
  /** Of a setting, or of the nearest that is there around it. */
  readonly placeOf: (path: ConfigPath) => TextPlace;
  /** Undefined where the setting is not there. */
  readonly lineOf: (path: ConfigPath) => number | undefined;
}

export function parsed(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return {
    document,
    placeAt,
    placeOf: (path) => placeAt(nearest(document, path).offset),
    lineOf: (path) => {
      const { offset, isWhole } = nearest(document, path);
      return isWhole ? lines.linePos(offset).line : undefined;
    },
  };
}

interface Nearest {
  readonly offset: number;
  readonly isWhole: boolean;
}

function nearest(document: Document.Parsed, path: ConfigPath): Nearest {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const step of path) {
    const below = stepInto(node, step);
    if (below === undefined) return { offset, isWhole: false };
    offset = below.at.range?.[0] ?? offset;
    node = below.node;
  }
  return { offset, isWhole: true };
}

interface Below {
  /** What to point at: the key, or the item. */
  readonly at: { readonly range?: ParsedNode['range'] | null };
  readonly node: unknown;
}

function stepInto(node: unknown, step: string): Below | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : { at: item as ParsedNode, node: item };
  }
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
  return pair === undefined ? undefined : { at: pair.key as ParsedNode, node: pair.value };
}
