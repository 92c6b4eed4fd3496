/** A part of a body, from its first byte up to the one after its last. */
export type Span = readonly [from: number, to: number];

/** How much there is of what takes the parser its time. */
export interface Counts {
  /** Values and field names; an empty list or object counts as two. */
  readonly values: number;
  /** Different field names, as good as counted: each of them costs the parser many times what a value does. */
  readonly names: number;
  /** Values that are texts: the parser looks each of the short ones up. */
  readonly texts: number;
}

/** What the bytes of a review hold, found without parsing them. Beyond a limit nothing is counted any more. */
export interface ReviewScan extends Counts {
  /** How deep lists and objects are nested. */
  readonly depth: number;
  /** What nobody reads, and what therefore counts neither as values nor as depth. */
  readonly unread: readonly Span[];
  /** What hardly anybody reads: it counts apart, and can be left out where it is too much. */
  readonly seldom: Seldom;
  /** Where the first of the objects stands in the request; all before it comes from the API server alone. */
  readonly objectsFrom: number | undefined;
}

export interface Seldom extends Counts {
  readonly spans: readonly Span[];
}

/**
 * Where each object keeps what nobody reads: `managedFields` are free in form, anyone who may write the object may write
 * them, and they can hold more than all the rest. The others have no bound to their number either.
 */
const seldomRead = ['labels', 'annotations', 'finalizers'];
const unreadPath = [['request'], ['object', 'oldObject'], ['metadata'], ['managedFields', ...seldomRead]].map((names) =>
  names.map((name) => Buffer.from(name)),
);
const inRequest = 1;
const inMetadata = 3;

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon] = [0x2c, 0x3a];

/** 1 for the bytes that structure JSON. */
const structural = new Uint8Array(256);
for (const byte of [quote, openList, closeList, openObject, closeObject, comma, colon]) structural[byte] = 1;

const endless: Counts = { values: Infinity, names: Infinity, texts: Infinity };

/** Looks through the bytes of a review once. What is no JSON gets through here; the parser will find it. */
export function scanReview(body: Uint8Array, most: Counts = endless): ReviewScan {
  const scanner = new Scanner(body);
  while (isWithin(scanner, most) && scanner.next());
  return scanner;
}

export function isWithin({ values, names, texts }: Counts, most: Counts): boolean {
  return values <= most.values && names <= most.names && texts <= most.texts;
}

/** How deep lists and objects are nested, those that nobody reads included. */
export function depthOf(body: Uint8Array): number {
  let level = 0;
  let deepest = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at) - 1;
    else if (byte === openObject || byte === openList) deepest = Math.max(deepest, ++level);
    else if (byte === closeObject || byte === closeList) level--;
  }
  return deepest;
}

class Scanner implements ReviewScan {
  values = 0;
  names = 0;
  texts = 0;
  depth = 0;
  readonly unread: Span[] = [];
  readonly seldom = { spans: [] as Span[], values: 0, names: 0, texts: 0 };
  objectsFrom: number | undefined;

  private at = 0;
  private level = 0;
  /** How many steps of the path lead to where we are; directly there, the level is one more. */
  private steps = 0;
  /** Whether the value that comes next is the next step of the path. */
  private isStep = false;
  /** Whether nobody reads it at all. */
  private isUnread = false;
  private text: Span = [0, 0];
  private readonly seen = new Uint8Array(2 ** 20 / 8);

  constructor(private readonly body: Uint8Array) {}

  /** Takes the next byte that structures the JSON; false at the end. */
  next(): boolean {
    const { body } = this;
    while (this.at < body.length && structural[body[this.at] ?? 0] === 0) this.at++;
    if (this.at >= body.length) return false;
    this.take(body[this.at] ?? 0);
    return true;
  }

  private take(byte: number): void {
    switch (byte) {
      case quote: {
        const end = endOfText(this.body, this.at);
        this.text = [this.at + 1, end - 1];
        this.texts++;
        this.at = end;
        return;
      }
      case openList:
      case openObject:
        this.open(byte === openObject);
        return;
      case closeList:
      case closeObject:
        this.close();
        return;
      case colon:
        this.name();
        return;
      default:
        this.isStep = false;
        this.values++;
        this.at++;
    }
  }

  /** Counts a name that has not been there before; a few of many share a bit, and count as one. */
  private see(): void {
    const [from, to] = this.text;
    let hash = seed;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (this.body[at] ?? 0), 0x01000193);
    const bit = (hash ^ (hash >>> 15)) & (2 ** 20 - 1);
    const byte = this.seen[bit >>> 3] ?? 0;
    const mask = 1 << (bit & 7);
    if ((byte & mask) !== 0) return;
    this.seen[bit >>> 3] = byte | mask;
    this.names++;
  }

  private open(isObject: boolean): void {
    const isStep = this.isStep;
    this.isStep = false;
    if (isStep && this.steps === inMetadata) {
      this.setAside();
      return;
    }
    this.values++;
    this.level++;
    this.depth = Math.max(this.depth, this.level);
    if (isStep && isObject) this.steps++;
    this.at++;
  }

  private setAside(): void {
    const { end, values, names, texts, depth } = endOfContainer(this.body, this.at);
    const span = [this.at, end] as const;
    this.at = end;
    if (this.isUnread) {
      this.unread.push(span);
      return;
    }
    this.seldom.spans.push(span);
    this.seldom.values += values;
    this.seldom.names += names;
    this.seldom.texts += texts;
    this.depth = Math.max(this.depth, this.level + depth);
  }

  private close(): void {
    this.isStep = false;
    if (this.steps > 0 && this.level === this.steps + 1) this.steps--;
    this.level--;
    this.at++;
  }

  /** The text before a colon is the name of a field. */
  private name(): void {
    this.values++;
    this.texts--;
    this.at++;
    this.see();
    if (this.level !== this.steps + 1) return;
    const [from, to] = this.text;
    const name = this.body.subarray(from, to);
    this.isStep = unreadPath[this.steps]?.some((wanted) => wanted.equals(name)) === true;
    this.isUnread = this.isStep && this.steps === inMetadata && unreadPath[inMetadata]?.[0]?.equals(name) === true;
    if (this.isStep && this.steps === inRequest) this.objectsFrom ??= from - 1;
  }
}

/** Nobody can choose names that count as one. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** Where a text ends that begins with the quote at `from`. */
function endOfText(body: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return Math.min(at + 1, body.length);
}

interface Container extends Counts {
  readonly end: number;
  readonly depth: number;
}

/** Where a list or an object ends, and what is in it. */
function endOfContainer(body: Uint8Array, from: number): Container {
  let level = 0;
  let depth = 0;
  let values = 0;
  let names = 0;
  let texts = 0;
  let at = from;
  while (at < body.length) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfText(body, at);
      texts++;
      continue;
    }
    if (byte === openList || byte === openObject) {
      depth = Math.max(depth, ++level);
      values++;
    } else if (byte === closeList || byte === closeObject) {
      level--;
    } else if (byte === comma) {
      values++;
    } else if (byte === colon) {
      values++;
      names++;
      texts--;
    }
    at++;
    if (level === 0) break;
  }
  return { end: at, values, names, texts, depth };
}
