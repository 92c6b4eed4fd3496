import { kubectl, otherwise } from '../wording/commands.js';
import { deleteRun, describePlacement, describeSnapshot, snapshotIndexOf } from '../wording/run.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { clustersUnderWay, isUnderWay, phaseOf } from '../../fleet/run.js';
import { creationsAndStarts } from '../targets.js';
import { mayOverlap } from './run-placement-free.js';

/** More runs than this only hide the first. */
const mostRuns = 5;

export default defineRule({
  id: 'run-beside-stopping',
  title: 'A run starts when the one before it has stopped',
  severity: 'warn',
  appliesTo: creationsAndStarts,
  after: ['run-finished', 'run-placement-exists'],
  reads: ['UpdateRun'],
  why: 'A run that is told to stop first finishes the clusters that it is updating, and where one of them hangs it never stops. Until then two runs work on the same clusters, and the one that stops counts what the other has rolled out as its own.',
  fix: 'Wait until the other run has stopped, or delete it.',

  *check({ object: run, name }, { facts, policy }) {
    if (run.spec.state !== 'Run') return;
    const others = facts
      .list('UpdateRun', { placement: run.spec.placementName })
      .filter((other) => other.metadata.name !== name && isStopping(other) && !mayOverlap(run, other, policy));
    yield* others.slice(0, mostRuns).map(besideText);
  },
});

function isStopping(run: UpdateRun): boolean {
  return run.spec.state === 'Stop' && isUnderWay(run);
}

function besideText(other: UpdateRun): Violation {
  const { name, namespace } = other.metadata;
  const clusters = clustersUnderWay(other);
  const doing =
    clusters.length === 0
      ? ''
      : `; it is still updating ${quoteList(clusters)} to ${describeSnapshot(snapshotIndexOf(other))}`;
  const isStuck = phaseOf(other) === 'stuck';
  return {
    path: ['spec', 'placementName'],
    message: `run ${quoted(name)} has been told to stop, but ${isStuck ? 'is stuck and does not stop by itself' : 'has not stopped yet'}${doing}: until it has, both runs work on the same clusters`,
    fix: isStuck ? stuckFix(other) : waitFix(name, namespace),
  };
}

function stuckFix(run: UpdateRun): string {
  const { name, namespace } = run.metadata;
  return fixWith(
    `See why run ${quoted(name)} hangs and put that right, or delete it (nothing is rolled back), then try again.`,
    describePlacement(run),
    deleteRun(name, namespace),
  );
}

/** Progressing is Unknown while a run stops, and False when it has. */
function waitFix(name: string, namespace: string | undefined): string {
  const run = { family: 'UpdateRun', name, namespace } as const;
  return fixWith(
    `Wait until run ${quoted(name)} has stopped, or delete it (nothing is rolled back), then try again.`,
    kubectl('wait', run, '--for=condition=Progressing=False', '--timeout=30m'),
    otherwise(deleteRun(name, namespace)),
  );
}
