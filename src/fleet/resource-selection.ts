import type { Placement, ResourceSelector } from './model.js';

/** Why KubeFleet can never follow a resource selector, whatever there is on the hub. */
export interface SelectionProblem {
  readonly index: number;
  readonly why: 'namespace in a namespace' | 'reserved namespace';
  readonly name: string;
}

/** Namespaces of Kubernetes and of KubeFleet itself (pkg/utils/common.go IsReservedNamespace). */
const reserved = /^(?:kube|fleet)-/;

/**
 * The selectors that are wrong by what they say themselves (pkg/utils/controller/resource_selector_resolver.go
 * gatherSelectedResource); of all others only KubeFleet knows, which serves the kinds and has the objects.
 */
export function selectionProblems({ metadata, spec }: Placement): readonly SelectionProblem[] {
  return spec.resourceSelectors.flatMap((selector, index): readonly SelectionProblem[] => {
    if (!isOfNamespaces(selector)) return [];
    const { name = '' } = selector;
    if (metadata.namespace !== undefined) return [{ index, why: 'namespace in a namespace', name }];
    return takesAll(selector) && reserved.test(name) ? [{ index, why: 'reserved namespace', name }] : [];
  });
}

function isOfNamespaces({ group, version, kind }: ResourceSelector): boolean {
  return group === '' && version === 'v1' && kind === 'Namespace';
}

/** Whether a namespace is selected with all that is in it, which is the default. */
function takesAll({ selectionScope = '' }: ResourceSelector): boolean {
  return selectionScope === '' || selectionScope === 'NamespaceWithResources';
}
