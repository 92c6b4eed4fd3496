import type { Api, Json } from '../../test/e2e/harness/api.js';
import { expectStored } from '../../test/e2e/harness/hub.js';
import { pathOf } from '../../test/e2e/harness/paths.js';
import type { Family } from '../../src/fleet/kinds.js';
import * as fleet from '../large-fleet.js';
import { progress } from '../promise.js';

/** How many requests are under way while the fleet is made. */
const atOnce = 16;

export interface FleetSize {
  readonly placements: number;
  readonly clustersOfPlacement: number;
}

/** What runs and approvals stand on: member clusters, placements with their bindings and snapshots, and a run that waits. */
export async function makeFleet(admin: Api, { placements, clustersOfPlacement }: FleetSize): Promise<void> {
  const indices = Array.from({ length: placements }, (_, index) => index);
  const bindings = indices.flatMap((index) => fleet.bindings(index).slice(0, clustersOfPlacement));
  const used = new Set(bindings.map((binding) => (binding['spec'] as { targetCluster: string }).targetCluster));
  const members = [...used].map((name) => fleet.memberCluster(Number(name.replace('member-', ''))));
  await storeAll(admin, 'MemberCluster', members.map(withIdentity));
  await storeAll(admin, 'UpdateStrategy', [fleet.strategy]);
  await storeAll(admin, 'Placement', indices.map(fleet.placement).map(withoutClusters));
  await storeAll(admin, 'PolicySnapshot', indices.map(fleet.policySnapshot).map(scheduledOn(clustersOfPlacement)));
  await storeAll(admin, 'ResourceSnapshot', indices.map(fleet.resourceSnapshot).map(withResources));
  await storeAll(admin, 'Binding', bindings.map(withDecision));
}

/** Stores objects, and their status where they have one. */
export async function storeAll(api: Api, family: Family, objects: readonly Json[]): Promise<void> {
  await inParallel(objects, async (object, index) => {
    progress(`${family} ${String(index + 1)} of ${String(objects.length)}`);
    const stored = expectStored(await api.create(pathOf(family, undefined), withoutServerFields(object)));
    if (object['status'] === undefined) return;
    const { name } = stored['metadata'] as { name: string };
    const path = pathOf(family, undefined, `${name}/status`);
    expectStored(await api.replace(path, { ...stored, status: object['status'] }));
  });
  progress('');
}

/** Does something with each of many, some at a time. */
export async function inParallel<T>(
  all: readonly T[],
  act: (one: T, index: number) => Promise<void>,
  lanes = atOnce,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < all.length) {
      const index = next++;
      await act(all[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function withoutServerFields(object: Json): Json {
  const { name, labels, annotations } = object['metadata'] as Json;
  return {
    ...object,
    metadata: { name, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) },
  };
}

function withIdentity(member: Json): Json {
  const { name } = member['metadata'] as { name: string };
  return { ...member, spec: { identity: { kind: 'User', name } } };
}

function withResources(snapshot: Json): Json {
  return { ...snapshot, spec: { selectedResources: [] } };
}

function withDecision(binding: Json): Json {
  const spec = binding['spec'] as Json;
  const clusterDecision = { clusterName: spec['targetCluster'], selected: true, reason: 'picked by scheduling policy' };
  return { ...binding, spec: { ...spec, clusterDecision } };
}

function withoutClusters(placement: Json): Json {
  return { ...placement, status: { ...(placement['status'] as Json), placementStatuses: [] } };
}

function scheduledOn(clusters: number): (snapshot: Json) => Json {
  return (snapshot) => {
    const status = snapshot['status'] as { readonly targetClusters: readonly Json[] };
    const targetClusters = status.targetClusters
      .slice(0, clusters)
      .map((one) => ({ ...one, reason: 'picked by scheduling policy' }));
    return { ...snapshot, status: { ...status, targetClusters } };
  };
}
