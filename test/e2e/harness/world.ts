import { stringify } from 'yaml';
import { kindIn, type Family } from '../../../src/fleet/kinds.js';
import type { Json } from './api.js';
import { eventually } from './eventually.js';
import type { Hub } from './hub.js';
import { isTrue, type Condition } from './hub-objects.js';
import { kubectl } from './kubectl.js';
import { headOf, pathOf, type Scope } from './paths.js';

export const bothScopes: readonly [string, Scope][] = [
  ['in cluster scope', undefined],
  ['in a namespace', 'team-a'],
];

export function objectOf(family: Family, scope: Scope, name: string, spec: object): Json {
  const within = kindIn(family, scope).namespaced ? { namespace: scope } : {};
  return { ...headOf(family, scope), metadata: { name, ...within }, spec };
}

export const yamlOf = (...objects: readonly Json[]): string => objects.map((object) => stringify(object)).join('---\n');

/** An External placement that takes every member cluster. */
export function placement(scope: Scope, name: string, more: object = {}): Json {
  const selector =
    scope === undefined
      ? { group: '', version: 'v1', kind: 'Namespace', name: 'team-a' }
      : { group: '', version: 'v1', kind: 'ConfigMap', name: 'settings' };
  return objectOf('Placement', scope, name, {
    resourceSelectors: [selector],
    policy: { placementType: 'PickAll' },
    strategy: { type: 'External' },
    ...more,
  });
}

export const stage = (name: string, more: object = {}): object => ({
  name,
  labelSelector: { matchLabels: { ring: name } },
  ...more,
});

/** Canary, then production behind a gate. */
export function strategy(scope: Scope, name: string, stages: readonly object[] = defaultStages): Json {
  return objectOf('UpdateStrategy', scope, name, { stages });
}

const defaultStages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }, { type: 'TimedWait', waitTime: '1s' }] }),
  stage('production', { beforeStageTasks: [{ type: 'Approval' }], maxConcurrency: '50%' }),
];

export function run(
  scope: Scope,
  name: string,
  spec: { placementName: string; stagedRolloutStrategyName: string } & Json,
): Json {
  return objectOf('UpdateRun', scope, name, { state: 'Run', ...spec });
}

/** Three clusters in two rings. */
export async function joinMembers(hub: Hub): Promise<void> {
  const members = { 'eu-1': 'canary', 'eu-2': 'production', 'us-1': 'production' };
  const objects = Object.entries(members).map(([name, ring]) => ({
    ...headOf('MemberCluster', undefined),
    metadata: { name, labels: { ring } },
    spec: { identity: { kind: 'User', name } },
  }));
  const { code, stderr } = await kubectl(hub, 'admin', ['apply', '-f', '-'], { stdin: yamlOf(...objects) });
  if (code !== 0) throw new Error(stderr);
}

/** Waits for a condition of a stored object to be True. */
export async function conditionOf(
  hub: Hub,
  family: Family,
  scope: Scope,
  [name, type]: [string, string],
): Promise<void> {
  await eventually(`${name} is ${type}`, async () => {
    const { body } = await hub.api('admin').get(pathOf(family, scope, name));
    const { conditions } = (body['status'] ?? {}) as { conditions?: Condition[] };
    return isTrue(conditions, type) || undefined;
  });
}

/** Waits until the scheduler has decided about a placement as it is now. */
export async function scheduled(hub: Hub, scope: Scope, name: string): Promise<void> {
  await eventually(`${name} is scheduled`, async () => {
    const { body } = await hub.api('admin').get(pathOf('Placement', scope, name));
    const { generation } = (body['metadata'] ?? {}) as { generation?: number };
    const { conditions = [] } = (body['status'] ?? {}) as { conditions?: Condition[] };
    return conditions.some(({ observedGeneration }) => observedGeneration === generation) || undefined;
  });
}
