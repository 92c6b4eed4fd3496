import { bypassRight } from '../../engine/exemption.js';
import { yamlLines } from './yaml-lines.js';

/** The role that lets somebody bypass a rule in a namespace, or for what belongs to none; ready to paste. */
export function bypassRole(rule: string, namespace: string | undefined): readonly string[] {
  const { group, resource, verb } = bypassRight;
  return yamlLines({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name: `bypass-${rule}`, ...(namespace !== undefined && { namespace }) },
    rules: [{ apiGroups: [group], resources: [resource], resourceNames: [rule], verbs: [verb] }],
  });
}
