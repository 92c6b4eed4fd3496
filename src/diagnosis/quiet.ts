import type { Condition, RunStatus, StageStatus, UpdateRun } from '../fleet/model.js';
import { longestBackOff, spanText, untilStuck } from './ages.js';
import type { Cause } from './diagnosis.js';
import { evidenceOf } from './evidence.js';
import type { Scene } from './scene.js';
import { seeHubAgent } from './ways-out.js';

/** A run under way that nobody has written to: within this time a cluster is updated, or the run is called stuck. */
export function quietness({ run, now }: Scene): readonly Cause[] {
  const last = lastWord(run);
  if (last === undefined || now - last <= untilStuck + longestBackOff) return [];
  const since = new Date(last).toISOString().replace('.000Z', 'Z');
  return [
    {
      what: `KubeFleet has written nothing to the status of this run for ${spanText(now - last)}, and should have: its hub agent may be down`,
      evidence: [{ ...evidenceOf(run, 'status', 'unchanged'), since }],
      fix: seeHubAgent(),
    },
  ];
}

/** Each write about a run asks of the status that is stored, and that holds thousands of times. */
const known = new WeakMap<RunStatus, { readonly last: number | undefined }>();

function lastWord({ status }: UpdateRun): number | undefined {
  const word = known.get(status) ?? { last: lastTime(status) };
  known.set(status, word);
  return word.last;
}

/** When a status was last written, by the newest of its conditions; nobody knows where some have no time. */
function lastTime(status: RunStatus): number | undefined {
  const stages = [...(status.stagesStatus ?? []), ...(status.deletionStageStatus ? [status.deletionStageStatus] : [])];
  const conditions = [...status.conditions, ...stages.flatMap(conditionsOf)];
  const times = conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? ''));
  if (!times.every(Number.isFinite)) return undefined;
  return times.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined);
}

function conditionsOf(stage: StageStatus): readonly Condition[] {
  const parts = [...stage.clusters, ...stage.beforeStageTaskStatus, ...stage.afterStageTaskStatus];
  return [...stage.conditions, ...parts.flatMap(({ conditions }) => conditions)];
}
