import { kindIn, type Family } from '../../../src/fleet/kinds.js';

/** The namespace of an object, or undefined in cluster scope. */
export type Scope = string | undefined;

/** Where the API serves the objects of a family; `rest` leads to one of them, or to its status. */
export function pathOf(family: Family, scope: Scope, rest = '', version = 'v1beta1'): string {
  const { group, plural, namespaced } = kindIn(family, scope);
  const within = namespaced && scope !== undefined ? `/namespaces/${scope}` : '';
  return `/apis/${group}/${version}${within}/${plural}${rest === '' ? '' : `/${rest}`}`;
}

/** The head of a manifest. */
export function headOf(family: Family, scope: Scope, version = 'v1beta1'): { apiVersion: string; kind: string } {
  const { group, kind } = kindIn(family, scope);
  return { apiVersion: `${group}/${version}`, kind };
}
