import { isUtf8 } from 'node:buffer';
import { GuardError } from '../errors.js';
import { fieldOf } from '../fleet/json.js';
import { decodeReview, headOf, type Review, type ReviewHead } from './admission-review.js';
import { HttpError, type Body } from './body.js';
import { depthOf, isWithin, scanReview, type Counts, type ReviewScan, type Span } from './review-scan.js';

/** Deeper than any object of Kubernetes (CRD schemas end far sooner), and shallow enough for every recursion. */
const deepest = 128;

/**
 * What is parsed at most, for nobody else is answered meanwhile. Values and field names: the parser takes up to a tenth
 * of a microsecond for each, and a run of 3,300 clusters, which is all that etcd takes, comes to 205,000, object and
 * oldObject; 73,000 of them are texts, which may take three times as long. Different names: with all that is made of
 * them they take four microseconds each, and only labels and annotations are not of the schema.
 */
const most: Counts = { values: 220_000, texts: 100_000, names: 10_000 };

const told: Readonly<Record<keyof Counts, string>> = {
  values: 'values and field names',
  texts: 'texts',
  names: 'different field names',
};

/** What is not larger cannot hold more than that: a name and its colon take four bytes at least. */
const smallBytes = 4 * most.names;

/** A review of which no more is known than who asks about what. */
export interface Unreadable {
  readonly is: 'unreadable';
  readonly head: ReviewHead;
  /** What is wrong with it, for people: completes "the review cannot be read: ...". */
  readonly why: string;
  /** What HTTP has for it. */
  readonly status: 400 | 413;
  /** Whether it may be about stopping a run. */
  readonly mayBeStop: boolean;
}

export type Reading = { readonly is: 'read'; readonly review: Review } | Unreadable;

/** Reads a review within bounds. Raises HttpError or INPUT_SHAPE where not even the asker can be answered. */
export function readReview({ bytes, isWhole }: Body, bodyBytes: number): Reading {
  if (bytes.length === 0) throw new HttpError(400, 'the body is empty');
  if (isWhole && bytes.length <= smallBytes && depthOf(bytes) <= deepest) return decoded(parse(textOf(bytes)));
  const scan = scanReview(bytes, most);
  if (!isWhole) {
    return unparsed(bytes, scan, { status: 413, why: `the body is larger than ${String(bodyBytes)} bytes` });
  }
  checkText(bytes);
  const { unread, ...counts } = counted(scan, bytes);
  for (const what of ['values', 'texts', 'names'] as const) {
    if (counts[what] <= most[what]) continue;
    return unparsed(bytes, scan, { status: 400, why: `it holds more than ${String(most[what])} ${told[what]}` });
  }
  const json = parse(without(bytes, unread));
  if (scan.depth > deepest) return undecoded(json, `the JSON is nested deeper than ${String(deepest)} levels`);
  return decoded(json);
}

function decoded(json: unknown): Reading {
  try {
    return { is: 'read', review: decodeReview(json) };
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    return undecoded(json, error.message);
  }
}

function checkText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new HttpError(400, 'the body is not UTF-8');
}

function textOf(bytes: Buffer): string {
  checkText(bytes);
  return bytes.toString('utf8');
}

type Counted = Counts & Pick<ReviewScan, 'unread'>;

/**
 * Labels, annotations and finalizers are as many as anybody likes, and of what is reviewed no rule reads them but the
 * labels of member clusters: where they are too many, they are left out.
 */
function counted(scan: ReviewScan, bytes: Buffer): Counted {
  const { values, names, texts, unread, seldom } = scan;
  const whole = {
    values: values + seldom.values,
    names: names + seldom.names,
    texts: texts + seldom.texts,
    unread,
  };
  if (isWithin(whole, most) || beginningOf(bytes, scan)?.head.kind?.family === 'MemberCluster') return whole;
  return { values, names, texts, unread: [...unread, ...seldom.spans].sort(([a], [b]) => a - b) };
}

/** Who asks about what, by what stands before the objects: nobody but the API server has a say in that. */
function beginningOf(
  bytes: Buffer,
  { objectsFrom = 0 }: ReviewScan,
): { readonly head: ReviewHead; readonly json: unknown } | undefined {
  const before = bytes.toString('utf8', 0, objectsFrom).trimEnd();
  if (before === '') return undefined;
  const json = parse(`${before.endsWith(',') ? before.slice(0, -1) : before}}}`);
  return { head: headOf(json), json };
}

type Reason = Pick<Unreadable, 'why' | 'status'>;

function unparsed(bytes: Buffer, scan: ReviewScan, reason: Reason): Reading {
  const beginning = beginningOf(bytes, scan);
  if (beginning === undefined) throw new HttpError(reason.status, reason.why);
  const { head, json } = beginning;
  // A placement that is made unreadable must not be taken from under a run by that; its name is all that it takes to tell.
  if (head.operation === 'DELETE' && head.kind?.family === 'Placement') return named(head, json);
  return { is: 'unreadable', head, ...reason, mayBeStop: true };
}

function named({ name, namespace }: ReviewHead, json: unknown): Reading {
  const request = fieldOf(json, 'request') as object;
  const review = { ...(json as object), request: { ...request, oldObject: { metadata: { name, namespace } } } };
  return { is: 'read', review: decodeReview(review) };
}

function undecoded(json: unknown, why: string): Unreadable {
  const state = fieldOf(fieldOf(fieldOf(fieldOf(json, 'request'), 'object'), 'spec'), 'state');
  return { is: 'unreadable', head: headOf(json), why, status: 400, mayBeStop: state === 'Stop' };
}

function without(bytes: Buffer, unread: readonly Span[]): string {
  let from = 0;
  const parts = unread.map(([start, end]) => {
    const before = bytes.subarray(from, start);
    from = end;
    return before;
  });
  return [...parts, bytes.subarray(from)].map((part) => part.toString('utf8')).join('null');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser quotes what it could not read, and that may be secret: of its words only the place is told.
    const [place = ''] = error instanceof Error ? (/ at position \d+/.exec(error.message) ?? []) : [];
    throw new HttpError(400, `the body is not JSON${place}`);
  }
}
