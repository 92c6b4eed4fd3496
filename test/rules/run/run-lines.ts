import type { Scope } from '../../support/scopes.js';

const rollout = ['placementName: shop', 'stagedRolloutStrategyName: rings'];

/** The manifest of a run that a fix proposes. */
export function runLines({ kind, namespace }: Scope, name: string, spec: readonly string[]): readonly string[] {
  return [
    'apiVersion: placement.kubernetes-fleet.io/v1beta1',
    `kind: ${kind('UpdateRun')}`,
    'metadata:',
    `  name: ${name}`,
    ...(namespace === undefined ? [] : [`  namespace: ${namespace}`]),
    'spec:',
    ...spec.map((line) => `  ${line}`),
  ];
}

/** The same, of the strategy and placement that the tests have by default. */
export function rolloutLines(scope: Scope, name: string, ...more: readonly string[]): readonly string[] {
  return runLines(scope, name, [...rollout, ...more]);
}

/** Waits for the end of a run. Before a run is initialized nothing else says that it has failed. */
export function waitLine({ plural, flag }: Scope, name: string, { isPending = false } = {}): string {
  const wait = `kubectl wait ${plural('UpdateRun')} ${name}${flag}`;
  const over = `${wait} '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`;
  return isPending ? `${wait} --for=condition=Initialized --timeout=1m && ${over}` : over;
}
