import { kindIn, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import { watchedKinds } from './cache.js';

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
 * All that the guard asks of the API server outside of its own namespace, and nothing more: no wildcard, no Secret, no
 * write to the fleet.
 */
export function accessFor(hubAgentUsers: readonly string[]): readonly AccessRole[] {
  return [
    {
      rules: [
        ...byGroup(watchedKinds, ['get', 'list', 'watch']),
        ...byGroup([kindIn(binding, undefined), kindIn(binding, 'any')], ['get', 'list']),
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
    },
    ...hubAgentUsers.flatMap((user) => {
      const account = serviceAccountOf(user);
      if (account === undefined) return [];
      const { name, namespace } = account;
      const rule = { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'], resourceNames: [name] };
      return [{ namespace, rules: [rule] }];
    }),
  ];
}

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

/** The ServiceAccount behind a user name; undefined for users that are none. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
