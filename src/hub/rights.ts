import { kindIn, type Family, type KindOfFamily } from '../fleet/kinds.js';
import { watchedKinds } from './collection.js';

/** One rule of a Role or ClusterRole. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A Role in a namespace, or a ClusterRole where there is none. */
export interface AccessRole {
  readonly namespace?: string;
  readonly rules: readonly AccessRule[];
}

const binding: Family = 'Binding';

/**
 * All that the guard asks of the API server about the fleet, and nothing more: no wildcard, no Secret, no write.
 */
export function accessToFleet(): readonly AccessRule[] {
  return [
    ...byGroup(watchedKinds, ['get', 'list', 'watch']),
    ...byGroup([kindIn(binding, undefined), kindIn(binding, 'any')], ['get', 'list']),
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ];
}

/**
 * To see that the hub agent's account exists, in whatever namespace: a Role in the namespace of the hub agent could not
 * be installed where that does not exist, and a wrong name must never be more than a warning.
 */
export function accessToHubAgent(name: string): readonly AccessRule[] {
  return [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'], resourceNames: [name] }];
}

/** To see the version of KubeFleet by the image of the hub agent. The guard does without where this is not granted. */
export function accessToHubAgentImage(name: string): readonly AccessRule[] {
  return [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: [name] }];
}

/** To see the labels of namespaces, where the settings give modes by them. */
export const accessToNamespaces: readonly AccessRule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
];

/** Where a guard finds its own webhook configurations, and the Secret that it keeps its certificates in, if it does. */
export interface CertificateNames {
  readonly configuration: string;
  readonly secret?: { readonly namespace: string; readonly name: string };
}

/** What `--webhook-configuration` asks for beyond that, and `--tls-secret`. A right to create cannot name the object. */
export function accessForCertificates({ configuration, secret }: CertificateNames): readonly AccessRole[] {
  const configurations = {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    verbs: secret === undefined ? ['get'] : ['get', 'update'],
    resourceNames: [configuration],
  };
  if (secret === undefined) return [{ rules: [configurations] }];
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const rules = [
    { ...secrets, verbs: ['create'] },
    { ...secrets, verbs: ['get', 'update'], resourceNames: [secret.name] },
  ];
  return [{ rules: [configurations] }, { namespace: secret.namespace, rules }];
}

/** What the guard does in its own namespace: it keeps one Lease a placement there. */
export const ownAccess: readonly AccessRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'],
  },
];

function byGroup(kinds: readonly KindOfFamily[], verbs: readonly string[]): readonly AccessRule[] {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  return groups.map((group) => ({
    apiGroups: [group],
    resources: kinds.filter((kind) => kind.group === group).map(({ plural }) => plural),
    verbs,
  }));
}
