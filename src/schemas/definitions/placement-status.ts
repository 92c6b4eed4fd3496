import { fields, int64, list, oneOf, text, time, type Schema } from '../schema.js';
import { condition, conditions, resourceOverrides } from './parts.js';

/** What of a resource a report names. */
function resource(version: string): Readonly<Record<string, Schema>> {
  const envelopes = ['ClusterResourceEnvelope', 'ResourceEnvelope'];
  const type =
    version === 'v1' ? oneOf(envelopes) : oneOf(['ConfigMap', ...envelopes], { default: 'ConfigMap' });
  return {
    group: text,
    'version*': text,
    'kind*': text,
    'name*': text,
    namespace: text,
    envelope: fields({ 'name*': text, namespace: text, type }),
  };
}

const observed = list(fields({ 'path*': text, valueInHub: text, valueInMember: text }));

/** What failed on a cluster, drifted or differs there: of placements by cluster, and of bindings. */
export function placementReports(version: string): Readonly<Record<string, Schema>> {
  const named = resource(version);
  const most = { maxItems: 100 };
  return {
    failedPlacements: list(fields({ ...named, 'condition*': condition }), most),
    driftedPlacements: list(
      fields({
        ...named,
        'observationTime*': time,
        'firstDriftedObservedTime*': time,
        'targetClusterObservedGeneration*': int64,
        observedDrifts: observed,
      }),
      most,
    ),
    diffedPlacements: list(
      fields({
        ...named,
        'observationTime*': time,
        'firstDiffedObservedTime*': time,
        targetClusterObservedGeneration: int64,
        observedDiffs: observed,
      }),
      most,
    ),
  };
}

export function placementStatus(version: string): Schema {
  return fields({
    conditions,
    observedResourceIndex: text,
    selectedResources: list(fields(resource(version))),
    placementStatuses: list(
      fields({
        clusterName: text,
        applicableClusterResourceOverrides: list(text),
        applicableResourceOverrides: resourceOverrides,
        observedResourceIndex: text,
        conditions: list(condition),
        ...placementReports(version),
      }),
    ),
  });
}
