/** A strategy as a manifest, with a sound stage and the one that is given. */
export const strategyText = (stage: string): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: rings}
spec:
  stages:
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
${stage}`;
