import type { IncomingMessage } from 'node:http';

/**
 * How much of an oversized body is read and thrown away, so that its sender gets to see the answer: many
 * times what an API server can send.
 */
const mostDiscarded = 128 * 1024 * 1024;

/** What is kept of an oversized body: the API server puts who asks about what first, and that takes a few kilobytes. */
const beginningBytes = 64 * 1024;

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
    let chunks: Buffer[] = [];
    let size = 0;
    let isOverloaded = false;
    const end = (): void => {
      if (isOverloaded) reject(new HttpError(503, 'too much is under way; the failurePolicy of the webhook decides'));
      else resolve({ bytes: joined(chunks), isWhole: size <= bodyBytes });
    };
    // What is too much is read to its end but not kept: whoever still sends does not hear an answer.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      isOverloaded ||= size <= bodyBytes && !grow(chunk.length);
      if (isOverloaded) chunks = [];
      else chunks.push(chunk);
      if (size > bodyBytes) chunks = [joined(chunks).subarray(0, beginningBytes)];
      if (size <= mostDiscarded) return;
      request.destroy();
      end();
    });
    request.once('end', end);
    request.once('error', reject);
  });
}

/** As a rule a review comes in one piece. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [only, ...more] = chunks;
  return only !== undefined && more.length === 0 ? only : Buffer.concat(chunks);
}
