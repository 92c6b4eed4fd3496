import type { UpdateRun } from '../fleet/model.js';
import { phaseOf, progressOf, type Phase } from '../fleet/run.js';
import { kubectl } from './commands.js';
import { count } from './message.js';

/** How each phase completes the sentence "the run is ...". */
const words: Readonly<Record<Phase, string>> = {
  deleting: 'being deleted',
  finished: 'finished',
  failed: 'failed',
  pending: 'not initialized yet',
  initialized: 'initialized but not started',
  executing: 'rolling out',
  waiting: 'waiting for an approval or a timed wait',
  stuck: 'stuck',
  stopping: 'stopping',
  stopped: 'stopped',
};

/** Where a run stands: `stuck in stage "canary", 3 of 12 clusters updated`. */
export function describeRun(run: UpdateRun): string {
  const phase = phaseOf(run);
  const { stage, openTasks, updated, total } = progressOf(run);
  const where = stage === undefined || phase === 'deleting' ? '' : ` in stage "${stage}"`;
  const howFar = total === 0 ? '' : `, ${String(updated)} of ${count(total, 'cluster')} updated`;
  return `${phase === 'waiting' ? waiting(openTasks) : words[phase]}${where}${howFar}`;
}

function waiting(tasks: ReadonlySet<string>): string {
  if (tasks.size !== 1) return words.waiting;
  return tasks.has('Approval') ? 'waiting for an approval' : 'waiting for its timed wait to pass';
}

/** The index of the snapshot that a run rolls out; undefined until KubeFleet has chosen one. */
export function snapshotIndexOf(run: UpdateRun): string | undefined {
  return run.status.resourceSnapshotIndexUsed || run.spec.resourceSnapshotIndex;
}

/** What a run of that snapshot index rolls out; without an index KubeFleet takes the newest there is. */
export function describeSnapshot(index: string | undefined): string {
  return index === undefined ? 'the latest resources' : `resource snapshot "${index}"`;
}

/** Waits until a run has finished; a gate can take people hours, so that a shorter time would only disappoint. */
export function waitForRun(name: string, namespace: string | undefined): string {
  const run = { family: 'UpdateRun', name, namespace } as const;
  return kubectl('wait', run, '--for=condition=Succeeded', '--timeout=4h');
}

/** Removes a run; what it has rolled out stays. */
export function deleteRun(name: string, namespace: string | undefined): string {
  return kubectl('delete', { family: 'UpdateRun', name, namespace });
}
