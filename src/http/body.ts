import type { IncomingMessage } from 'node:http';

/**
 * How much of an oversized body is read and thrown away, so that its sender gets to see the answer: many
 * times what an API server can send.
 */
const mostDiscarded = 128 * 1024 * 1024;

/** What is kept of an oversized body: the API server puts who asks about what first, and that takes a few kilobytes. */
const beginningBytes = 64 * 1024;

/**
 * In how many pieces a body may come. The API server sends some two thousand of 16 KiB for the largest that there can be;
 * millions of single bytes would keep everybody waiting.
 */
const mostPieces = 20_000;

/** A request that cannot be answered with a verdict, and the HTTP status that says so. */
export class HttpError extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 405 | 408 | 413 | 415 | 503,
    message: string,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

export interface Body {
  readonly bytes: Buffer;
  /** False where the body was too large, and these are no more than its beginning. */
  readonly isWhole: boolean;
}

/** Refuses what is not plain JSON by its headers, before anything is read. */
function checkHeaders({ headers }: IncomingMessage): void {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpError(415, `content type must be application/json, not ${JSON.stringify(type)}`);
  }
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity') throw new HttpError(415, `content encoding ${JSON.stringify(encoding)} is not taken`);
}

/** Reads a body of JSON within the limits. */
export function readBody(request: IncomingMessage, bodyBytes: number, grow: (bytes: number) => boolean): Promise<Body> {
  return new Promise((resolve, reject) => {
    checkHeaders(request);
    const body = new Whole();
    let pieces = 0;
    let size = 0;
    let isOverloaded = false;
    const end = (): void => {
      if (isOverloaded) reject(new HttpError(503, 'too much is under way; the failurePolicy of the webhook decides'));
      else resolve({ bytes: body.bytes, isWhole: size <= bodyBytes });
    };
    // What is too much is read to its end but not kept: whoever still sends does not hear an answer.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      isOverloaded ||= size <= bodyBytes && !grow(chunk.length);
      if (isOverloaded) body.cut(0);
      else if (size <= bodyBytes || body.length < beginningBytes) body.add(chunk);
      if (size > bodyBytes) body.cut(beginningBytes);
      pieces += 1;
      if (pieces > mostPieces) reject(new HttpError(400, `the body comes in more than ${String(mostPieces)} pieces`));
      if (size <= mostDiscarded && pieces <= mostPieces) return;
      request.destroy();
      end();
    });
    request.once('end', end);
    request.once('error', reject);
  });
}

/** Pieces as one: each by itself takes memory, however little is in it. */
class Whole {
  private room: Buffer = Buffer.alloc(0);
  length = 0;

  get bytes(): Buffer {
    return this.room.subarray(0, this.length);
  }

  /** As a rule a review comes in one piece, which is not copied. */
  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (this.length === 0) this.room = piece;
    else this.copy(piece, length);
    this.length = length;
  }

  /** Keeps no more than the beginning. */
  cut(length: number): void {
    if (this.length <= length) return;
    this.room = Buffer.from(this.room.subarray(0, length));
    this.length = length;
  }

  private copy(piece: Buffer, length: number): void {
    if (length > this.room.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.room.length));
      this.room.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    piece.copy(this.room, this.length);
  }
}
