import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/**
 * The largest review that the API server can send. etcd takes 1.5 MiB an object; a review holds two of them, object and
 * oldObject, as JSON, which is up to twice the stored form where much has to be escaped. That makes 6 MiB, and one more
 * for the rest of the request (userInfo, options).
 */
const mostBodyBytes = 7 * 1024 * 1024;

/** Deeper than any object of Kubernetes (CRD schemas end far sooner), and shallow enough for every recursion. */
const deepest = 128;

/** How much of an oversized body is read and thrown away, so that its sender gets to see the answer. */
const mostDiscarded = 4 * mostBodyBytes;

/** A request that cannot be answered with a verdict, and the HTTP status that says so. */
export class HttpError extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 405 | 413 | 415 | 503,
    message: string,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

export interface BodyLimits {
  readonly bodyBytes: number;
  /** Requests and bytes that may be under way at once; more are answered 503, so that failurePolicy decides. */
  readonly inFlight: number;
  readonly inFlightBytes: number;
}

/**
 * Parsed JSON takes some five times the memory of its text: eight of the largest bodies come to 280 MiB at worst.
 * 200 requests are what the API server sends at once under heavy load (its own limit of mutating requests).
 */
export const defaultLimits: BodyLimits = {
  bodyBytes: mostBodyBytes,
  inFlight: 200,
  inFlightBytes: 8 * mostBodyBytes,
};

/** Counts what is under way. A share is given back when its request is answered, whatever the answer. */
export class Load {
  private requests = 0;
  private bytes = 0;

  constructor(private readonly limits: () => Pick<BodyLimits, 'inFlight' | 'inFlightBytes'>) {}

  get isFull(): boolean {
    return this.requests >= this.limits().inFlight;
  }

  enter(): { grow(bytes: number): boolean; leave(): void } {
    let held = 0;
    let isHere = true;
    this.requests++;
    return {
      grow: (bytes) => {
        held += bytes;
        this.bytes += bytes;
        return this.bytes <= this.limits().inFlightBytes;
      },
      leave: () => {
        if (!isHere) return;
        isHere = false;
        this.requests--;
        this.bytes -= held;
      },
    };
  }
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
export async function readJson(
  request: IncomingMessage,
  bodyBytes: number,
  grow: (bytes: number) => boolean,
): Promise<unknown> {
  checkHeaders(request);
  const chunks: Buffer[] = [];
  let size = 0;
  let isOverloaded = false;
  // What is too much is read to its end but not kept: whoever still sends does not hear an answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostDiscarded) break;
    isOverloaded ||= size <= bodyBytes && !grow(chunk.length);
    if (size > bodyBytes || isOverloaded) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (size > bodyBytes) throw new HttpError(413, `the body is larger than ${String(bodyBytes)} bytes`);
  if (isOverloaded) throw new HttpError(503, 'too much is under way; the failurePolicy of the webhook decides');
  return parse(Buffer.concat(chunks));
}

function parse(body: Buffer): unknown {
  if (body.length === 0) throw new HttpError(400, 'the body is empty');
  if (!isUtf8(body)) throw new HttpError(400, 'the body is not UTF-8');
  if (isTooDeep(body)) throw new HttpError(400, `the JSON is nested deeper than ${String(deepest)} levels`);
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    // The parser quotes what it could not read; that is the sender's own text, cut short by the parser.
    throw new HttpError(400, `the body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Scans bytes, because a parser may already have run out of stack on what this is to find. */
export function isTooDeep(body: Uint8Array, limit = deepest): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (isInString) {
      if (byte === backslash) index++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else depth += stepOf(byte);
    if (depth > limit) return true;
  }
  return false;
}

/** `[` and `{` go down, `]` and `}` come up. */
function stepOf(byte: number | undefined): -1 | 0 | 1 {
  if (byte === 0x5b || byte === 0x7b) return 1;
  return byte === 0x5d || byte === 0x7d ? -1 : 0;
}
