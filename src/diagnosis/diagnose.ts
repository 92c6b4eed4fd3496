import { clustersUnderWay, phaseOf, progressOf, type Phase } from '../fleet/run.js';
import type { UpdateRun } from '../fleet/model.js';
import { count } from '../engine/message.js';
import { kindIn } from '../fleet/kinds.js';
import { plain, quoted } from '../fleet/quoted.js';
import { describeSnapshot, snapshotIndexOf } from '../rules/wording/run.js';
import { withoutConclusions } from './blindness.js';
import type { Diagnosis, State } from './diagnosis.js';
import { executing, stopping, stuck, waiting } from './execution.js';
import type { Found } from './found.js';
import { clustersOf, stagesOf } from './progress.js';
import type { Scene } from './scene.js';
import { deleting, failed, finished, initialized, pending, stopped } from './standing.js';

const byPhase: Readonly<Record<Phase, (scene: Scene) => Found>> = {
  deleting,
  finished,
  failed,
  pending,
  initialized,
  executing,
  waiting,
  stuck,
  stopping,
  stopped,
};

/** The same without how far each stage has come. */
export function findingOf(scene: Scene): Found {
  return byPhase[phaseOf(scene.run)](withoutConclusions(scene));
}

/** What is the matter with a run, why, and what to do. */
export function diagnose(scene: Scene): Diagnosis {
  const { run } = scene;
  const { inTrouble = [], ...found } = findingOf(scene);
  const hanging = new Set(inTrouble);
  return {
    run: {
      kind: kindIn('UpdateRun', run.metadata.namespace).kind,
      namespace: run.metadata.namespace,
      name: run.metadata.name,
    },
    ...found,
    // Rules and reports ask for the same in words of their own.
    unseen: [...new Set(found.unseen.map((what) => what.replace(/^the \w+Bindings of /, 'the bindings of ')))],
    doing: doingText(run, found.state),
    stages: stagesOf(run, hanging),
    removal: clustersOf(run.status.deletionStageStatus?.clusters ?? [], hanging),
  };
}

/** `stuck, in stage "canary" (2 of 3), 1 of 5 clusters updated; it rolls out ...` */
function doingText(run: UpdateRun, state: State): string {
  const { placementName, stagedRolloutStrategyName } = run.spec;
  return (
    `${stateText(run, state)}; it rolls out ${describeSnapshot(snapshotIndexOf(run))} of placement ` +
    `${plain(placementName)} by strategy ${plain(stagedRolloutStrategyName)}`
  );
}

/** `waiting for an approval, in stage "canary" (2 of 3), 3 of 5 clusters updated` */
export function stateText(run: UpdateRun, state: State): string {
  const { stage, updated, total } = progressOf(run);
  const stages = run.status.stagesStatus ?? [];
  const at = stages.findIndex(({ stageName }) => stageName === stage);
  const isNamed = stage !== undefined && state !== 'removing clusters' && state !== 'being deleted';
  const where = isNamed ? `, in stage ${quoted(stage)} (${String(at + 1)} of ${String(stages.length)})` : '';
  const busy = clustersUnderWay(run).length;
  const howFar = total === 0 ? '' : `, ${String(updated)} of ${count(total, 'cluster')} updated`;
  const underWay = busy === 0 ? '' : ` and ${String(busy)} under way`;
  return `${state}${where}${howFar}${underWay}`;
}
