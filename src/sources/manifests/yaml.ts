import { Composer, CST, Lexer, Parser, type Document, type LineCounter, type SchemaOptions, type Tags } from 'yaml';
import { isObject } from '../../fleet/json.js';

/** Manifests are flat; only hostile ones are deeper, and everything that walks them recursively is safe up to here. */
const deepest = 200;
export const tooDeep = `is nested more than ${String(deepest)} levels deep`;

/** The parser needs up to 150 times the size of its text in memory; this much fits the smallest usual heap, 2 GB. */
export const largestYaml = 8 * 1024 * 1024;

/**
 * YAML multiplies by aliases; the parser stops where one anchor would be repeated more often than this, all aliases
 * inside of it counted.
 */
const mostAliases = 1000;

/**
 * To resolve an alias inside of another the parser looks through the whole document: aliases times characters is what
 * takes long. This much takes seconds, and is 500 aliases in a megabyte.
 */
const mostAliasWork = 5e8;
const tooManyAliases = 'has too many aliases for a text of its size; split it, or write out what they stand for';

/** Values and names of fields, what aliases repeat counted each time: all of it is walked, and some of it copied. */
const mostValues = 1_000_000;
const tooManyValues = `holds more than ${String(mostValues)} values, what its aliases repeat included`;

/** Raised where a text has more of something than anyone needs. */
export class Excess extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/**
 * The documents of a text, one by one, so that only one of them is in memory. The composer is recursive, and 100,000
 * brackets are a small file; a full stack has been seen to end the whole process inside the engine of regular
 * expressions. So the depth is watched before anything is composed.
 */
export function* readDocuments(text: string, lineCounter: LineCounter): Generator<Document.Parsed> {
  const composer = new Composer({
    lineCounter,
    prettyErrors: false,
    logLevel: 'silent',
    // The parser compares each key with all others of its map, which takes minutes for tens of thousands.
    uniqueKeys: false,
    ...asKubectl,
  });
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  let aliases = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (before !== CST.SCALAR && lexeme.startsWith('*')) aliases++;
    before = lexeme;
    if (aliases * text.length > mostAliasWork) throw new Excess(tooManyAliases, parser.offset);
    for (const token of parser.next(lexeme)) yield* composer.next(token);
    // On top of the collections there are the document and a scalar.
    if (parser.stack.length > deepest + 2) throw new Excess(tooDeep, parser.offset);
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}

/** kubectl reads YAML 1.1 (`yes` is true) by way of JSON: dates stay strings, and `12:30` is no number. */
export const asKubectl: SchemaOptions = {
  schema: 'yaml-1.1',
  merge: true,
  customTags: (tags) => [newOctal, ...tags.filter(hasJson)],
};

const tagsWithoutJson = new Set(
  ['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** `0o17` is of YAML 1.2; kubectl reads it all the same (go-yaml, resolve.go). */
const newOctal = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text: string) =>
    Number(text.replaceAll('_', '').replace(/^([-+]?)0o/, '0o')) * (text.startsWith('-') ? -1 : 1),
} as const;

function hasJson(tag: Tags[number]): boolean {
  if (typeof tag === 'string') return true;
  return !tagsWithoutJson.has(tag.tag) && !('format' in tag && tag.format === 'TIME');
}

/** The JSON of a document, or why it has none. */
export function jsonOf(document: Document.Parsed): { readonly json: unknown } | { readonly message: string } {
  try {
    const json: unknown = document.toJS({ maxAliasCount: mostAliases });
    if (isTooDeep(json)) return { message: tooDeep };
    return valuesIn(json, new Map()) > mostValues ? { message: tooManyValues } : { json };
  } catch (error) {
    // The parser's way to say: too many aliases, or an alias of nothing.
    if (error instanceof ReferenceError) return { message: `is not valid YAML: ${error.message}` };
    if (isMergeError(error)) return { message: 'is not valid YAML: what "<<" merges is not an object' };
    throw error;
  }
}

/** The parser has no error of its own for it (yaml, schema/yaml-1.1/merge.js). */
function isMergeError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Merge sources must be');
}

/** Aliases of aliases make short texts deep. Level by level, since a recursive walk is what must not happen yet. */
export function isTooDeep(json: unknown): boolean {
  let level = new Set([json]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > deepest) return true;
    level = new Set([...level].flatMap(childrenOf).filter((value) => typeof value === 'object'));
  }
  return false;
}

/** What aliases repeat is one object, which is counted once and taken as often as it is there. */
function valuesIn(json: unknown, known: Map<unknown, number>): number {
  if (typeof json !== 'object') return 1;
  const found = known.get(json);
  if (found !== undefined) return found;
  const sum = childrenOf(json).reduce<number>((count, child) => count + valuesIn(child, known), 1);
  known.set(json, sum);
  return sum;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
