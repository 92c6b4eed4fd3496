import type { Json } from '../harness/api.js';

/** As much of cert-manager's API as it takes to store its objects. */
export const certManagerCrds: readonly Json[] = ['Issuer', 'Certificate'].map((kind) => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.cert-manager.io` },
    spec: {
      group: 'cert-manager.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
});
