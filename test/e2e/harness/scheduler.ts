import { kindIn, type Family } from '../../../src/fleet/kinds.js';
import { fleetKeys } from '../../../src/fleet/fleet-keys.js';
import type { Api } from './api.js';
import { expectStored } from './hub.js';
import { conditionNow, expectStoredOrOvertaken, listOf, type Stored } from './hub-objects.js';
import { headOf, pathOf, type Scope } from './paths.js';

interface Policy {
  readonly placementType?: string;
  readonly clusterNames?: readonly string[];
  readonly numberOfClusters?: number;
}

interface ResourceSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name?: string;
}

interface Placement extends Stored {
  readonly spec: { readonly policy?: Policy; readonly resourceSelectors: readonly ResourceSelector[] };
}

interface Snapshot extends Stored {
  readonly spec: { readonly policy?: Policy };
}

/**
 * Stands in for KubeFleet's placement controller and scheduler: a policy snapshot, then bindings, then the decision. It
 * takes its time, as the real one does on a busy hub.
 */
export class Scheduler {
  private readonly firstSeen = new Map<string, number>();
  /** Placements, as they were written, that nothing is left to do for. */
  private readonly settled = new Set<string>();

  constructor(
    private readonly api: Api,
    private readonly delayMilliseconds: (placement: string) => number,
  ) {}

  async tend(scope: Scope): Promise<void> {
    for (const placement of await listOf<Placement>(this.api, 'Placement', scope)) {
      const { name, uid, generation, deletionTimestamp } = placement.metadata;
      const key = `${uid} ${generation}`;
      const since = this.firstSeen.get(key) ?? Date.now();
      this.firstSeen.set(key, since);
      if (deletionTimestamp !== undefined || this.settled.has(key)) continue;
      if (Date.now() - since < this.delayMilliseconds(name)) continue;
      await this.schedule(placement, scope);
      this.settled.add(key);
    }
  }

  private async schedule(placement: Placement, scope: Scope): Promise<void> {
    const { name } = placement.metadata;
    if (placement.spec.resourceSelectors.some(isUnselectable)) {
      return this.setStatus('Placement', scope, name, { conditions: [badSelectors(placement, scope)] });
    }
    const snapshot = await this.snapshotOf(placement, scope);
    const status = snapshot.status as { observedCRPGeneration?: number } | undefined;
    if (status?.observedCRPGeneration === placement.metadata.generation) return;
    const members = await listOf(this.api, 'MemberCluster', undefined);
    const picked = pick(
      placement.spec.policy,
      members.map(({ metadata }) => metadata.name),
    );
    await this.bind(name, scope, { snapshot: snapshot.metadata.name, clusters: picked.clusters });
    const scheduled = conditionNow('Scheduled', {
      status: picked.isEnough ? 'True' : 'False',
      reason: picked.isEnough ? 'SchedulingPolicyFulfilled' : 'SchedulingPolicyUnfulfilled',
      message: picked.isEnough ? 'found all clusters needed as specified by the scheduling policy' : 'too few clusters',
      observedGeneration: snapshot.metadata.generation,
    });
    await this.setStatus('PolicySnapshot', scope, snapshot.metadata.name, {
      observedCRPGeneration: placement.metadata.generation,
      conditions: [scheduled],
      targetClusters: picked.clusters.map((clusterName) => ({ clusterName, selected: true, reason: 'picked' })),
    });
    const { kind } = kindIn('Placement', scope);
    await this.setStatus('Placement', scope, name, {
      conditions: [{ ...scheduled, type: `${kind}Scheduled`, observedGeneration: placement.metadata.generation }],
    });
  }

