import { fieldOf } from '../fleet/json.js';
import type { HubCalls } from './hub.js';

/** Asks the API server whether somebody may do something: `spec` is that of a SubjectAccessReview. */
export async function isAllowed(hub: HubCalls, spec: object, signal: AbortSignal): Promise<boolean> {
  const answer = await hub.call({
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
    signal,
  });
  return fieldOf(fieldOf(answer, 'status'), 'allowed') === true;
}
