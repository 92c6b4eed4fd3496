import type { UpdateRun } from '../../fleet/model.js';
import { phaseOf, progressOf, type Phase } from '../../fleet/run.js';
import { isCommand, kubectl } from './commands.js';
import { count } from '../../engine/message.js';
import { quoted } from '../../fleet/quoted.js';

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
  const where = stage === undefined || phase === 'deleting' ? '' : ` in stage ${quoted(stage)}`;
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
  return index === undefined ? 'the latest resources' : `resource snapshot ${quoted(index)}`;
}

/** There once a run is over, with status True or False: to wait for the condition alone is to wait for success alone. */
const isOver = '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}';

/**
 * Waits until a run has finished or failed; a gate can take people hours, so that a shorter time would only disappoint. A
 * run that fails before it is initialized gets no other condition.
 */
export function waitForRun(run: UpdateRun): string {
  const { name, namespace } = run.metadata;
  const wait = (...until: readonly string[]): string =>
    kubectl('wait', { family: 'UpdateRun', name, namespace }, ...until);
  const over = wait(isOver, '--timeout=4h');
  if (phaseOf(run) !== 'pending' || !isCommand(over)) return over;
  return `${wait('--for=condition=Initialized', '--timeout=1m')} && ${over}`;
}

/** Shows what each cluster of a run's placement reports, resource by resource. */
export function describePlacement({ metadata, spec }: UpdateRun): string {
  return kubectl('describe', { family: 'Placement', name: spec.placementName, namespace: metadata.namespace });
}

/** Removes a run; what it has rolled out stays. */
export function deleteRun(name: string, namespace: string | undefined): string {
  return kubectl('delete', { family: 'UpdateRun', name, namespace });
}