  /** The policy snapshot for the policy as it is; a number of clusters may change without a new one. */
  private async snapshotOf({ metadata, spec }: Placement, scope: Scope): Promise<Snapshot> {
    const annotations = {
      [fleetKeys.placementGeneration]: String(metadata.generation),
      ...(spec.policy?.numberOfClusters !== undefined && {
        [fleetKeys.numberOfClusters]: String(spec.policy.numberOfClusters),
      }),
    };
    const label = `${fleetKeys.parentPlacement}=${metadata.name}`;
    const all = await listOf<Snapshot>(this.api, 'PolicySnapshot', scope, label);
    const latest = all.find((snapshot) => snapshot.metadata.labels?.[fleetKeys.isLatest] === 'true');
    const patch = async (name: string, change: object): Promise<Snapshot> => {
      const answer = await this.api.patch(pathOf('PolicySnapshot', scope, name), 'merge', { metadata: change });
      return expectStored(answer) as unknown as Snapshot;
    };
    if (latest !== undefined && withoutCount(latest.spec.policy) === withoutCount(spec.policy)) {
      return patch(latest.metadata.name, { annotations });
    }
    if (latest !== undefined) await patch(latest.metadata.name, { labels: { [fleetKeys.isLatest]: 'false' } });
    const index = String(all.length);
    const labels = {
      [fleetKeys.parentPlacement]: metadata.name,
      [fleetKeys.isLatest]: 'true',
      [fleetKeys.policyIndex]: index,
    };
    const stored = await this.api.create(pathOf('PolicySnapshot', scope), {
      ...headOf('PolicySnapshot', scope),
      metadata: { name: `${metadata.name}-${index}`, labels, annotations },
      spec: { ...(spec.policy !== undefined && { policy: spec.policy }), policyHash: 'aGFzaA==' },
    });
    return expectStored(stored) as unknown as Snapshot;
  }

  private async bind(
    placement: string,
    scope: Scope,
    { snapshot, clusters }: { snapshot: string; clusters: readonly string[] },
  ): Promise<void> {
    const label = `${fleetKeys.parentPlacement}=${placement}`;
    const bound = await listOf<Stored & { spec: { targetCluster: string } }>(this.api, 'Binding', scope, label);
    for (const { metadata, spec } of bound.filter((binding) => !clusters.includes(binding.spec.targetCluster))) {
      const next = { ...spec, state: 'Unscheduled' };
      expectStoredOrOvertaken(await this.api.patch(pathOf('Binding', scope, metadata.name), 'merge', { spec: next }));
    }
    for (const { metadata, spec } of bound.filter((binding) => clusters.includes(binding.spec.targetCluster))) {
      const next = { ...spec, schedulingPolicySnapshotName: snapshot };
      expectStoredOrOvertaken(await this.api.patch(pathOf('Binding', scope, metadata.name), 'merge', { spec: next }));
    }
    for (const cluster of clusters.filter((name) => !bound.some(({ spec }) => spec.targetCluster === name))) {
      const object = {
        ...headOf('Binding', scope),
        metadata: { name: `${placement}-${cluster}`, labels: { [fleetKeys.parentPlacement]: placement } },
        spec: {
          state: 'Scheduled',
          targetCluster: cluster,
          schedulingPolicySnapshotName: snapshot,
          resourceSnapshotName: '',
          clusterDecision: { clusterName: cluster, selected: true, reason: 'picked' },
        },
      };
      expectStored(await this.api.create(pathOf('Binding', scope), object));
    }
  }

  private async setStatus(family: Family, scope: Scope, name: string, status: object): Promise<void> {
    expectStored(await this.api.patch(pathOf(family, scope, `${name}/status`), 'merge', { status }));
  }
}

/** KubeFleet takes no such namespace anywhere. Whoever selects one has no policy snapshot made, nor changed. */
export const unselectable: ResourceSelector = { group: '', version: 'v1', kind: 'Namespace', name: 'kube-system' };

function isUnselectable({ name }: ResourceSelector): boolean {
  return name === unselectable.name;
}

function badSelectors({ metadata }: Placement, scope: Scope): object {
  return conditionNow(`${kindIn('Placement', scope).kind}Scheduled`, {
    status: 'False',
    reason: 'InvalidResourceSelectors',
    observedGeneration: metadata.generation,
  });
}

function withoutCount(policy: Policy | undefined): string {
  return JSON.stringify({ ...policy, numberOfClusters: undefined });
}

function pick(policy: Policy | undefined, members: readonly string[]): { clusters: string[]; isEnough: boolean } {
  const sorted = [...members].sort();
  if (policy?.placementType === 'PickFixed') {
    const wanted = policy.clusterNames ?? [];
    const clusters = sorted.filter((name) => wanted.includes(name));
    return { clusters, isEnough: clusters.length === new Set(wanted).size };
  }
  const count = policy?.numberOfClusters ?? sorted.length;
  return { clusters: sorted.slice(0, count), isEnough: sorted.length >= count };
}
