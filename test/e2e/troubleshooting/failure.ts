import type { Json } from '../harness/api.js';
import type { Sent, Site } from '../fixes/case.js';
import type { Ran } from '../harness/kubectl.js';

/** One failure that KubeFleet's troubleshooting documents describe, at the write that causes it. */
export interface Failure {
  /** Which of the documents describe it. */
  readonly in: readonly ('guide' | 'older guide' | 'overview' | 'execution failures' | 'stuck runs')[];
  readonly what: string;
  readonly outcome: Outcome;
  /** What the text says about it in particular, beside the rule. */
  readonly says?: string;
  prepare?(site: Site): Promise<void>;
  write(site: Site): Sent;
  /** What must be true afterwards. */
  after?(site: Site, ran: Ran): Promise<void>;
}

/** What becomes of the write, and the rule that stands for it; some things the definitions of KubeFleet refuse. */
export type Outcome =
  | { readonly is: 'refused' | 'warned' | 'repaired'; readonly by: string }
  | { readonly is: 'refused'; readonly by: 'the API' };

export const refusedBy = (rule: string): Outcome => ({ is: 'refused', by: rule });
export const warnedBy = (rule: string): Outcome => ({ is: 'warned', by: rule });
export const mendedBy = (mutation: string): Outcome => ({ is: 'repaired', by: mutation });
export const refusedByApi: Outcome = { is: 'refused', by: 'the API' };

/** Stages that are picked by labels of their own, each with the clusters that have it. */
export function ring(name: string, labels: Readonly<Record<string, string>>, more: object = {}): Json {
  return { name, labelSelector: { matchLabels: labels }, ...more };
}
