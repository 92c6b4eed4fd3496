import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document, type ParsedNode } from 'yaml';
import type { Path } from '../../fleet/path.js';
import { largestYaml, readDocuments, TooDeep } from './yaml.js';

/** A place in a file; lines and columns count from 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/**
 * Where the fields of a text stand. The tree that tells needs 150 times the memory of its text, and most files are
 * never asked about, so it is made when the first question comes.
 */
export class Places {
  readonly lines = new LineCounter();
  private documents: readonly Document.Parsed[] | undefined;

  constructor(private readonly text: string) {}

  /** The place of a character, once the text has been read that far. */
  at(offset: number): Location {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** The place of a field of a document, or of the nearest that is there around it. */
  locate(index: number, path: Path): Location {
    // So large a file is a dump of a hub, in JSON; nobody edits that by line numbers.
    if (this.text.length > largestYaml) return { line: 1, column: 1 };
    this.documents ??= this.read();
    const document = this.documents[index];
    if (document === undefined) return { line: 1, column: 1 };
    let node: unknown = document.contents;
    let offset = document.contents?.range[0] ?? document.range[0];
    for (const step of path) {
      const next = childOf(isAlias(node) ? node.resolve(document) : node, step);
      if (next === undefined) break;
      offset = next.offset;
      node = next.value;
    }
    return this.at(offset);
  }

  private read(): readonly Document.Parsed[] {
    const documents: Document.Parsed[] = [];
    this.lines.lineStarts.length = 0;
    try {
      for (const document of readDocuments(this.text, this.lines)) documents.push(document);
    } catch (error) {
      // What stands before the depth was read, and is all that anyone can ask about.
      if (!(error instanceof TooDeep)) throw error;
    }
    return documents;
  }
}

/** A field is where its key stands, an item of a list where it begins. */
function childOf(node: unknown, step: string | number): { offset: number; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    const range = pair === undefined ? undefined : (pair.key as ParsedNode).range;
    return range === undefined ? undefined : { offset: range[0], value: pair?.value };
  }
  if (!isSeq(node) || typeof step !== 'number') return undefined;
  const item = node.items[step] as ParsedNode | undefined;
  return item === undefined ? undefined : { offset: item.range[0], value: item };
}
