import type { Family } from '../../../src/fleet/kinds.js';
import type { Answer, Json } from '../../e2e/harness/api.js';
import { expectStored, type Hub } from '../../e2e/harness/hub.js';
import { pathOf, type Scope } from '../../e2e/harness/paths.js';

/** One object as a tool for backups keeps it, and where it is put back. */
export interface Kept {
  readonly path: string;
  readonly name: string;
  readonly object: Json;
}

const admission = '/apis/admissionregistration.k8s.io/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/fleet-stageguard';

/** Those of the guard: what puts the webhooks in force, and the claims. */
export const guardPaths = {
  configurations: [
    `${admission}/validatingwebhookconfigurations`,
    `${admission}/mutatingwebhookconfigurations`,
    `${rbac}/roles`,
    `${rbac}/rolebindings`,
  ],
  leases: ['/apis/coordination.k8s.io/v1/namespaces/fleet-stageguard/leases'],
};

export function pathsOf(families: readonly Family[], scopes: readonly Scope[]): readonly string[] {
  return families.flatMap((family) => scopes.map((scope) => pathOf(family, scope)));
}

/** All objects of some collections; of those that others have too, the guard's own. */
export async function backUp(hub: Hub, paths: readonly string[]): Promise<readonly Kept[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const list = expectStored(await hub.api('admin').get(path)) as unknown as List;
      return list.items.map((item) => keptOf(path, { apiVersion: list.apiVersion, kind: kindOfList(list) }, item));
    }),
  );
  const isOfGuard = ({ path, name }: Kept): boolean =>
    !guardPaths.configurations.includes(path) || name === (path.startsWith(rbac) ? 'stageguard-armed' : 'stageguard');
  return found.flat().filter(isOfGuard);
}

interface List {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items: readonly Json[];
}

const kindOfList = ({ kind }: List): string => kind.replace(/List$/, '');

/** What belongs to the life that an object had is left out, and so is its status. */
function keptOf(path: string, head: Json, item: Json): Kept {
  const { name, namespace, labels, annotations } = item['metadata'] as Readonly<Record<string, unknown>>;
  const rest = Object.entries(item).filter(([field]) => field !== 'status');
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, labels, annotations }).filter(([, value]) => value !== undefined),
  );
  return { path, name: String(name), object: { ...Object.fromEntries(rest), ...head, metadata } };
}

/** Deletes them, whatever keeps them. */
export async function wipe(hub: Hub, all: readonly Kept[]): Promise<void> {
  const admin = hub.api('admin');
  for (const { path, name } of all) {
    await admin.patch(`${path}/${name}`, 'merge', { metadata: { finalizers: null } });
    await admin.delete(`${path}/${name}`);
  }
}

/** One after the other; what could not be stored is told, with the answer. */
export async function putBack(hub: Hub, all: readonly Kept[]): Promise<readonly (readonly [Kept, Answer])[]> {
  const failed: (readonly [Kept, Answer])[] = [];
  for (const one of all) {
    const answer = await hub.api('admin').create(one.path, one.object);
    if (answer.status !== 201 && answer.status !== 409) failed.push([one, answer]);
  }
  return failed;
}

/** In an order that a seed gives. */
export function shuffled<T>(all: readonly T[], seed: number): readonly T[] {
  let state = seed;
  const next = (): number => {
    // The minimal standard of Park and Miller.
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return all
    .map((one) => [next(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}
