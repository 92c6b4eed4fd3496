import { fleetKeys } from '../fleet/fleet-keys.js';

/** What is smaller is parsed in a moment, whatever it holds. */
const largeText = 64 * 1024;

/** The places where whoever writes an object gives names as he likes. Each name takes the parser many times what a value does. */
interface Named {
  /** In a string the quotes would be escaped, and no field of a kind of ours but those that are meant has this name. */
  readonly mark: string;
  readonly open: '[' | '{';
  /** What is read of it all the same. */
  readonly kept: readonly string[];
  /** How much of it an object may have before the rest is left out. */
  readonly most: number;
}

const keysRead = Object.values(fleetKeys);

/**
 * Nobody reads managedFields, nor what an override does. Of labels and annotations rules read what KubeFleet writes, and of member clusters all: those
 * of people come to a few kilobytes, and so do the labels that a placement or a strategy asks for.
 */
const named: readonly Named[] = [
  { mark: '"managedFields":[', open: '[', kept: [], most: 0 },
  { mark: '"overrideRules":[', open: '[', kept: [], most: 0 },
  { mark: '"labels":{', open: '{', kept: keysRead, most: largeText },
  { mark: '"annotations":{', open: '{', kept: keysRead, most: largeText },
  { mark: '"matchLabels":{', open: '{', kept: [], most: largeText },
];

/**
 * The JSON of an object without what nobody reads, where it is large. Whoever may write an object may fill it with a
 * megabyte of names, and to parse that holds everybody up for a third of a second.
 */
export function withoutUnread(json: string): string {
  return named.reduce((text, each) => (text.length <= largeText ? text : without(text, each)), json);
}

interface Found {
  /** After the opening bracket. */
  readonly begin: number;
  /** Before the closing one. */
  readonly end: number;
}

function without(json: string, { mark, open, kept, most }: Named): string {
  const found = [...placesOf(json, mark, open)];
  if (found.reduce((sum, { begin, end }) => sum + end - begin, 0) <= most) return json;
  let from = 0;
  const parts = found.map(({ begin, end }) => {
    const before = json.slice(from, begin);
    from = end;
    return `${before}${entriesOf(json.slice(begin, end), kept).join(',')}`;
  });
  return [...parts, json.slice(from)].join('');
}

function* placesOf(json: string, mark: string, open: Named['open']): Generator<Found> {
  for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at)) {
    const begin = at + mark.length;
    at = endOf(json, begin, open);
    yield { begin, end: at };
  }
}

/** The entries of a dictionary of texts by these names. */
function entriesOf(inner: string, kept: readonly string[]): readonly string[] {
  return kept.flatMap((key) => {
    const begin = inner.indexOf(`${JSON.stringify(key)}:"`);
    const [entry] = begin < 0 ? [] : (/^"[^"]*":"[^"\\]*(?:\\.[^"\\]*)*"/.exec(inner.slice(begin)) ?? []);
    return entry ?? [];
  });
}

const structural = { '[': /["[\]\\]/g, '{': /["{}\\]/g };

/** Where the bracket stands that closes what begins at `from`. */
function endOf(json: string, from: number, open: Named['open']): number {
  const pattern = structural[open];
  let level = 1;
  let isInText = false;
  pattern.lastIndex = from;
  for (let match = pattern.exec(json); match !== null; match = pattern.exec(json)) {
    const [character] = match;
    if (character === '\\') pattern.lastIndex++;
    else if (character === '"') isInText = !isInText;
    else if (!isInText) level += character === open ? 1 : -1;
    if (level === 0) return match.index;
  }
  return json.length;
}
