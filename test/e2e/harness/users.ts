/** Who writes to the hub. Tokens are static, as the users are; nothing here outlives a test. */
export const users = {
  admin: { name: 'admin', groups: ['system:masters'] },
  alice: { name: 'alice', groups: ['developers'] },
  bob: { name: 'bob', groups: ['developers'] },
  /** Has rights in one namespace, where a test gives them. */
  mallory: { name: 'mallory', groups: ['tenants'] },
  hubAgent: {
    name: 'system:serviceaccount:fleet-system:hub-agent-sa',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:fleet-system'],
  },
  guard: {
    name: 'system:serviceaccount:fleet-stageguard:stageguard',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:fleet-stageguard'],
  },
  controllers: { name: 'system:kube-controller-manager', groups: ['system:masters'] },
} as const;

export type User = keyof typeof users;

export const userIds = Object.keys(users) as readonly User[];

export const tokenOf = (user: User): string => `${user}-token`;

/** One line a user: token, name, uid, groups. */
export function tokenFile(): string {
  return userIds.map((id) => `${tokenOf(id)},${users[id].name},${id},"${users[id].groups.join(',')}"\n`).join('');
}

export interface KubeconfigOptions {
  readonly server: string;
  readonly certificate: string;
}

export function kubeconfigOf(user: User, { server, certificate }: KubeconfigOptions): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'hub',
    clusters: [{ name: 'hub', cluster: { server, 'certificate-authority': certificate } }],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: 'hub', context: { cluster: 'hub', user } }],
  });
}

const placementGroup = 'placement.kubernetes-fleet.io';
const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const bothScopes = (plural: string): string[] => [plural, `cluster${plural}`];

/**
 * Developers own runs, strategies, approvals and placements, and read the rest. The hub agent has what KubeFleet's own
 * chart gives it, which is no right to create runs or to write strategies.
 */
export const rights = [
  roleFor('developers', { kind: 'Group', name: 'developers' }, [
    {
      apiGroups: [placementGroup],
      resources: ['stagedupdateruns', 'stagedupdatestrategies', 'approvalrequests', 'resourceplacements'].flatMap(
        bothScopes,
      ),
      verbs: everything,
    },
    {
      apiGroups: [placementGroup],
      resources: bothScopes('approvalrequests').map((plural) => `${plural}/status`),
      verbs: ['get', 'update', 'patch'],
    },
    { apiGroups: [placementGroup, 'cluster.kubernetes-fleet.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
  ]),
  roleFor('hub-agent', { kind: 'User', name: users.hubAgent.name }, [
    {
      apiGroups: [placementGroup],
      resources: ['stagedupdateruns', 'resourceplacements'].flatMap(bothScopes).flatMap((it) => [it, `${it}/status`]),
      verbs: ['get', 'list', 'watch', 'update', 'patch'],
    },
    { apiGroups: [placementGroup], resources: bothScopes('stagedupdatestrategies'), verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [placementGroup],
      resources: ['approvalrequests', 'resourcesnapshots', 'schedulingpolicysnapshots', 'resourcebindings']
        .flatMap(bothScopes)
        .flatMap((it) => [it, `${it}/status`]),
      verbs: everything,
    },
    {
      apiGroups: ['cluster.kubernetes-fleet.io'],
      resources: ['memberclusters', 'memberclusters/status'],
      verbs: ['get', 'list', 'watch', 'update', 'patch'],
    },
  ]),
].flat();

type Subject = { readonly kind: 'User' | 'Group'; readonly name: string };

function roleFor(name: string, subject: Subject, rules: readonly object[]): readonly object[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, ...subject }],
    },
  ];
}
