import { quoteList } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { conditionOf, type StageStatus, type UpdateRun } from '../../fleet/model.js';
import { clustersUnderWay, isUpdated, phaseOf } from '../../fleet/run.js';
import { quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'run-stop-effect',
  title: 'What stopping or resuming a run does not do',
  severity: 'warn',
  appliesTo: [
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Stop' },
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' },
  ],
  after: ['run-finished'],
  reads: [],
  why: 'Stop lets clusters finish that are being updated, never ends where one of them is stuck, and does not end during the removal of resources. A timed wait starts again when the run is resumed.',
  fix: 'To give a rollout up for good, delete the run; what it has rolled out stays.',

  *check({ object: run, oldObject }) {
    if (['deleting', 'finished', 'failed', 'pending'].includes(phaseOf(run))) return;
    const isResumed = oldObject.spec.state === 'Stop';
    const messages = run.spec.state === 'Stop' ? stopEffects(run) : isResumed ? resumeEffects(run) : [];
    yield* messages.map((text): Violation => ({ path: ['spec', 'state'], ...text }));
  },
});

type Text = Pick<Violation, 'message' | 'fix'>;

function stopEffects(run: UpdateRun): readonly Text[] {
  const underWay = clustersUnderWay(run);
  const which = underWay.length === 0 ? '' : ` on ${quoteList(underWay)}`;
  const isStuck = conditionOf(run.status.conditions, 'Progressing')?.reason === 'UpdateRunStuck';
  const removal = run.status.deletionStageStatus;
  const isRemoving = removal !== undefined && removal.clusters.length > 0 && isUnderWay(removal);
  return [
    ...(isStuck ? [{ message: `the run is stuck${which}: it does not stop until the cause is fixed` }] : []),
    ...(!isStuck && underWay.length > 0
      ? [{ message: `the update of ${quoteList(underWay)} goes on to its end; no other cluster is started` }]
      : []),
    ...(isRemoving ? [{ message: removalText }] : []),
  ];
}

const removalText =
  'the run is taking resources away from clusters: what has begun goes on, and it does not come to a stop while some of them still have the resources';

function resumeEffects(run: UpdateRun): readonly Text[] {
  const waiting = (run.status.stagesStatus ?? []).filter(
    (stage) =>
      isUnderWay(stage) &&
      stage.clusters.every(isUpdated) &&
      stage.afterStageTaskStatus.some(
        (task) => task.type === 'TimedWait' && conditionOf(task.conditions, 'WaitTimeElapsed')?.status !== 'True',
      ),
  );
  return waiting.map(({ stageName }) => ({
    message: `the timed wait after stage ${quoted(stageName)} starts again from zero`,
    fix: 'Reckon with the whole wait once more.',
  }));
}

function isUnderWay({ conditions }: StageStatus): boolean {
  return conditions.length > 0 && conditionOf(conditions, 'Succeeded')?.status !== 'True';
}
