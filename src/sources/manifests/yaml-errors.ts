import { isCollection, isScalar, visit, YAMLParseError, type Document, type YAMLError } from 'yaml';
import { quoted } from '../../fleet/quoted.js';
import { looksLikeTemplate, renderFirst } from '../../schemas/placeholders.js';

/** What is wrong with a document, the first of it: by the parser, or a key that stands twice in one map. */
export function errorIn(document: Document.Parsed, text: string): YAMLError | undefined {
  const [error] = document.errors;
  if (error === undefined) return duplicateKeyIn(document);
  return unclosedQuoteIn(document, error) ?? unclosedBracketIn(document, error, text) ?? error;
}

/** The parser tells it where the text ends; where the quote opens is where to look. */
function unclosedQuoteIn(document: Document.Parsed, { code, message, pos: [end] }: YAMLError): YAMLError | undefined {
  if (code !== 'MISSING_CHAR' || !/quote/i.test(message)) return undefined;
  let error: YAMLError | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      const [start = 0, valueEnd = 0] = range ?? [];
      if (!isQuoted || start > end || valueEnd < end - 1) return undefined;
      error = new YAMLParseError([start, end], 'MISSING_CHAR', 'this quote is not closed');
      return visit.BREAK;
    },
  });
  return error;
}

/** The same of brackets; of those inside each other the innermost. */
function unclosedBracketIn(
  document: Document.Parsed,
  { code, message, pos: [end] }: YAMLError,
  text: string,
): YAMLError | undefined {
  if ((code !== 'MISSING_CHAR' && code !== 'BAD_INDENT') || !/end with a [}\]]$/.test(message)) return undefined;
  const closing = message.slice(-1);
  let error: YAMLError | undefined;
  visit(document, {
    Collection(_, node) {
      const [start = 0, valueEnd = 0] = node.range ?? [];
      if (!isCollection(node) || node.flow !== true || start > end || text[valueEnd - 1] === closing) return;
      const opening = text.charAt(start);
      if (opening !== (closing === '}' ? '{' : '[')) return;
      error = new YAMLParseError([start, end], 'MISSING_CHAR', `this ${opening} is not closed`);
    },
  });
  return error;
}

function duplicateKeyIn(document: Document.Parsed): YAMLError | undefined {
  let error: YAMLError | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value)) {
          const [start = 0, end = 0] = key.range ?? [];
          error = new YAMLParseError([start, end], 'DUPLICATE_KEY', String(key.value));
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return error;
}

/** What the parser says in its own words, in those of people who write YAML. */
const told: readonly (readonly [says: RegExp, is: string, fix: string])[] = [
  [
    /^Tabs are not allowed/,
    'this line is indented with a tab',
    'Indent with spaces; an editor can turn tabs into spaces.',
  ],
  [
    /^All (?:mapping|sequence|collection) items must start at the same column/,
    'this line is indented by more or fewer spaces than those that it belongs to',
    'Indent all fields of an object, and all items of a list, by the same number of spaces.',
  ],
  [
    /^Nested mappings are not allowed in compact|^Block collections are not allowed within flow/,
    'a field stands inside of a text that has no quotes',
    'Check the indentation of this line and the next, and put a text that holds ": " in quotes.',
  ],
  [
    /^Unexpected block-seq-ind on same line/,
    'a list begins on the line of its field',
    'Begin the list on a line of its own, or write it in brackets: [a, b].',
  ],
  [
    /^Unexpected \S+ at node end/,
    'what stands here belongs to nothing before it',
    'Check the indentation and the quotes; a new object begins after a line of ---.',
  ],
  [
    /^Unexpected flow-(?:map|seq)-end token/,
    'this bracket closes nothing',
    'Remove it, or put the text around it in quotes.',
  ],
  [
    /^Implicit (?:map keys need|keys need)/,
    'a field without ": " and a value, or a text that goes on in the next line',
    'Write a colon and a space after the name of a field, and put a text of several lines in quotes.',
  ],
  [
    /^(?:Plain value|Block scalar).* cannot start with/,
    'a text that begins with this character needs quotes',
    'Put the text in quotes.',
  ],
];

export function yamlMessage({ code, message }: YAMLError): string {
  if (code === 'DUPLICATE_KEY') return `is not valid YAML: the key ${quoted(message)} stands twice in the same object`;
  const [first = ''] = message.split('\n');
  const [, is = first] = told.find(([says]) => says.test(first)) ?? [];
  return `is not valid YAML: ${is}`;
}

/** What most often lies behind an error, where the text shows it; else what to look for. */
export function yamlFix({ code, message }: Pick<YAMLError, 'code' | 'message'>, text: string): string | undefined {
  if (looksLikeTemplate(text)) return renderFirst;
  if (code === 'DUPLICATE_KEY') {
    return /^(?:apiVersion|kind)$/.test(message) ? 'Put a line of --- before the second object.' : undefined;
  }
  return told.find(([says]) => says.test(message))?.[2];
}
