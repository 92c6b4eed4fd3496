import type { UpdateRun } from '../../fleet/model.js';
import { clustersUnderWay, phaseOf } from '../../fleet/run.js';
import type { RunStart } from '../../engine/change.js';
import { afterwards, kubectl, otherwise, setState } from './commands.js';
import { count, fixWith, quoteList } from '../../engine/message.js';
import type { Violation } from '../../engine/rule.js';
import { deleteRun, describePlacement, describeRun, describeSnapshot, snapshotIndexOf, waitForRun } from './run.js';
import { quoted } from '../../fleet/quoted.js';

/** The rule that these texts belong to, whoever finds out. */
export const placementFreeRule = 'run-placement-free';

type Text = Pick<Violation, 'path' | 'message'> & { readonly fix: string };

/** A line between the commands of a fix. */
const startLater = '# Or create this run with "state: Initialize" now, and start it when the other one has finished:';

/** Another run is active on the placement. */
export function placementTaken(change: RunStart, other: UpdateRun): Text {
  const { operation, object: run } = change;
  // The status of a run that is only being created is not KubeFleet's word.
  const index = operation === 'CREATE' ? run.spec.resourceSnapshotIndex : snapshotIndexOf(run);
  return {
    path: ['spec', 'placementName'],
    message:
      `placement ${quoted(run.spec.placementName)} is in use by run ${quoted(other.metadata.name)}, which is ${describeRun(other)}${hangingText(other)}; ` +
      `it rolls out ${describeSnapshot(snapshotIndexOf(other))}, this run ${describeSnapshot(index)}`,
    fix: wayOut(change, other),
  };
}

function wayOut(change: RunStart, other: UpdateRun): string {
  const { name } = other.metadata;
  const { namespace } = change;
  const stop = setState(name, namespace, 'Stop');
  const remove = deleteRun(name, namespace);
  if (phaseOf(other) === 'stuck') {
    return fixWith(
      `See which resource hangs in the status of the placement and fix that, so that run ${quoted(name)} goes on; or stop or delete the run (nothing is rolled back), then ${again(change)}.`,
      describePlacement(other),
      stop,
      otherwise(remove),
    );
  }
  return fixWith(
    `Wait for run ${quoted(name)}, stop it or delete it (nothing is rolled back), then ${again(change)}.`,
    waitForRun(other),
    otherwise(stop),
    otherwise(remove),
    ...startLines(change),
  );
}

/** The clusters that a stuck run waits for. */
function hangingText(run: UpdateRun): string {
  const clusters = phaseOf(run) === 'stuck' ? clustersUnderWay(run) : [];
  return clusters.length === 0 ? '' : `, waiting for ${quoteList(clusters)}`;
}

function startLines({ operation, name, namespace, object }: RunStart): readonly string[] {
  const start = setState(name, namespace, 'Run');
  if (operation === 'UPDATE') return [start];
  // By generateName the run gets another name each time that it is sent.
  const isNamed = name !== '' && object.metadata.generateName === undefined;
  return isNamed ? [startLater, afterwards(start)] : [];
}

function again({ operation }: RunStart): string {
  return operation === 'CREATE' ? 'apply this run again' : 'start this run again';
}

/** Another run was let through a moment ago and may be stored and active at any moment. */
export interface Pending {
  /** Empty where nobody can tell who it is. */
  readonly name: string;
  /** Whether the run is stored, but in state Initialize or Stop. */
  readonly isStored: boolean;
  /** Seconds after which the placement is free if nothing comes of it. */
  readonly freeIn: number;
}

export function placementPending(change: RunStart, { name, isStored, freeIn }: Pending): Text {
  const isSame = name === change.name && change.operation === 'CREATE';
  const who = isSame ? 'an earlier attempt to create this run' : name === '' ? 'another run' : `run ${quoted(name)}`;
  const doing = isStored ? 'was started or stopped a moment ago' : 'was let through a moment ago and is being stored';
  const time = count(freeIn, 'second');
  const look = name === '' ? [] : [kubectl('get', { family: 'UpdateRun', name, namespace: change.namespace })];
  return {
    path: ['spec', 'placementName'],
    message: `placement ${quoted(change.object.spec.placementName)} is taken for ${who}, which ${doing}; it is free in ${time} if nothing comes of that`,
    fix: fixWith(`Wait: most clients send this again by themselves. Else ${again(change)} in ${time}.`, ...look),
  };
}

/** A run of the name is stored already, so that the create could only fail. */
export function nameTaken({ name, namespace }: RunStart, other: UpdateRun): Text {
  const path = ['metadata', 'name'];
  if (phaseOf(other) === 'deleting') {
    const gone = kubectl('wait', { family: 'UpdateRun', name, namespace }, '--for=delete', '--timeout=1m');
    return {
      path,
      message: `another run of the name ${quoted(name)} is still being deleted`,
      fix: fixWith('Wait until it is gone, then apply this run again.', gone),
    };
  }
  return {
    path,
    message: `a run of the name ${quoted(name)} exists already; it is ${describeRun(other)}`,
    fix: fixWith(
      'Give this run another name, or delete the one that exists (nothing is rolled back), then apply this run again.',
      deleteRun(name, namespace),
    ),
  };
}

/** Nobody could be asked who has the placement. */
export function placementUnclaimed({ object }: RunStart, because: string): Text {
  return {
    path: ['spec', 'placementName'],
    message: `placement ${quoted(object.spec.placementName)} could not be reserved for this run: ${because}`,
    fix: 'Send the same again in a few seconds.',
  };
}
