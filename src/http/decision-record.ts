import { operations, type Operation } from '../engine/change.js';
import type { Decision } from '../engine/verdict.js';
import type { KindOfFamily } from '../fleet/kinds.js';
import type { Review, ReviewHead } from './admission-review.js';
import type { Reading } from './read-review.js';

export type Endpoint = 'validate' | 'mutate';

/** What is kept of an answer: who, what and why, never the objects themselves. */
export interface DecisionRecord {
  readonly at: number;
  readonly endpoint: Endpoint;
  readonly uid: string;
  /** `other` for kinds that no rule knows. */
  readonly family: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly operation: string;
  readonly subresource: string | undefined;
  readonly user: string;
  readonly dryRun: boolean;
  /** `unavailable`: HTTP 503, so that failurePolicy decides. */
  readonly decision: Decision | 'patch' | 'unavailable';
  readonly rules: readonly string[];
  readonly milliseconds: number;
}

/**
 * Names of objects and users are far shorter, and anybody who reaches the port may send a name of megabytes: what is
 * logged and remembered is bounded.
 */
const longestName = 512;

/** A text of its own: a part of another would keep all of that in memory. */
function short(text: string): string {
  return text.length <= longestName ? text : Buffer.from(`${text.slice(0, longestName)}…`).toString();
}

type Outcome = Pick<DecisionRecord, 'at' | 'endpoint' | 'decision' | 'rules' | 'milliseconds'>;

type About = Pick<DecisionRecord, 'name' | 'namespace' | 'operation' | 'subresource' | 'user' | 'dryRun'>;

const aboutNothing: About = {
  name: '',
  namespace: undefined,
  operation: 'other',
  subresource: undefined,
  user: '',
  dryRun: false,
};

/** What is told of a review beside its outcome: of one that is about nothing we know, nothing. */
export function recordOf(reading: Reading, outcome: Outcome): DecisionRecord {
  const { uid, kind, about } = reading.is === 'read' ? ofReview(reading.review) : ofHead(reading.head);
  const { name, namespace, operation, subresource, user, dryRun } = about;
  const of = { family: kind?.family ?? 'other', kind: kind?.kind ?? 'other' };
  const named = { namespace: namespace && short(namespace), name: short(name), user: short(user) };
  const asked = { operation, subresource: subresource && short(subresource), dryRun };
  return { uid: short(uid), ...of, ...named, ...asked, ...outcome };
}

interface Asked {
  readonly uid: string;
  readonly kind: KindOfFamily | undefined;
  readonly about: About;
}

function ofReview({ uid, subject }: Review): Asked {
  return { uid, kind: subject?.kind, about: subject?.change ?? aboutNothing };
}

function ofHead({ uid, kind, ...head }: ReviewHead): Asked {
  // The operation becomes a label of a metric, and may be anything here.
  const isKnown = kind !== undefined && operations.includes(head.operation as Operation);
  return { uid, kind, about: isKnown ? { ...head, subresource: head.subresource || undefined } : aboutNothing };
}

/** The last decisions, newest first. */
export class RecentDecisions {
  private readonly records: DecisionRecord[] = [];

  constructor(private readonly most = 100) {}

  add(record: DecisionRecord): void {
    this.records.unshift(record);
    if (this.records.length > this.most) this.records.pop();
  }

  list(): readonly DecisionRecord[] {
    return this.records;
  }
}
