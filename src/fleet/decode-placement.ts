import { isObject, present, stableJson, type JsonReader } from './json.js';
import type {
  ApplyStrategy,
  ClusterSelectorTerm,
  LabelSelector,
  PlacementPolicy,
  ResourceSelector,
  RolloutStrategy,
} from './model.js';
import { requirementCount } from './selector.js';

/* The parts of a placement, and the selectors that others have as well. Reads any JSON, as decode.ts does. */

/** A label selector of any JSON; used for stages and wherever else one may stand. */
export function labelSelector(reader: JsonReader): LabelSelector {
  return {
    matchLabels: reader.field('matchLabels').dictionary(),
    matchExpressions: reader.field('matchExpressions').list((item) => ({
      key: item.text('key') ?? '',
      operator: item.text('operator') ?? '',
      values: item.field('values').texts(),
    })),
  };
}

export function applyStrategy(reader: JsonReader): ApplyStrategy {
  return present<ApplyStrategy>({
    type: reader.text('type'),
    comparisonOption: reader.text('comparisonOption'),
    whenToApply: reader.text('whenToApply'),
    whenToTakeOver: reader.text('whenToTakeOver'),
    allowCoOwnership: reader.field('allowCoOwnership').boolean(),
    serverSideApplyConfig: reader
      .field('serverSideApplyConfig')
      .optional((config) => present<{ force?: boolean }>({ force: config.field('force').boolean() })),
  });
}

export function rolloutStrategy(reader: JsonReader): RolloutStrategy {
  return present<RolloutStrategy>({
    type: reader.text('type'),
    applyStrategy: reader.field('applyStrategy').optional(applyStrategy),
  });
}

export function policy(reader: JsonReader): PlacementPolicy {
  return present<PlacementPolicy>({
    placementType: reader.text('placementType'),
    numberOfClusters: reader.number('numberOfClusters'),
    clusterNames: reader.field('clusterNames').texts(),
    clusterSelectorTerms: reader
      .field('affinity')
      .field('clusterAffinity')
      .field('requiredDuringSchedulingIgnoredDuringExecution')
      .field('clusterSelectorTerms')
      .list(clusterSelectorTerm),
    tolerations: reader.field('tolerations').list((item) => ({
      key: item.text('key') ?? '',
      operator: item.text('operator') ?? 'Equal',
      value: item.text('value') ?? '',
    })),
    digest: digestOf(reader.object()),
  });
}

/** More than any cluster has labels, and than any policy asks for that is written by people. */
const mostRequirements = 1_000;

function clusterSelectorTerm(reader: JsonReader): ClusterSelectorTerm {
  const selector = reader.field('labelSelector').optional(labelSelector);
  const isEndless = selector !== undefined && requirementCount(selector) > mostRequirements;
  const properties = reader.field('propertySelector').field('matchExpressions');
  return present<ClusterSelectorTerm>({
    // What is made to take long is not held against every cluster.
    labelSelector: isEndless ? undefined : selector,
    isOpen: isEndless || properties.list((item) => item).length > 0,
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
    group: reader.text('group') ?? '',
    version: reader.text('version') ?? '',
    kind: reader.text('kind') ?? '',
    name: reader.text('name'),
    labelSelector: reader.field('labelSelector').optional(labelSelector),
    selectionScope: reader.text('selectionScope'),
  });
}
