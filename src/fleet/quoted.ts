/** The longest name that an object can have; of a longer text the beginning tells enough. */
const longestValue = 253;

/** More than is ever shown of a sentence, whatever its spaces. */
const mostRead = 4 * longestValue;

/** Whatever is not seen itself, or moves or hides what stands beside it. Only the plain space may stay. */
const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** What a shell runs inside double quotes, and what a CI runner takes for an order wherever it stands in a line. */
const orders = /[$`]|(?<=#)#|(?<=:):/g;

const ordersInLine = /(?<=#)#|(?<=^\s*:):/g;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  return Array.from({ length: character.length }, (_, at) => unitEscape(character.charCodeAt(at))).join('');
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** A text on one line, with nothing in it that is not seen; escaped as in JSON, so that JSON keeps its meaning. */
export function visible(text: string): string {
  return text.replaceAll(unseen, escaped);
}

/** A report of several lines, ours or of a server that we asked: what is in a line gives no orders to a CI runner. */
export function visibleLines(text: string): string {
  const lines = text.split('\n').map((line) => visible(line).replaceAll(ordersInLine, escaped));
  return lines.join('\n');
}

/** A text of somebody else on one line of its own: it gives no orders to a CI runner either. */
export function visibleLine(text: string): string {
  return visibleLines(visible(text));
}

export function isVisible(text: string): boolean {
  return visible(text) === text;
}

/** Names, paths, times and numbers; what has a space in it could go on with a sentence of ours. */
const bareWord = /^(?:[\p{L}\p{N}_./%@+=,~<>?-]|:(?!:))+$/u;

/** A value that somebody else has written: as it stands where it is one word, else in quotes. */
export function plain(value: string): string {
  const isWord = value.length <= longestValue && bareWord.test(value) && isVisible(value);
  return isWord ? value : quoted(value);
}

/**
 * A value that somebody else has written, in double quotes that it cannot close. It starts no line, steers no terminal,
 * gives no orders to a shell or a CI runner, and ends.
 */
export function quoted(value: string): string {
  if (value.length <= longestValue && harmlessWords.test(value)) return inQuotes(value);
  const isLong = value.length > longestValue;
  return inQuotes(isLong ? `${escapeAll(value.slice(0, longestValue))}…` : escapeAll(value));
}

/** What nothing of this would escape; most names are such. */
const harmlessWords = /^[-A-Za-z0-9_./ ]*$/;

/** A sentence of somebody else, on one line; KubeFleet sets names in backticks, which a shell would run. */
export function quotedSentence(sentence: string): string {
  const line = sentence.slice(0, mostRead).replaceAll(/\s+/g, ' ').trim().replaceAll('`', "'");
  return line.length <= longestValue ? quoted(line) : inQuotes(`${escapeAll(wholeWords(line))} …`);
}

/** As many words as a value may be long; one word that is longer is cut. */
function wholeWords(line: string): string {
  const end = line.lastIndexOf(' ', longestValue);
  return line.slice(0, end > 0 ? end : longestValue);
}

/** The same, however long it is: for what is not only read. */
export function quotedWhole(value: string): string {
  return inQuotes(escapeAll(value));
}

function inQuotes(text: string): string {
  return `"${text}"`;
}

function escapeAll(text: string): string {
  return harmless(text.replaceAll(/["\\]/g, '\\$&'));
}

/** JSON on one line that gives no orders and means the same. */
export function harmlessJson(value: unknown): string {
  return harmless(JSON.stringify(value));
}

function harmless(text: string): string {
  return visible(text).replaceAll(orders, escaped);
}
