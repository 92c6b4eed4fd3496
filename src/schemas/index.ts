import type { Family, KindOfFamily } from '../fleet/kinds.js';
import {
  approvals,
  bindings,
  evictions,
  memberClusters,
  overrideSnapshots,
  policySnapshots,
  resourceSnapshots,
} from './definitions/others.js';
import { placements } from './definitions/placements.js';
import { runs } from './definitions/runs.js';
import { strategies } from './definitions/strategies.js';
import type { Schema } from './schema.js';

const byFamily: Readonly<Record<Family, (version: string, isNamespaced: boolean) => Schema>> = {
  UpdateRun: runs,
  UpdateStrategy: strategies,
  ApprovalRequest: () => approvals,
  Placement: placements,
  ResourceSnapshot: () => resourceSnapshots,
  PolicySnapshot: () => policySnapshots,
  Binding: bindings,
  MemberCluster: memberClusters,
  Eviction: () => evictions,
  OverrideSnapshot: () => overrideSnapshots,
};

/** Whether the status of a kind is written by itself; the namespaced strategy and snapshots of overrides have none. */
export function hasStatus({ family, namespaced }: Pick<KindOfFamily, 'family' | 'namespaced'>): boolean {
  return family !== 'OverrideSnapshot' && (family !== 'UpdateStrategy' || !namespaced);
}

/** The shape of a kind in one of its versions, as KubeFleet defines it. */
export function schemaOf({ family, namespaced }: Pick<KindOfFamily, 'family' | 'namespaced'>, version: string): Schema {
  return byFamily[family](version, namespaced);
}
