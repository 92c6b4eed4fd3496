import { kinds, storageVersion, type KindOfFamily } from '../../../src/fleet/kinds.js';
import { hasStatus, schemaOf } from '../../../src/schemas/index.js';
import type { Json } from './api.js';

const shortNames: Readonly<Record<string, string>> = {
  ClusterStagedUpdateRun: 'csur',
  StagedUpdateRun: 'sur',
  ClusterStagedUpdateStrategy: 'csus',
  StagedUpdateStrategy: 'sus',
  ClusterApprovalRequest: 'careq',
  ApprovalRequest: 'areq',
  ClusterResourcePlacement: 'crp',
  ResourcePlacement: 'rp',
  ClusterResourceSnapshot: 'crs',
  ResourceSnapshot: 'rs',
  ClusterSchedulingPolicySnapshot: 'csps',
  SchedulingPolicySnapshot: 'sps',
  ClusterResourceBinding: 'crb',
  ResourceBinding: 'rb',
  MemberCluster: 'cluster',
  ClusterResourcePlacementEviction: 'crpe',
};

const placement = { name: 'Placement', type: 'string', jsonPath: '.spec.placementName' };
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const state = { name: 'State', type: 'string', jsonPath: '.spec.state' };
const succeeded = {
  name: 'Succeeded',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Succeeded")].status',
};

/** What `kubectl get` prints of a run. */
function columnsOf({ family }: KindOfFamily, version: string): object {
  if (family !== 'UpdateRun') return {};
  const columns = version === 'v1alpha1' ? [placement, age] : [placement, state, succeeded, age];
  return { additionalPrinterColumns: columns };
}

function definitionOf(row: KindOfFamily): Json {
  const { kind, plural, group, namespaced, versions } = row;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames[kind] !== undefined && { shortNames: [shortNames[kind]] }),
        categories: ['fleet', row.family === 'MemberCluster' ? 'fleet-cluster' : 'fleet-placement'],
      },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === storageVersion,
        ...(hasStatus(row) && { subresources: { status: {} } }),
        ...columnsOf(row, name),
        schema: { openAPIV3Schema: schemaOf(row, name) },
      })),
    },
  };
}

/** The definitions of all kinds by our own schemas. */
export const ourCrds: readonly Json[] = kinds.map(definitionOf);
