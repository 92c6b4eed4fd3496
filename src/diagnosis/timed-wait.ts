import { readDuration } from '../fleet/duration.js';
import { conditionOf } from '../fleet/model.js';
import { plain, quoted } from '../fleet/quoted.js';
import { longestBackOff, momentText, spanText } from './ages.js';
import { conditionEvidence } from './evidence.js';
import { sinceOf, type Gate, type Waiting } from './open-task.js';
import type { Scene } from './scene.js';
import { seeHubAgent } from './ways-out.js';

/** A wait counts from the moment in which the stage began to wait. */
export function timedWait(gate: Gate, scene: Scene): Waiting {
  const { stage } = gate;
  const { run, now } = scene;
  const planned = run.status.stagedUpdateStrategySnapshot?.stages.find(({ name }) => name === stage.stageName);
  const waitTime = planned?.afterStageTasks.find(({ type }) => type === gate.task.type)?.waitTime;
  const until = endOf(sinceOf(gate), waitTime);
  const waited = `the wait ${waitTime === undefined ? '' : `of ${plain(waitTime)} `}after stage ${quoted(stage.stageName)}`;
  const progressing = conditionOf(stage.conditions, 'Progressing');
  const isLate = until !== undefined && until + longestBackOff < now;
  return {
    state: 'waiting for a time to pass',
    health: isLate ? 'wrong' : 'waiting',
    cause: {
      what: until === undefined ? `${waited} is not over` : endText({ waited, until, now, isLate }),
      evidence: [
        ...(progressing === undefined
          ? []
          : [
              {
                ...conditionEvidence(run, progressing),
                field: `status.stagesStatus[${plain(stage.stageName)}].conditions[Progressing]`,
              },
            ]),
      ],
      fix: isLate ? seeHubAgent() : '',
    },
  };
}

function endText({
  waited,
  until,
  now,
  isLate,
}: {
  waited: string;
  until: number;
  now: number;
  isLate: boolean;
}): string {
  if (until > now) return `${waited} ends at ${momentText(until)}, in ${spanText(until - now)}`;
  const over = `${waited} was over at ${momentText(until)}`;
  return isLate
    ? `${over}, and KubeFleet has not gone on since, so its hub agent may be down`
    : `${over}; KubeFleet looks every minute`;
}

function endOf(since: string | undefined, waitTime: string | undefined): number | undefined {
  const read = readDuration(waitTime ?? '');
  const from = Date.parse(since ?? '');
  if (read.is !== 'read' || !Number.isFinite(from)) return undefined;
  const until = from + Number(read.nanoseconds / 1_000_000n);
  // The largest moment that a date can hold.
  return until <= 8.64e15 ? until : undefined;
}
