import { isObjectName, kindIn, type Family } from '../../fleet/kinds.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { RunState } from '../../fleet/model.js';
import { harmlessJson, isVisible } from '../../fleet/quoted.js';
import { isLabelKey, isLabelValue } from '../../fleet/selector.js';

/** An object as kubectl is told of it. */
export interface Reference {
  readonly family: Family;
  readonly name?: string;
  readonly namespace: string | undefined;
  /** Set where only one version of the API will do. */
  readonly version?: string;
}

/**
 * A kubectl command line, safe to paste whatever somebody has written; or a comment where there can be none. The comment
 * holds no value: not every shell passes over comments.
 */
export function kubectl(verb: string, reference: Reference, ...rest: readonly string[]): string {
  const kind = kindIn(reference.family, reference.namespace);
  const scope = kind.namespaced && reference.namespace !== undefined ? [reference.namespace] : [];
  const name = reference.name === undefined ? [] : [reference.name];
  const isNameable = [...name, ...scope].every((each) => isObjectName(each) || each === anyName);
  if (!isNameable || !rest.every(isVisible)) return noCommand(kind.kind);
  const resource = reference.version === undefined ? kind.plural : `${kind.plural}.${reference.version}.${kind.group}`;
  const words = ['kubectl', verb, resource, ...name, ...scope.flatMap((each) => ['-n', each]), ...rest];
  return words.map(shellWord).join(' ');
}

/** Stands for a name that the reader has to fill in. */
export const anyName = 'NAME';

function noCommand(kind: string): string {
  return `# no command for this ${kind}: what it is called is no name that kubectl could be given`;
}

export function isCommand(line: string): boolean {
  return !line.startsWith('#');
}

/** Whoever pastes all lines of a fix does one thing: every other way stands behind a comment sign. */
export function otherwise(command: string): string {
  return isCommand(command) ? `# or: ${command}` : command;
}

/** A command for later. */
export function afterwards(command: string): string {
  return isCommand(command) ? `# ${command}` : command;
}

/** Sets the state of a run. */
export function setState(name: string, namespace: string | undefined, state: RunState): string {
  const patch = harmlessJson({ spec: { state } });
  return kubectl('patch', { family: 'UpdateRun', name, namespace }, '--type=merge', '-p', patch);
}

/** Sets the Approved condition of an approval request; the guard fills in what the API demands beside it. */
export function setApproved(name: string, namespace: string | undefined, status = 'True'): string {
  const patch = harmlessJson({ status: { conditions: [{ type: 'Approved', status }] } });
  return kubectl(
    'patch',
    { family: 'ApprovalRequest', name, namespace },
    ...['--subresource=status', '--type=merge', '-p', patch],
  );
}

/** Sets labels on member clusters, all the same; a label without a value is removed. */
export function labelClusters(
  names: readonly string[],
  labels: Iterable<readonly [string, string | undefined]>,
): string {
  const changes = [...labels];
  const isPossible =
    names.every(isObjectName) && changes.every(([key, value = '']) => isLabelKey(key) && isLabelValue(value));
  if (!isPossible) return noCommand(kindIn('MemberCluster', undefined).kind);
  const words = changes.map(([key, value]) => (value === undefined ? `${key}-` : `${key}=${value}`));
  return kubectl('label', { family: 'MemberCluster', namespace: undefined }, ...names, ...words, '--overwrite');
}

/** Lists member clusters with their labels. */
export function showLabels(names: readonly string[]): string {
  const clusters = { family: 'MemberCluster', namespace: undefined } as const;
  return names.every(isObjectName)
    ? kubectl('get', clusters, ...names, '--show-labels')
    : kubectl('get', clusters, '--show-labels');
}

/** Lists the resource snapshots of a placement with their indices. */
export function listSnapshots(placement: string, namespace: string | undefined): string {
  if (!isObjectName(placement)) return noCommand(kindIn('Placement', namespace).kind);
  const columns = `${fleetKeys.resourceIndex},${fleetKeys.isLatest}`;
  const ofPlacement = `${fleetKeys.parentPlacement}=${placement}`;
  return kubectl('get', { family: 'ResourceSnapshot', namespace }, '-l', ofPlacement, '-L', columns);
}

/** A word that no shell takes apart. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
