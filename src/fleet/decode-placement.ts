import { isObject, present, stableJson, type JsonReader } from './json.js';
import type {
  ApplyStrategy,
  ClusterSelectorTerm,
  LabelSelector,
  PlacementPolicy,
  ResourceSelector,
  RolloutStrategy,
} from './model.js';

/* The parts of a placement, and the selectors that others have as well. Reads any JSON, as decode.ts does. */

/** A label selector of any JSON; used for stages and wherever else one may stand. */
export function labelSelector(reader: JsonReader): LabelSelector {
  return {
    matchLabels: reader.field('matchLabels').dictionary(),
    matchExpressions: reader.field('matchExpressions').list((item) => ({
      key: item.field('key').string() ?? '',
      operator: item.field('operator').string() ?? '',
      values: item.field('values').list((value) => value.string() ?? ''),
    })),
  };
}

export function applyStrategy(reader: JsonReader): ApplyStrategy {
  return present<ApplyStrategy>({
    type: reader.field('type').string(),
    comparisonOption: reader.field('comparisonOption').string(),
    whenToApply: reader.field('whenToApply').string(),
    whenToTakeOver: reader.field('whenToTakeOver').string(),
    allowCoOwnership: reader.field('allowCoOwnership').boolean(),
    serverSideApplyConfig: reader
      .field('serverSideApplyConfig')
      .optional((config) => present<{ force?: boolean }>({ force: config.field('force').boolean() })),
  });
}

export function rolloutStrategy(reader: JsonReader): RolloutStrategy {
  return present<RolloutStrategy>({
    type: reader.field('type').string(),
    applyStrategy: reader.field('applyStrategy').optional(applyStrategy),
  });
}

export function policy(reader: JsonReader): PlacementPolicy {
  return present<PlacementPolicy>({
    placementType: reader.field('placementType').string(),
    numberOfClusters: reader.field('numberOfClusters').integer(),
    clusterNames: reader.field('clusterNames').list((item) => item.string() ?? ''),
    clusterSelectorTerms: reader
      .field('affinity')
      .field('clusterAffinity')
      .field('requiredDuringSchedulingIgnoredDuringExecution')
      .field('clusterSelectorTerms')
      .list(clusterSelectorTerm),
    tolerations: reader.field('tolerations').list((item) => ({
      key: item.field('key').string() ?? '',
      operator: item.field('operator').string() ?? 'Equal',
      value: item.field('value').string() ?? '',
    })),
    digest: digestOf(reader.object()),
  });
}

function clusterSelectorTerm(reader: JsonReader): ClusterSelectorTerm {
  return present<ClusterSelectorTerm>({
    labelSelector: reader.field('labelSelector').optional(labelSelector),
    hasPropertySelector:
      reader
        .field('propertySelector')
        .field('matchExpressions')
        .list((item) => item).length > 0,
  });
}

/**
 * KubeFleet hashes the policy as it is stored, without its number of clusters (placement/controller.go
 * getOrCreateSchedulingPolicySnapshot). A manifest may leave out the defaults that the CRD of placements puts in. That of
 * whenUnsatisfiable is missing in v0.3.1: to write it out there is a change that goes unseen here.
 */
function digestOf(policyJson: Readonly<Record<string, unknown>> = {}): string {
  const rest = Object.fromEntries(Object.entries(policyJson).filter(([key]) => key !== 'numberOfClusters'));
  return stableJson({
    placementType: 'PickAll',
    ...rest,
    tolerations: eachWith({ operator: 'Equal' }, rest['tolerations']),
    topologySpreadConstraints: eachWith(
      { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
      rest['topologySpreadConstraints'],
    ),
  });
}

function eachWith(defaults: object, list: unknown): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? { ...defaults, ...item } : item)) : list;
}

export function resourceSelector(reader: JsonReader): ResourceSelector {
  return present<ResourceSelector>({
    group: reader.field('group').string() ?? '',
    version: reader.field('version').string() ?? '',
    kind: reader.field('kind').string() ?? '',
    name: reader.field('name').string(),
    labelSelector: reader.field('labelSelector').optional(labelSelector),
    selectionScope: reader.field('selectionScope').string(),
  });
}
