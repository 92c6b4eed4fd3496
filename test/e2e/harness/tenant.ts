import { eventually } from './eventually.js';
import { expectStored, type Hub } from './hub.js';
import { pathOf } from './paths.js';
import { users } from './users.js';

/** Gives mallory all rights on staged rollouts, status included, in one namespace and nowhere else. */
export async function admitTenant(hub: Hub, home: string): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const [apiVersion, apiGroup] = ['rbac.authorization.k8s.io/v1', 'rbac.authorization.k8s.io'];
  const rules = [{ apiGroups: ['placement.kubernetes-fleet.io'], resources: ['*'], verbs: ['*'] }];
  const metadata = { name: 'tenant', namespace: home };
  const role = { apiVersion, kind: 'Role', metadata, rules };
  const subjects = [{ apiGroup, kind: 'User', name: users.mallory.name }];
  const binding = {
    apiVersion,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: 'tenant' },
    subjects,
  };
  expectStored(await hub.api('admin').create(`${rbac}/namespaces/${home}/roles`, role));
  expectStored(await hub.api('admin').create(`${rbac}/namespaces/${home}/rolebindings`, binding));
  // The API server's authorizer learns of both by watching.
  await eventually('the rights of the tenant are in force', async () => {
    const { status } = await hub.api('mallory').get(pathOf('UpdateRun', home));
    return status === 200 || undefined;
  });
}
