import type { AccessRole, AccessRule } from './rights.js';

/** The Deployment that a guard is part of, and the Role that puts its webhooks in force while it is bound to the guard. */
export interface ArmingNames {
  readonly namespace: string;
  readonly deployment: string;
  readonly role: string;
}

const group = 'rbac.authorization.k8s.io';

/** The right that every webhook asks the API server about before it calls the guard. It allows nothing else. */
export const armedRules: readonly AccessRule[] = [
  { apiGroups: ['stageguard.io'], resources: ['hooks'], verbs: ['answer'] },
];

/** What a guard needs that puts its webhooks in force by itself. */
export function accessForArming({ namespace, deployment, role }: ArmingNames): readonly AccessRole[] {
  const rules: readonly AccessRule[] = [
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: [deployment] },
    // A create cannot be narrowed to a name. But nobody can bind a Role with more rights than his own, and `bind`, which
    // lifts that, names the one Role.
    { apiGroups: [group], resources: ['rolebindings'], verbs: ['create'] },
    { apiGroups: [group], resources: ['rolebindings'], verbs: ['get', 'delete'], resourceNames: [role] },
    { apiGroups: [group], resources: ['roles'], verbs: ['bind'], resourceNames: [role] },
  ];
  return [
    { rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'], resourceNames: [namespace] }] },
    { namespace, rules },
  ];
}
