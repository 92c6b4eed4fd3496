import { HubError, pageOf, versionOf, type ListEnd } from './hub.js';
import { withoutUnread } from './unread-parts.js';

/** The API server stores objects of up to 3 MiB (etcd's 1.5 MiB, decoded); a longer one is no object. */
const longestItem = 16 * 1024 * 1024;

/** What stands around the objects is a version, a token and a count. */
const longestRest = 1024 * 1024;

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A list stands in an object, and its items in the list. */
const depthOfItems = 2;

/** Whether a text ends where the value of the field `items` begins. In a string, the first quote would be escaped. */
const itemsBegin = /[{,]\s*"items"\s*:\s*$/;

/** Takes each object of a list as soon as it has come, so that no page is ever in memory as a whole. */
export async function takeItems(body: AsyncIterable<Uint8Array>, take: (item: unknown) => void): Promise<ListEnd> {
  let bytes = 0;
  const splitter = new ListSplitter((text) => {
    take(parse(text));
  });
  for await (const chunk of body) {
    bytes += chunk.length;
    splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }
  const rest = parse(splitter.end());
  const { items, next } = pageOf(rest);
  for (const item of items) take(item);
  return { version: versionOf(rest), next, bytes };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(withoutUnread(text)) as unknown;
  } catch {
    throw new HubError(0, `the API server sent a list that is no JSON: ${JSON.stringify(text.slice(0, 80))}`);
  }
}

/**
 * Cuts the JSON of a list into the texts of its items and a rest in which the items are missing. It only looks for where
 * they begin and end; a text that is no JSON is left to whoever parses the parts.
 */
export class ListSplitter {
  private readonly rest = new Pieces(longestRest);
  private readonly item = new Pieces(longestItem);
  private isInItems = false;
  private hasItems = false;
  private isInString = false;
  private isEscaped = false;
  private depth = 0;
  /** Where in this chunk begins what is not kept yet. */
  private from = 0;

  constructor(private readonly take: (text: string) => void) {}

  push(chunk: Buffer): void {
    this.from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.isInString) at = this.passString(chunk, at);
      else this.pass(chunk, at);
    }
    this.keep(chunk, chunk.length);
  }

  /** What stood around the items. */
  end(): string {
    return this.rest.take();
  }

  /** Where the string ends; the end of the chunk where it goes on. */
  private passString(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === backslash) this.isEscaped = true;
      else if (byte === quote) {
        this.isInString = false;
        return at;
      }
    }
    return chunk.length;
  }

  private pass(chunk: Buffer, at: number): void {
    const byte = chunk[at];
    if (byte === quote) this.isInString = true;
    else if (byte === openObject || byte === openList) this.open(chunk, at);
    else if (byte === closeObject || byte === closeList) this.close(chunk, at);
    else if (byte === comma && this.isAmongItems()) this.endItem(chunk, at);
  }

  private open(chunk: Buffer, at: number): void {
    this.depth += 1;
    if (chunk[at] === openList && this.depth === depthOfItems && !this.isInItems) this.enterList(chunk, at);
  }

  private close(chunk: Buffer, at: number): void {
    if (this.isAmongItems()) this.leaveItems(chunk, at);
    this.depth -= 1;
  }

  private isAmongItems(): boolean {
    return this.isInItems && this.depth === depthOfItems;
  }

  private enterList(chunk: Buffer, at: number): void {
    this.keep(chunk, at);
    this.isInItems = itemsBegin.test(this.rest.text());
    this.hasItems = false;
    this.from = at;
    if (!this.isInItems) return;
    this.rest.add(chunk.subarray(at, at + 1));
    this.from = at + 1;
  }

  private endItem(chunk: Buffer, at: number): void {
    this.keep(chunk, at);
    this.from = at + 1;
    this.hasItems = true;
    this.take(this.item.take());
  }

  private leaveItems(chunk: Buffer, at: number): void {
    this.keep(chunk, at);
    this.from = at;
    this.isInItems = false;
    const last = this.item.take();
    // An empty list has no item; behind a comma there must be one.
    if (this.hasItems || last.trim() !== '') this.take(last);
  }

  private keep(chunk: Buffer, to: number): void {
    if (to > this.from) (this.isInItems ? this.item : this.rest).add(chunk.subarray(this.from, to));
  }
}

/** A text that comes in pieces, which may end in the middle of a character. */
class Pieces {
  private pieces: Buffer[] = [];
  private length = 0;

  constructor(private readonly most: number) {}

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.most) throw new HubError(0, 'the API server sent an object without end');
    this.pieces.push(piece);
  }

  text(): string {
    const [first, ...more] = this.pieces;
    if (first === undefined) return '';
    return (more.length === 0 ? first : Buffer.concat(this.pieces)).toString('utf8');
  }

  take(): string {
    const text = this.text();
    this.pieces = [];
    this.length = 0;
    return text;
  }
}
