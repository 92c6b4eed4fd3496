import type { Decision } from '../engine/verdict.js';
import type { Review } from './admission-review.js';

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

type Outcome = Pick<DecisionRecord, 'at' | 'endpoint' | 'decision' | 'rules' | 'milliseconds'>;

export function recordOf({ uid, subject }: Review, outcome: Outcome): DecisionRecord {
  const {
    family = 'other',
    name = '',
    namespace,
    operation = 'other',
    subresource,
    user = '',
    dryRun = false,
  } = subject?.change ?? {};
  return {
    uid,
    family,
    kind: subject?.kind.kind ?? 'other',
    namespace,
    name,
    operation,
    subresource,
    user,
    dryRun,
    ...outcome,
  };
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
