import { fieldOf } from '../fleet/json.js';
import { armedRules } from './arming-access.js';
import type { HubCalls } from './hub.js';

/** Asks what every webhook asks before it calls the guard: whether the guard's own account may answer. */
export async function mayAnswer(hub: HubCalls, namespace: string, signal: AbortSignal): Promise<boolean> {
  const [rule] = armedRules;
  const [group, resource, verb] = [rule?.apiGroups[0], rule?.resources[0], rule?.verbs[0]];
  const answer = await hub.call({
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    method: 'POST',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace, group, resource, verb } },
    },
    signal,
  });
  return fieldOf(fieldOf(answer, 'status'), 'allowed') === true;
}
