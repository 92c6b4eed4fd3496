import { kindIn, type Family } from '../fleet/kinds.js';
import { fleetKeys, type RunState } from '../fleet/model.js';

/** An object as kubectl is told of it. */
export interface Reference {
  readonly family: Family;
  readonly name?: string;
  readonly namespace: string | undefined;
}

/** A kubectl command line, safe to paste whatever the names are. */
export function kubectl(verb: string, reference: Reference, ...rest: readonly string[]): string {
  const kind = kindIn(reference.family, reference.namespace);
  const scope = kind.namespaced && reference.namespace !== undefined ? ['-n', reference.namespace] : [];
  const name = reference.name === undefined ? [] : [reference.name];
  return ['kubectl', verb, kind.plural, ...name, ...scope, ...rest].map(shellWord).join(' ');
}

/** Sets the state of a run. */
export function setState(name: string, namespace: string | undefined, state: RunState): string {
  const patch = JSON.stringify({ spec: { state } });
  return kubectl('patch', { family: 'UpdateRun', name, namespace }, '--type=merge', '-p', patch);
}

/** Sets the Approved condition of an approval request; the guard fills in what the API demands beside it. */
export function setApproved(name: string, namespace: string | undefined, status = 'True'): string {
  const patch = JSON.stringify({ status: { conditions: [{ type: 'Approved', status }] } });
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
  const changes = [...labels].map(([key, value]) => (value === undefined ? `${key}-` : `${key}=${value}`));
  return kubectl('label', { family: 'MemberCluster', namespace: undefined }, ...names, ...changes, '--overwrite');
}

/** Lists the resource snapshots of a placement with their indices. */
export function listSnapshots(placement: string, namespace: string | undefined): string {
  const columns = `${fleetKeys.resourceIndex},${fleetKeys.isLatest}`;
  const ofPlacement = `${fleetKeys.parentPlacement}=${placement}`;
  return kubectl('get', { family: 'ResourceSnapshot', namespace }, '-l', ofPlacement, '-L', columns);
}

/** A word that no shell takes apart. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
