import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditionNow, type Condition } from './hub-objects.js';

/** What a real hub agent wrote, in the words of the tests' own stand-in. */
interface RecordedStage {
  readonly conditions: readonly Condition[];
  readonly clusters: readonly { readonly conditions: readonly Condition[] }[];
  readonly afterStageTaskStatus: readonly { readonly conditions: readonly Condition[] }[];
}

interface RecordedStatus {
  readonly conditions: readonly Condition[];
  readonly stagesStatus: readonly RecordedStage[];
  readonly appliedStrategy: object;
}

interface Recorded {
  readonly metadata: { readonly name: string };
  readonly status: RecordedStatus;
}

const file = join(import.meta.dirname, '..', '..', 'reviews', 'fleet.json');
const { items } = JSON.parse(readFileSync(file, 'utf8')) as { readonly items: readonly Recorded[] };

function statusOf(run: string): RecordedStatus {
  const found = items.find(({ metadata }) => metadata.name === run);
  if (found === undefined) throw new Error(`there is no record of a run ${run}`);
  return found.status;
}

function only<T>(list: readonly T[], index = 0): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no record of what was asked for`);
  return found;
}

const underWay = statusOf('web-vq7w4');
const atGate = statusOf('r1');
const [passed, waiting] = [only(atGate.stagesStatus, 0), only(atGate.stagesStatus, 1)];

/** Moments of a run: its status when it was initialized, and the conditions that followed. */
export const recorded = {
  initialized: statusOf('new'),
  run: { updating: underWay.conditions, waiting: atGate.conditions },
  stage: {
    updating: only(underWay.stagesStatus, 1).conditions,
    waiting: waiting.conditions,
    passed: passed.conditions,
  },
  cluster: { updated: only(passed.clusters).conditions },
  task: { requested: only(waiting.afterStageTaskStatus).conditions },
};

/** The same, said now and of a run as it is now. */
export function saidNow(conditions: readonly Condition[], observedGeneration: number): readonly Condition[] {
  return conditions.map((condition) => {
    const { lastTransitionTime } = conditionNow(condition.type);
    return { ...condition, lastTransitionTime, observedGeneration };
  });
}
