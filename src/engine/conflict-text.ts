import type { UpdateRun } from '../fleet/model.js';
import { phaseOf } from '../fleet/run.js';
import type { Creation, Update } from './change.js';
import { kubectl, setState } from './commands.js';
import { count, fixWith } from './message.js';
import type { Violation } from './rule.js';
import { deleteRun, describeRun, describeSnapshot, snapshotIndexOf, waitForRun } from './run-text.js';

/** The rule that these texts belong to, whoever finds out. */
export const placementFreeRule = 'run-placement-free';

/** A run that is created, or goes to Run. */
export type Start = Creation<'UpdateRun'> | Update<'UpdateRun'>;

type Text = Pick<Violation, 'path' | 'message'> & { readonly fix: string };

/** A line between the commands of a fix. */
const startLater = '# Or create this run with "state: Initialize" now, and start it when the other one has finished:';

/** Whoever pastes all lines of a fix does one thing: every other way stands behind a comment sign. */
const otherwise = (command: string): string => `# or: ${command}`;

/** Another run is active on the placement. */
export function placementTaken(change: Start, other: UpdateRun): Text {
  const { operation, object: run } = change;
  // The status of a run that is only being created is not KubeFleet's word.
  const index = operation === 'CREATE' ? run.spec.resourceSnapshotIndex : snapshotIndexOf(run);
  return {
    path: ['spec', 'placementName'],
    message:
      `placement "${run.spec.placementName}" is in use by run "${other.metadata.name}", which is ${describeRun(other)}; ` +
      `it rolls out ${describeSnapshot(snapshotIndexOf(other))}, this run ${describeSnapshot(index)}`,
    fix: wayOut(change, other),
  };
}

function wayOut(change: Start, other: UpdateRun): string {
  const { name } = other.metadata;
  const { namespace } = change;
  const stop = setState(name, namespace, 'Stop');
  const remove = deleteRun(name, namespace);
  if (phaseOf(other) === 'stuck') {
    return fixWith(`Stop the stuck run or delete it, then ${again(change)}.`, stop, otherwise(remove));
  }
  return fixWith(
    `Wait for run "${name}", stop it or delete it (nothing is rolled back), then ${again(change)}.`,
    waitForRun(name, namespace),
    otherwise(stop),
    otherwise(remove),
    ...startLines(change),
  );
}

function startLines({ operation, name, namespace, object }: Start): readonly string[] {
  const start = setState(name, namespace, 'Run');
  if (operation === 'UPDATE') return [start];
  // By generateName the run gets another name each time that it is sent.
  const isNamed = name !== '' && object.metadata.generateName === undefined;
  return isNamed ? [startLater, `# ${start}`] : [];
}

function again({ operation }: Start): string {
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

export function placementPending(change: Start, { name, isStored, freeIn }: Pending): Text {
  const isSame = name === change.name && change.operation === 'CREATE';
  const who = isSame ? 'an earlier attempt to create this run' : name === '' ? 'another run' : `run "${name}"`;
  const doing = isStored ? 'was started or stopped a moment ago' : 'was let through a moment ago and is being stored';
  const time = count(freeIn, 'second');
  const look = name === '' ? [] : [kubectl('get', { family: 'UpdateRun', name, namespace: change.namespace })];
  return {
    path: ['spec', 'placementName'],
    message: `placement "${change.object.spec.placementName}" is taken for ${who}, which ${doing}; it is free in ${time} if nothing comes of that`,
    fix: fixWith(`Wait: most clients send this again by themselves. Else ${again(change)} in ${time}.`, ...look),
  };
}

/** A run of the name is stored already, so that the create could only fail. */
export function nameTaken({ name, namespace }: Start, other: UpdateRun): Text {
  const path = ['metadata', 'name'];
  if (phaseOf(other) === 'deleting') {
    const gone = kubectl('wait', { family: 'UpdateRun', name, namespace }, '--for=delete', '--timeout=1m');
    return {
      path,
      message: `another run of the name "${name}" is still being deleted`,
      fix: fixWith('Wait until it is gone, then apply this run again.', gone),
    };
  }
  return {
    path,
    message: `a run of the name "${name}" exists already; it is ${describeRun(other)}`,
    fix: fixWith(
      'Give this run another name, or delete the one that exists (nothing is rolled back), then apply this run again.',
      deleteRun(name, namespace),
    ),
  };
}

/** Nobody could be asked who has the placement. */
export function placementUnclaimed({ object }: Start, because: string): Text {
  return {
    path: ['spec', 'placementName'],
    message: `placement "${object.spec.placementName}" could not be reserved for this run: ${because}`,
    fix: 'Send the same again in a few seconds.',
  };
}
