import type { PlanChange } from '../../fleet/plan-changes.js';
import { quoteList } from '../../engine/message.js';
import { quoted } from '../../fleet/quoted.js';

type Texts = {
  readonly [W in PlanChange['what']]?: (change: Extract<PlanChange, { what: W }>, placement: string) => string;
};

/** What a write to a member cluster can come to; all else is the doing of other writes. */
const texts: Texts = {
  stage: ({ stage, joined, left, order }) => {
    if (order !== undefined) return `the order of clusters in stage ${quoted(stage)} would change`;
    const parts = [
      ...(joined.length > 0 ? [`gain ${quoteList(joined)}`] : []),
      ...(left.length > 0 ? [`lose ${quoteList(left)}`] : []),
    ];
    return `stage ${quoted(stage)} would ${parts.join(' and ')}`;
  },
  removal: ({ clusters }, placement) => `placement ${quoted(placement)} would lose ${quoteList(clusters)}`,
  'comes back': ({ cluster }) => `${quoted(cluster)}, which the run takes its resources from, may be bound again`,
  'in no stage': ({ clusters }) => `no stage would select ${quoteList(clusters)}`,
  'in several stages': ({ cluster, stages }) =>
    `stages ${quoteList(stages)} would select the same cluster ${quoted(cluster)}`,
  'sorting label': ({ cluster, stage, key }) =>
    `${quoted(cluster)} of stage ${quoted(stage)} would have no whole number under its label ${quoted(key)}`,
};

/** Changes of the plan that are still ahead: `stage "canary" would lose "eu-1"`. */
export function changesAhead(changes: readonly PlanChange[], placement: string): readonly string[] {
  return moveAhead(changes) ?? changes.map((change) => changeAhead(change, placement));
}

/** What one stage loses and another gains is one thing to whoever does it. */
function moveAhead(changes: readonly PlanChange[]): readonly string[] | undefined {
  const stages = changes.filter((change) => change.what === 'stage');
  const [from, to] = [stages.find(({ left }) => left.length > 0), stages.find(({ joined }) => joined.length > 0)];
  if (from === undefined || to === undefined || from === to || changes.length !== 2) return undefined;
  return [`${quoteList(to.joined)} would move from stage ${quoted(from.stage)} to ${quoted(to.stage)}`];
}

function changeAhead(change: PlanChange, placement: string): string {
  const text = texts[change.what] as ((change: PlanChange, placement: string) => string) | undefined;
  return text?.(change, placement) ?? 'its stages would change';
}
