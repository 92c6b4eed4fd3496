import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document, type ParsedNode } from 'yaml';
import type { Risk } from '../../fleet/edit.js';
import type { Path } from '../../fleet/path.js';
import { Excess, largestYaml, readDocuments } from './yaml.js';

/** A place in a file; lines and columns count from 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** A part of a file, and what is to stand there instead. */
export interface Replacement {
  readonly start: Location;
  /** Before this character. */
  readonly end: Location;
  readonly text: string;
}

/** What puts something right in the text, or what keeps it from being put right there. */
export type EditInText =
  { readonly replacements: readonly Replacement[]; readonly risk: Risk | undefined } | { readonly obstacle: string };

/** The trees of the text that was asked about last: questions come file by file. */
let last: { readonly of: Places; readonly documents: readonly Document.Parsed[] } | undefined;

/**
 * Where the fields of a text stand. The tree that tells needs 150 times the memory of its text, and most files are
 * never asked about, so it is made when a question comes, and only the latest is kept.
 */
export class Places {
  readonly lines = new LineCounter();

  constructor(
    readonly text: string,
    readonly isJson: boolean,
    /** Where in its file the text begins. */
    private readonly start: Location = { line: 1, column: 1 },
  ) {}

  /** The place of a character, once the text has been read that far. */
  at(offset: number): Location {
    const { line, col } = this.lines.linePos(offset);
    const column = line > 1 ? col : col + this.start.column - 1;
    return { line: Math.max(line + this.start.line - 1, 1), column: Math.max(column, 1) };
  }

  /** The place of a field of a document, or of the nearest that is there around it. */
  locate(index: number, path: Path): Location {
    const steps = this.walk(index, path)?.fields ?? [];
    const [last] = steps.slice(-1);
    return last === undefined ? this.start : this.at(last.offset);
  }

  /** The way to a field, as far as it is there; undefined where the text is too large to be looked at that closely. */
  walk(index: number, path: Path): Way | undefined {
    const document = this.documents()[index];
    if (document === undefined) return undefined;
    const offset = document.contents?.range[0] ?? document.range[0];
    const fields: Field[] = [{ offset, key: undefined, value: document.contents }];
    for (const step of path) {
      const around = fields.at(-1)?.value;
      const next = childOf(isAlias(around) ? around.resolve(document) : around, step);
      if (next === undefined) break;
      fields.push(next);
    }
    return { places: this, document, fields, missing: path.length + 1 - fields.length };
  }

  private documents(): readonly Document.Parsed[] {
    // So large a file is a dump of a hub, in JSON; nobody edits that by line numbers.
    if (this.text.length > largestYaml) return [];
    if (last?.of !== this) last = { of: this, documents: this.read() };
    return last.documents;
  }

  private read(): readonly Document.Parsed[] {
    const documents: Document.Parsed[] = [];
    this.lines.lineStarts.length = 0;
    try {
      for (const document of readDocuments(this.text, this.lines)) documents.push(document);
    } catch (error) {
      // What stands before it was read, and is all that anyone can ask about.
      if (!(error instanceof Excess)) throw error;
    }
    return documents;
  }
}

/** The document, and each field on the way to a place in it. */
export interface Way {
  readonly places: Places;
  readonly document: Document.Parsed;
  /** The document itself first. */
  readonly fields: readonly Field[];
  /** How many steps of the way are not there. */
  readonly missing: number;
}

export interface Field {
  readonly offset: number;
  /** Items of a list have none. */
  readonly key: unknown;
  readonly value: unknown;
}

/** A field is where its key stands, an item of a list where it begins. */
function childOf(node: unknown, step: string | number): Field | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    const range = pair === undefined ? undefined : (pair.key as ParsedNode).range;
    return range === undefined ? undefined : { offset: range[0], key: pair?.key, value: pair?.value };
  }
  if (!isSeq(node) || typeof step !== 'number') return undefined;
  const item = node.items[step] as ParsedNode | undefined;
  return item === undefined ? undefined : { offset: item.range[0], key: undefined, value: item };
}
