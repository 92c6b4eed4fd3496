import type { PlanChange } from '../fleet/plan-changes.js';
import { quoteList } from './message.js';

type Texts = {
  readonly [W in PlanChange['what']]?: (change: Extract<PlanChange, { what: W }>, placement: string) => string;
};

/** What a write to a member cluster can come to; all else is the doing of other writes. */
const texts: Texts = {
  stage: ({ stage, joined, left, order }) => {
    if (order !== undefined) return `the order of clusters in stage "${stage}" would change`;
    const parts = [
      ...(joined.length > 0 ? [`gain ${quoteList(joined)}`] : []),
      ...(left.length > 0 ? [`lose ${quoteList(left)}`] : []),
    ];
    return `stage "${stage}" would ${parts.join(' and ')}`;
  },
  removal: ({ clusters }, placement) => `placement "${placement}" would lose ${quoteList(clusters)}`,
  'in no stage': ({ clusters }) => `no stage would select ${quoteList(clusters)}`,
  'in several stages': ({ cluster, stages }) =>
    `stages ${quoteList(stages)} would select the same cluster "${cluster}"`,
  'sorting label': ({ cluster, stage, key }) =>
    `"${cluster}" of stage "${stage}" would have no whole number under its label "${key}"`,
};

/** A change of the plan that is still ahead: `stage "canary" would lose "eu-1"`. */
export function changeAhead(change: PlanChange, placement: string): string {
  const text = texts[change.what] as ((change: PlanChange, placement: string) => string) | undefined;
  return text?.(change, placement) ?? 'its stages would change';
}
